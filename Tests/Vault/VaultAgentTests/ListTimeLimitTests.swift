import Platform
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore
import VaultStorage

@Suite("A list")
struct ListTimeLimitTests {
    private static let note = String(repeating: "long ", count: 12_000)

    /// Answers with a list of some 500 KB, more than an unread connection holds.
    private func answer(
        on channel: FrameChannel, limit: Duration
    ) throws -> Worker<Void> {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        for number in 0..<8 {
            let note = ExtraAttribute(key: "note", text: Self.note)
            try vault.save(
                Samples.one(), as: TestVault.name(number), SecretAttributes(extra: [note]))
        }
        vault.lock()
        let session = AgentSession(
            AgentSession.VaultPlace(
                open: { storage }, environment: TestVault.environment(), isMemoryLocked: { true }),
            clock: ManualClock())
        try session.unlock(with: TestVault.secret(), acceptsOlder: false)
        // A frame has no time limit here, so that the list's own limit ends it.
        let limits = AgentTimeLimits(hello: .seconds(3_600), frame: .seconds(3_600), list: limit)
        let program = ConnectedProgram()
        let handler = RequestHandler(
            session: session, channel: channel, processID: 1, limits: limits,
            file: OpenFile(session, program), client: program)
        return Worker {
            var payload = try Samples.secret(ListRequest().head)
            try handler.serve(&payload)
        }
    }

    @Test("that no client receives does not stay in memory")
    func nobody() throws {
        try withConnection { channel, _ in
            let list = try answer(on: channel, limit: .milliseconds(50))
            try eventually("the list is given up") { list.isDone }
            #expect(throws: AgentError.silent(process: getpid())) { try list.get() }
        }
    }

    @Test("that a client receives is whole")
    func whole() throws {
        try withConnection { channel, other in
            let list = try answer(on: channel, limit: .seconds(3_600))
            var items: [SecretItem] = []
            while let payload = other.payload(), payload != DoneAnswer().head {
                var bytes = try SecretBytes(copying: unsafe payload.span.bytes)
                guard let page = ListPage<SecretItem>.take(from: &bytes) else { break }
                items += page.elements
            }
            try list.get()
            #expect(items.count == 8)
            #expect(items.allSatisfy { $0.attributes.extra.first?.text == Self.note })
        }
    }
}
