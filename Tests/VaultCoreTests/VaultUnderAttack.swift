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
    static let missing = ["missing", "also missing", "service 0 "]

    /// Fills `storage`, which must be empty, with so many small items and with values of some sizes.
    init(filling storage: any RecordStorage, items: Int = 4, values: [Int] = []) throws {
        code = try Samples.bytes(TestVault.create(in: storage).text())
        let vault = try TestVault.unlock(storage)
        try TestVault.fill(vault, count: items)
        try vault.update(TestVault.name(1), to: Samples.secret("updated"))
        for (number, size) in values.enumerated() {
            try vault.save(
                Samples.secret([UInt8](repeating: 0xA5, count: size)),
                as: TestVault.name(items + number), SecretAttributes())
        }
        contents = try TestVault.contents(of: vault)
        vault.lock()
    }

    func unlock(
        _ storage: any RecordStorage, _ environment: VaultEnvironment = TestVault.environment()
    ) throws -> UnlockedVault {
        let typed = try Samples.secret(code)
        return try LockedVault(storage, environment)
            .unlock(with: .recoveryCode(RecoveryCode(typed: typed)))
    }

    private init(code: [UInt8], contents: [SecretItem: [UInt8]]) {
        (self.code, self.contents) = (code, contents)
    }

    /// The same vault after others wrote to it.
    func seenAgain(_ storage: any RecordStorage) throws -> VaultUnderAttack {
        VaultUnderAttack(code: code, contents: try TestVault.contents(of: unlock(storage)))
    }

    /// Asks everything that can be asked: each item, each miss, and the list.
    func answer(
        _ storage: any RecordStorage, _ environment: VaultEnvironment = TestVault.environment()
    ) -> Answer {
        guard let session = try? unlock(storage, environment) else { return .refused }
        var isRefused = false
        for ask in [askReads, askMisses, askList] {
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

    private func askList(_ vault: UnlockedVault) throws -> String? {
        Set(try vault.list()) == Set(contents.keys) ? nil : "a list gave something else"
    }

    /// What a reader would answer who opens each row by itself, as a store without whole-vault integrity does: the control that shows
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
