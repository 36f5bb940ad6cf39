package import Sealing
package import SecureStorage
package import VaultCore
package import VaultStorage

/// Vaults with a minimal cost of unlocking.
package enum TestVault {
    /// The smallest cost that libsodium accepts.
    package static let cost = KeyDerivationCost(passes: 1, memoryKiB: 8)
    /// The master passphrase of every test vault.
    package static let passphraseText = "correct horse"

    /// An environment without a minimum cost, and with a stopped clock.
    package static func environment(
        rollbackRecords: any RollbackRecords = MemoryRollbackRecords(),
        now: @escaping @Sendable () -> Int64 = { 1_000_000 }
    ) -> VaultEnvironment {
        VaultEnvironment(rollbackRecords: rollbackRecords, limits: .testing, now: now)
    }

    /// A passphrase of this text.
    package static func passphrase(_ text: String = passphraseText) throws -> Passphrase {
        try Passphrase(typed: Samples.secret(text))
    }

    /// The same as a secret for verification.
    package static func secret(_ text: String = passphraseText) throws -> VaultSecret {
        .passphrase(try passphrase(text))
    }

    /// Creates a vault with ``passphraseText``.
    @discardableResult
    package static func create(
        in storage: any RecordStorage, _ environment: VaultEnvironment = environment()
    ) throws -> RecoveryCode {
        try VaultCreation.create(
            in: storage, environment, passphrase: passphrase(), cost: cost)
    }

    /// Unlocks with ``passphraseText``, or another text.
    package static func unlock(
        _ storage: any RecordStorage, _ environment: VaultEnvironment = environment(),
        with text: String = passphraseText
    ) throws -> UnlockedVault {
        try LockedVault(storage, environment).unlock(with: secret(text))
    }

    /// Verifies the owner with ``passphraseText``, or another text.
    package static func authenticate(
        _ storage: any RecordStorage, _ environment: VaultEnvironment = environment(),
        with text: String = passphraseText
    ) throws -> AuthenticatedVault {
        try LockedVault(storage, environment).authenticate(with: secret(text))
    }

    /// Saves `count` small secrets `service 0 … / account`, every third protected.
    package static func fill(_ vault: UnlockedVault, count: Int) throws {
        for index in 0..<count { try fillOne(vault, index) }
    }

    /// Saves one of them.
    package static func fillOne(_ vault: UnlockedVault, _ index: Int) throws {
        try vault.save(
            Samples.secret("value \(index)"), as: name(index),
            SecretAttributes(
                label: "label \(index)",
                accessClass: index.isMultiple(of: 3) ? .afterVerification : .whileUnlocked))
    }

    /// The name of one of them.
    package static func name(_ index: Int) throws -> SecretName {
        try SecretName(service: "service \(index)", account: "account")
    }

    /// All results of a store: descriptions and values, by name.
    package static func contents(of store: any SecureStore) throws -> [SecretItem: [UInt8]] {
        var contents: [SecretItem: [UInt8]] = [:]
        for item in try store.list() {
            contents[item] = try Samples.bytes(store.value(of: item.name))
        }
        return contents
    }
}

/// One storage of each kind, for a body that must behave the same on all.
package enum StorageKind: String, Sendable, CaseIterable {
    case memory
    case sqlite
    case postgresql

    /// The kinds that are available here.
    package static let allCases: [Self] =
        PostgreSQLServer.isWanted ? [.memory, .sqlite, .postgresql] : [.memory, .sqlite]

    /// Runs `body` with an empty storage of this kind.
    package func withStorage<Result>(
        _ body: (any RecordStorage) throws -> Result
    ) throws -> Result {
        switch self {
        case .memory:
            return try body(try VaultDatabase.inMemory())
        case .sqlite:
            return try withTemporaryFolder { folder in
                let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
                defer { storage.close() }
                return try body(storage)
            }
        case .postgresql:
            return try withPostgreSQLDatabase { address in
                let storage = try VaultDatabase.createServer(at: address)
                defer { storage.close() }
                return try body(storage)
            }
        }
    }
}
