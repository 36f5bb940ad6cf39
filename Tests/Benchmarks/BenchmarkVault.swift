internal import TestSupport
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultCore
internal import VaultStorage

/// A vault file that can be opened again and again.
final class BenchmarkVault {
    let path: String
    private(set) var itemCount: Int
    /// Opens without a slow derivation.
    private let secret: VaultSecret
    let environment: VaultEnvironment

    static let passphraseText = "correct horse battery staple"

    /// Makes an empty vault, as the command `init` does.
    init(_ name: String, in folder: ScratchFolder) throws {
        path = folder.path(of: name)
        itemCount = 0
        environment = VaultEnvironment(
            rollbackRecords: FileRollbackRecords(folder: folder.path(of: "records"), place: path),
            limits: .testing)
        secret = .recoveryCode(
            try VaultFile.create(
                at: path, environment, passphrase: try Self.passphrase(),
                cost: KeyDerivationCost(passes: 1, memoryKiB: 8)))
    }

    /// A vault that another process made; the derivation of its passphrase must be cheap.
    init(at path: String, itemCount: Int) throws {
        self.path = path
        self.itemCount = itemCount
        environment = VaultEnvironment(rollbackRecords: MemoryRollbackRecords(), limits: .testing)
        secret = .passphrase(try Self.passphrase())
    }

    static func passphrase() throws -> Passphrase {
        let bytes = Array(passphraseText.utf8)
        return try Passphrase(typed: try SecretBytes(copying: unsafe bytes.span.bytes))
    }

    /// Unlocks it in a connection of its own.
    func open() throws -> OpenVault {
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        let connection = unsafe try ProductConnection.newest()
        let vault = try LockedVault(storage, environment).unlock(with: secret)
        return unsafe OpenVault(vault: vault, storage: storage, connection: connection)
    }

    /// Unlocks it, runs `body`, and closes it.
    func withOpen<Result>(_ body: (OpenVault) throws -> Result) throws -> Result {
        let open = try open()
        defer { open.close() }
        return try body(open)
    }

    /// Saves further items in one transaction.
    ///
    /// - Returns: How long that took, in nanoseconds.
    func timeFilling(upTo count: Int) throws -> Double {
        let names = try (itemCount..<count).map(Sample.name)
        var value = try SecretBytes(count: Sample.valueSize)
        let time = try withOpen { open in
            try Clock.time {
                try open.vault.saveAll { (save) throws(SecureStoreError) in
                    for (offset, name) in names.enumerated() {
                        Sample.fill(&value, for: itemCount + offset)
                        try save(value, name, SecretAttributes(), nil)
                    }
                }
            }
        }
        itemCount = count
        return time
    }

    /// Saves items of these names in one transaction.
    func fill(
        _ names: [SecretName], _ attributes: SecretAttributes,
        _ value: (Int) throws(SecureStoreError) -> SecretBytes
    ) throws {
        try withOpen { open in
            try open.vault.saveAll { (save) throws(SecureStoreError) in
                for (number, name) in names.enumerated() {
                    try save(try value(number), name, attributes, nil)
                }
            }
        }
        itemCount += names.count
    }

    /// Puts a passphrase slot of another cost in place.
    func setCost(_ cost: KeyDerivationCost) throws {
        try authenticated { vault in
            _ = try vault.changePassphrase(
                to: try Self.passphrase(), cost: cost, keepingKeys: true)
        }
    }

    /// Runs `body` with the vault as its owner has it who wants to change slots.
    func authenticated<Result>(
        _ body: (consuming AuthenticatedVault) throws -> Result
    ) throws -> Result {
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        defer { storage.close() }
        let vault = try LockedVault(storage, environment).authenticate(with: secret)
        return try body(vault)
    }
}

/// A vault that is open.
@safe struct OpenVault {
    let vault: UnlockedVault
    let storage: VaultDatabase
    /// The connection that the storage opened, for asking it for its settings.
    let connection: OpaquePointer

    /// Verifies every bucket, as a session that has been used for a while has done.
    func verifyAll() throws {
        _ = try vault.list()
    }

    func close() {
        vault.lock()
        storage.close()
    }
}
