@testable import Accounts
import Database
import Testing
import TestSupport

/// Copies of all rows between databases of both kinds.
@Suite("Copied accounts")
struct AccountCopyTests {
    /// More rows than one page has, of every table.
    private static func fill(_ repository: AccountRepository) throws {
        try repository.fill(300)
        var limits = PushLimits()
        limits.hourlyOfSender = 0
        limits.hourlyOfInbox = 0
        limits.waitingOfSender = 1_000
        limits.waitingOfInbox = 1_000
        let inboxes = InboxService(repository: repository, limits: limits)
        let inbox = try inboxes.makeInbox(
            of: AccountSamples.accountID(1), for: AccountSamples.sessionID(1), renewing: nil,
            at: AccountSamples.time(1_000)
        ).inbox
        let sender = try inboxes.subscribe(
            to: inbox.id, of: AccountSamples.accountID(1), key: nil, at: AccountSamples.time(1_000))
        for number in 0..<3 {
            let pushes = (0..<100).map { index in
                InboxService.Push(
                    endpoint: TokenHash(of: sender.endpoint), life: 60, urgency: .normal,
                    topic: nil, body: [UInt8(number), UInt8(index), 0, 255])
            }
            _ = try inboxes.push(pushes, at: AccountSamples.time(1_000))
        }
        try repository.change { writer in
            try writer.put(AccountSamples.invitation(1, "new@x.example"))
            try writer.put(AccountSamples.attempts(1, last: 5))
            try writer.insert(AccountSamples.factor(1, of: 1, created: 1))
            try SyncSamples.fill(writer)
            try writer.put(AccountSamples.device(1, of: 1, last: 5), keeping: 9)
            try writer.insert(
                AuditEvent(
                    time: AccountSamples.time(1), action: .deviceAdded,
                    subject: AccountSamples.accountID(1), actor: "owner", network: "",
                    device: "Adas „Laptop“"), logged: true)
            try writer.insert(
                AccessToken(
                    hash: TokenHash(of: "shown"), session: AccountSamples.sessionID(1),
                    grant: TokenGrant(scope: .none, resource: "https://billing.example.org"),
                    issued: AccountSamples.time(3_000), expires: AccountSamples.time(10_000)))
        }
    }

    /// The content of the tables, as far as statements read it.
    private struct All: Equatable {
        let everything: Everything
        let events: [AuditEvent]
        let shown: AccessTokenDetails?
        let factors: [SecondFactor]
        let messages: [PushMessage]
        let blobs: [SyncSamples.Blob]

        init(_ repository: AccountRepository) throws {
            everything = try Everything(repository)
            events = try repository.read { try $0.auditEvents(of: nil, limit: 99) }
            shown = try repository.read { try $0.accessToken(TokenHash(of: "shown")) }
            factors = try repository.read {
                try $0.secondFactors(of: AccountSamples.accountID(1))
            }
            let inboxes = try InboxService(repository: repository).inboxes(
                of: AccountSamples.accountID(1), at: AccountSamples.time(1_000))
            blobs = try repository.read(SyncSamples.blobs)
            messages = try inboxes.flatMap { details in
                try repository.read {
                    try $0.messages(
                        of: details.inbox.id, after: 0, at: AccountSamples.time(1_000), limit: 999)
                }
            }
        }
    }

    private static func expectCopy(
        _ source: AccountRepository, _ target: AccountRepository, _ back: AccountRepository
    ) throws {
        try fill(source)
        let all = try All(source)
        #expect(all.messages.count == 300 && all.events.count == 1 && all.shown != nil)
        #expect(all.factors.count == 1 && all.blobs.count == 40)
        // The row of a health check is no content.
        try target.checkWritable()
        #expect(try source.move(to: target).accounts == 300)
        #expect(try All(target) == all)
        #expect(throws: AccountCopyError.notEmpty) { try source.move(to: target) }
        #expect(try target.move(to: back).accounts == 300)
        #expect(try All(back) == all)
        // A restored copy replaces everything, and ends the sessions.
        try source.change { writer in
            try writer.remove(AccountSamples.accountID(7))
            try writer.insert(AccountSamples.account(1_000))
        }
        let administration = AccountAdministration(repository: source)
        let restored = try back.restore(into: administration)
        #expect(restored.accounts == 300 && restored.endedSessions == 300)
        let accounts = try source.read { try $0.accounts(after: nil, limit: .max) }
        #expect(accounts == all.everything.accounts)
        #expect(try source.read { try $0.accessToken(TokenHash(of: "access 7")) } == nil)
        let ends = try administration.events(limit: 999).filter {
            $0.event.action == .sessionsEnded
        }
        #expect(ends.count == 300)
    }

    @Test("are the same in a file and in memory")
    func file() async throws {
        try await withAccountFile { source, _ in
            let memory = try AccountRepository.openOrCreate(.memory)
            defer { memory.close() }
            let back = try AccountRepository.openOrCreate(.memory)
            defer { back.close() }
            try Self.expectCopy(source, memory, back)
        }
    }

    @Test(
        "are the same on a server and back in a file",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func server() async throws {
        try await withAccountServer { server, _ in
            try await withAccountFile { source, _ in
                try withTemporaryFolder { folder in
                    let back = try AccountRepository.openOrCreate(.file(folder + "/back.db"))
                    defer { back.close() }
                    try Self.expectCopy(source, server, back)
                }
            }
        }
    }

    @Test("are none after a failure")
    func failure() async throws {
        try await withAccountFile { source, _ in
            try source.fill(3)
            let failures = WriteFailures()
            let target = try AccountRepository.openOrCreate(
                .memory, failures.options(DatabaseOptions()))
            defer { target.close() }
            failures.fail(1, with: .full)
            #expect(throws: DatabaseError.full) { try source.move(to: target) }
            #expect(try target.read { try $0.accounts(after: nil, limit: 9) } == [])
        }
    }
}
