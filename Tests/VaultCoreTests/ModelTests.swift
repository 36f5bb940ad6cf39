import SecretMemory
import SecureStorage
import TestSupport
import Testing
import VaultStorage

@testable import VaultCore

/// Random operations on the vault and on the store in memory, which must always agree.
@Suite("Random operations")
struct ModelTests {
    @Test(
        "give what the model gives, over several sessions at once", arguments: StorageKind.allCases)
    func operations(kind: StorageKind) throws {
        var random = SplitMix(seed: UInt64.random(in: .min ... .max))
        let seed = random.seed
        try kind.withStorage { storage in
            try TestVault.create(in: storage)
            let model = MemorySecureStore(now: { 1_000_000 })
            var sessions = try (0..<3).map { _ in try TestVault.unlock(storage) }
            for step in 0..<1_500 {
                let operation = Operation(using: &random)
                let session = Int(random.next() % 3)
                #expect(
                    operation.run(on: sessions[session]) == operation.run(on: model),
                    "seed \(seed), step \(step)")
                if random.next().isMultiple(of: 97) {
                    sessions[session].lock()
                    sessions[session] = try TestVault.unlock(storage)
                }
            }
            for session in sessions {
                #expect(
                    try TestVault.contents(of: session) == TestVault.contents(of: model),
                    "seed \(seed)")
                #expect(try session.check().problems.isEmpty, "seed \(seed)")
            }
        }
    }

    /// One operation with its arguments.
    private struct Operation {
        private let choice: UInt64
        private let name: Int
        private let otherName: Int
        private let value: [UInt8]
        private let revision: UInt64?
        private let accessClass: AccessClass

        init(using random: inout SplitMix) {
            choice = random.next() % 10
            // Few names, so that operations meet.
            name = Int(random.next() % 25)
            otherName = Int(random.next() % 25)
            value = (0..<(random.next() % 90)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            revision = random.next().isMultiple(of: 2) ? nil : random.next() % 4 + 1
            accessClass = random.next().isMultiple(of: 2) ? .whileUnlocked : .afterVerification
        }

        /// The answer, errors included, as something that can be compared.
        func run(on store: any SecureStore) -> String {
            do {
                let name = try TestVault.name(name)
                switch choice {
                case 0...2:
                    return try describe(
                        store.save(
                            Samples.secret(value), as: name,
                            SecretAttributes(label: "l", accessClass: accessClass)))
                case 3...4:
                    return try describe(
                        store.update(name, to: Samples.secret(value), expecting: revision))
                case 5:
                    let edit = SecretEdit(
                        name: try TestVault.name(otherName), accessClass: accessClass)
                    return try describe(store.edit(name, edit, expecting: revision))
                case 6:
                    try store.remove(name, expecting: revision)
                    return "removed"
                case 7: return try "\(store.list().map(describe))"
                default: return try "\(Samples.bytes(store.value(of: name)))"
                }
            } catch {
                return "\(error)"
            }
        }

        private func describe(_ item: SecretItem) -> String {
            "\(item.name.service) \(item.revision) \(item.attributes)"
        }
    }
}
