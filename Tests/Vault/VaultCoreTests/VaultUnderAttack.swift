import Sealing
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A small vault with known contents, and what becomes of it when somebody changed its records.
///
/// It is opened by its recovery code, which needs no slow derivation.
struct VaultUnderAttack: Sendable {
    enum Answer: Hashable {
        /// Some answer was refused, and none was wrong.
        case refused
        /// Every answer is right.
        case unchanged
        /// An answer was wrong: what must never happen.
        case wrong(String)
    }

    let code: [UInt8]
    let contents: [SecretItem: [UInt8]]
    let removed: [EarlierSecret]
    let histories: [SecretName: [EarlierSecret]]
    static let missing = ["missing", "also missing", "service 0 "]

    /// Fills `storage`, which must be empty, with so many small items and with values of some sizes.
    init(filling storage: any RecordStorage, items: Int = 4, values: [Int] = []) throws {
        let code = try Samples.bytes(TestVault.create(in: storage).text())
        let vault = try TestVault.unlock(storage)
        try TestVault.fill(vault, count: items)
        try vault.update(TestVault.name(1), to: Samples.secret("updated"))
        for (number, size) in values.enumerated() {
            try vault.save(
                Samples.secret([UInt8](repeating: 0xA5, count: size)),
                as: TestVault.name(items + number), SecretAttributes())
        }
        let gone = try SecretName(service: "gone", account: "account")
        try vault.save(Samples.one(), as: gone, SecretAttributes())
        try vault.remove(gone)
        try self.init(
            code: code, contents: TestVault.contents(of: vault), earlierOf: vault)
        vault.lock()
    }

    func unlock(
        _ storage: any RecordStorage, _ environment: VaultEnvironment = TestVault.environment()
    ) throws -> UnlockedVault {
        let typed = try Samples.secret(code)
        return try LockedVault(storage, environment)
            .unlock(with: .recoveryCode(RecoveryCode(typed: typed)))
    }

    private init(
        code: [UInt8], contents: [SecretItem: [UInt8]], earlierOf vault: UnlockedVault
    ) throws {
        (self.code, self.contents) = (code, contents)
        removed = try vault.removed()
        histories = Dictionary(
            uniqueKeysWithValues: try contents.keys.map {
                ($0.name, try vault.history(of: $0.name))
            })
    }

    /// The same vault after others wrote to it.
    func seenAgain(_ storage: any RecordStorage) throws -> VaultUnderAttack {
        let vault = try unlock(storage)
        return try VaultUnderAttack(
            code: code, contents: TestVault.contents(of: vault), earlierOf: vault)
    }

    /// Asks everything that can be asked: each item, each miss, the list, and what is earlier.
    func answer(
        _ storage: any RecordStorage, _ environment: VaultEnvironment = TestVault.environment()
    ) -> Answer {
        guard let session = try? unlock(storage, environment) else { return .refused }
        var isRefused = false
        for ask in [askReads, askMisses, askList, askEarlier] {
            do {
                if let wrong = try ask(session) { return .wrong(wrong) }
            } catch {
                isRefused = true
            }
        }
        return isRefused ? .refused : .unchanged
    }

    private func askReads(_ vault: UnlockedVault) throws -> String? {
        for (item, value) in contents {
            do {
                let found = try vault.read(item.name) { (found, value) throws(SecureStoreError) in
                    found == item ? Samples.bytes(value) : []
                }
                if !found.isSame(as: value) { return "a read gave something else" }
            } catch SecureStoreError.notFound {
                return "an item was said to be missing"
            }
        }
        return nil
    }

    private func askMisses(_ vault: UnlockedVault) throws -> String? {
        for service in Self.missing {
            do {
                _ = try vault.value(of: SecretName(service: service, account: "account"))
                return "an item was found that never was"
            } catch SecureStoreError.notFound {
                continue
            }
        }
        return nil
    }

    private func askEarlier(_ vault: UnlockedVault) throws -> String? {
        guard try vault.removed() == removed else { return "another removed item" }
        for (name, history) in histories where try vault.history(of: name) != history {
            return "another history"
        }
        return nil
    }

    private func askList(_ vault: UnlockedVault) throws -> String? {
        Set(try vault.list()) == Set(contents.keys) ? nil : "a list gave something else"
    }

    /// The answer of a reader who opens each row by itself, as a store without whole-vault integrity does: the control that shows
    /// that the attacks have an effect.
    func answerWithoutIntegrity(_ storage: any RecordStorage) -> Answer {
        do {
            let vault = try unlock(storage)
            var names: Set<SecretName> = []
            var isRefused = false
            try vault.use { session in
                try storage.read { reader in
                    try reader.forEachItem { row in
                        if let description = try? session.open(row),
                            (try? session.withValue(of: row, { (_) in true })) == true
                        {
                            names.insert(description.name)
                        } else {
                            isRefused = true
                        }
                    }
                }
            }
            if isRefused { return .refused }
            return names == Set(contents.keys.map(\.name)) ? .unchanged : .wrong("a silent loss")
        } catch {
            return .refused
        }
    }
}
