import Dispatch
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore
import VaultStorage

@Suite("A batch of secrets")
struct SecretBatchTests {
    private static func name(_ number: Int) throws -> SecretName {
        try SecretName(service: "service \(number)", account: "account")
    }

    /// Saves secrets of these sizes in one step.
    private static func saveAll(
        _ sizes: [Int], _ client: AgentClient, replacing isReplacing: Bool = false
    ) throws -> [Int: SecureStoreError] {
        try client.saveAll(replacing: isReplacing) { save in
            for (number, size) in sizes.enumerated() {
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
                try save(Samples.secret(value), name(number), SecretAttributes(), nil)
            }
        }
    }

    /// Saves new secrets in one step.
    private static func saveNew(_ names: [SecretName], in store: any SecureStore) throws {
        var names = names[...]
        try store.saveEach { () throws(SecureStoreError) in
            guard let name = names.popFirst() else { return nil }
            do {
                return NewSecret(try Samples.one(), as: name, SecretAttributes())
            } catch {
                throw SecureStoreError(translating: error)
            }
        }
    }

    /// A part with one secret of one byte.
    private static func record(_ number: UInt32) throws -> [UInt8] {
        var record = ByteWriter()
        record.name(try name(Int(number)))
        record.attributes(SecretAttributes())
        record.times(nil)
        record.integer(UInt32(1))
        record.raw([7])
        return record.bytes
    }

    /// A request for a part with one secret of one byte.
    private static func part(_ number: UInt32, last isLast: Bool) throws -> [UInt8] {
        let record = try record(number)
        var payload = ByteWriter()
        payload.raw(
            SaveAllRequest(isReplacing: false, part: number, isLast: isLast).head)
        payload.integer(UInt32(record.count))
        payload.raw(record)
        return payload.bytes
    }

    @Test(
        "belongs to its client, also after another one has taken its place, and is saved only while that client waits"
    )
    func clients() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let batch = SecretBatch(timeLimit: .zero)
        let clients = [FrameOwner(), FrameOwner()]
        let (first, second) = (ObjectIdentifier(clients[0]), ObjectIdentifier(clients[1]))
        let interrupted = SecureStoreError.unavailable(
            .failed, detail: "the import was interrupted, and nothing was imported")
        try batch.add(Samples.secret(Self.record(0)), number: 0, of: first)
        try batch.add(Samples.secret(Self.record(1)), number: 0, of: second)
        #expect(throws: interrupted) {
            _ = try batch.save(of: first, replacing: false, in: vault, while: { true })
        }
        // The other client's batch goes on, and is dropped if that client goes.
        try batch.add(Samples.secret(Self.record(2)), number: 1, of: second)
        #expect(throws: interrupted) {
            _ = try batch.save(of: second, replacing: false, in: vault, while: { false })
        }
        #expect(try vault.list().isEmpty)
        try batch.add(Samples.secret(Self.record(3)), number: 0, of: second)
        let saved = try batch.save(of: second, replacing: false, in: vault, while: { true })
        #expect(saved.refused.isEmpty)
        #expect(try vault.list().map(\.name) == [Self.name(3)])
    }

    /// Stands for the connection of a client.
    private final class FrameOwner {}

    @Test("is saved whole, in several parts, up to the largest values")
    func manyParts() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let sizes = [0, 1, 70_000] + [Int](repeating: SecretLimits.maximumValueSize, count: 5)
            #expect(try Self.saveAll(sizes, client).isEmpty)
            #expect(try client.list().count == sizes.count)
            for (number, size) in sizes.enumerated() {
                let value = try Samples.bytes(client.value(of: Self.name(number)))
                #expect(
                    value == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
            }
        }
    }

    @Test("tells which secrets were refused, by their place, and saves the others")
    func refused() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            for number in [1, 3] {
                try client.save(Samples.two(), as: Self.name(number), SecretAttributes())
            }
            let large = SecretLimits.maximumValueSize + 1
            let tooLarge = SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
            #expect(
                try Self.saveAll([1, 1, large, 1, 1], client)
                    == [1: .duplicate, 2: tooLarge, 3: .duplicate])
            #expect(try client.list().count == 4)
            #expect(try Samples.bytes(client.value(of: Self.name(1))) == [2, 2])
            #expect(try Self.saveAll([1, 1], client, replacing: true).isEmpty)
            #expect(try Samples.bytes(client.value(of: Self.name(1))) == [1])
            // More than one page of the answer.
            let many = try Self.saveAll([Int](repeating: 1, count: 4_500), client)
            #expect(many.count == 4 && many.values.allSatisfy { $0 == .duplicate })
            #expect(try Self.saveAll([Int](repeating: 1, count: 4_500), client).count == 4_500)
        }
    }

    @Test("holds new secrets of any caller, and says if one was refused")
    func newSecrets() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let names = try (0..<1_000).map { try Self.name($0) }
            try Self.saveNew(names, in: client)
            #expect(try client.list().count == 1_000)
            #expect(throws: SecureStoreError.duplicate) { try Self.saveNew([names[0]], in: client) }
        }
    }

    @Test("of new secrets is saved by the vault itself whole, or not at all")
    func newSecretsInTheVault() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let names = try (0..<3).map { try Self.name($0) }
        try Self.saveNew([names[0]], in: vault)
        #expect(throws: SecureStoreError.duplicate) {
            try Self.saveNew(names.reversed(), in: vault)
        }
        #expect(try vault.list().map(\.name) == [names[0]])
    }

    @Test("that its sender withdraws while another process holds the vault is not saved")
    func withdrawn() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let other = try VaultDatabase.openFile(at: agent.place.vault.path, mode: .readWrite)
            defer { other.close() }
            // The agent may have begun its commit before it learns of the withdrawal, because the other process ends its own at once.
            for number in 0..<20 {
                let name = try Self.name(number)
                let sender = try other.write { _ in
                    let asked = DispatchSemaphore(value: 0)
                    let sender = Worker {
                        try client.saveAll(
                            replacing: false,
                            unless: {
                                asked.signal()
                                return true
                            }
                        ) { save in try save(Samples.one(), name, SecretAttributes(), nil) }
                    }
                    asked.wait()
                    return sender
                }
                do {
                    _ = try sender.get()
                    try #require(agent.client().list().contains { $0.name == name })
                } catch SecretBatchError.withdrawn {
                    #expect(try !agent.client().list().contains { $0.name == name })
                    return
                }
            }
            Issue.record("no withdrawal was in time")
        }
    }

    @Test("keeps the times that come with a secret")
    func times() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let refused = try client.saveAll(replacing: false) { save in
                try save(
                    Samples.one(), Self.name(0), SecretAttributes(),
                    SecretTimes(created: 5, modified: 7))
                try save(Samples.one(), Self.name(1), SecretAttributes(), nil)
            }
            #expect(refused.isEmpty)
            let items = try client.list().sorted { $0.name < $1.name }
            #expect(items.first?.created == 5 && items.first?.modified == 7)
            #expect(items.last.map { $0.created > 7 } == true)
        }
    }

    @Test("leaves nothing if its sender fails, or one secret requires verification")
    func nothing() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            #expect(throws: SecureStoreError.conflict(found: 3)) {
                _ = try client.saveAll(replacing: false) { save in
                    for number in 0..<4 {
                        let value = [UInt8](repeating: 1, count: SecretLimits.maximumValueSize)
                        try save(
                            Samples.secret(value), Self.name(number), SecretAttributes(), nil)
                    }
                    throw SecureStoreError.conflict(found: 3)
                }
            }
            #expect(try client.list().isEmpty)
            agent.clock.advance(by: .seconds(121))
            #expect(throws: AgentError.vault(.store(.notVerified))) {
                _ = try client.saveAll(replacing: false) { save in
                    try save(Samples.one(), Self.name(0), SecretAttributes(), nil)
                    try save(
                        Samples.one(), Self.name(1),
                        SecretAttributes(accessClass: .afterVerification), nil)
                }
            }
            #expect(try client.list().isEmpty)
        }
    }

    @Test("is forgotten by a lock, so that its rest is not saved alone")
    func lock() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let raw = try RawClient(agent.place)
            try raw.greet()
            raw.send(payload: try Self.part(0, last: false))
            #expect(raw.payload() == DoneAnswer().head)
            try client.lock()
            try client.unlock(with: TestVault.secret())
            raw.send(payload: try Self.part(1, last: true))
            #expect(try #require(raw.payload()).first == 0xFF)
            #expect(try client.list().isEmpty)
            raw.send(payload: try Self.part(0, last: true))
            #expect(raw.payload() == DoneAnswer().head)
            #expect(try client.list().count == 1)
        }
    }

    @Test("keeps another one out until its client is done or gone")
    func oneAtATime() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let raw = try RawClient(agent.place)
            try raw.greet()
            raw.send(payload: try Self.part(0, last: false))
            #expect(raw.payload() == DoneAnswer().head)
            #expect(
                throws: AgentError.vault(
                    .store(.unavailable(.busy, detail: "another import is running")))
            ) {
                _ = try Self.saveAll([1], client)
            }
            raw.finish()
            #expect(try Self.saveAll([1], client).isEmpty)
            #expect(try client.list().count == 1)
        }
    }

    @Test("of no records that can be read ends the connection, with nothing saved")
    func malformed() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            for cut in [1, 5] {
                let raw = try RawClient(agent.place)
                try raw.greet()
                var payload = try Self.part(0, last: true)
                payload.removeLast(cut)
                let size = payload.count - 1 - 1 - 4 - 1 - 4
                payload.replaceSubrange(7..<11, with: RawClient.length(size))
                raw.send(payload: payload)
                #expect(raw.payload() == WireFailure.malformed.head)
                #expect(raw.payload() == nil)
            }
            #expect(try client.list().isEmpty)
        }
    }
}
