import Accounts
import Testing
import TextCoding

extension AccountRepositoryContract {
    static let auditRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("gives each event once for the log, the oldest first") {
            subject in
            let repository = subject.repository
            let events = AuditEvent.Action.allCases.enumerated().map { number, action in
                AuditEvent(
                    id: AccountSamples.accountID(number), time: AccountSamples.time(Int64(-number)),
                    action: action, subject: AccountSamples.accountID(99 - number),
                    actor: "uid \(number)")
            }
            try repository.change { writer in
                for event in events { try writer.insert(event) }
            }
            struct Interruption: Error {}
            #expect(throws: Interruption.self) {
                try repository.change { writer in
                    _ = try writer.takeAuditEvents(limit: 9)
                    throw Interruption()
                }
            }
            func take(_ limit: Int) throws -> [AuditEvent] {
                try repository.change { try $0.takeAuditEvents(limit: limit) }
            }
            #expect(try take(0) == [])
            #expect(try take(2) == Array(events.reversed().prefix(2)))
            #expect(try take(99) == Array(events.reversed().dropFirst(2)))
            #expect(try take(9) == [])
        },
        AccountRepositoryContract("keeps events for 90 days, and lists them by account") {
            subject in
            let repository = subject.repository
            let day = Int64(86_400_000)
            let events = (0..<6).map { number in
                AuditEvent(
                    id: AccountSamples.accountID(number),
                    time: AccountSamples.time(Int64(number) * day), action: .deviceAdded,
                    subject: AccountSamples.accountID(number % 2), actor: "owner",
                    network: "192.0.2.0/24", device: "laptop \(number)")
            }
            try repository.change { writer in
                for event in events { try writer.insert(event, logged: event != events[1]) }
            }
            func list(_ subject: Int?, _ limit: Int = 9) throws -> [AuditEvent] {
                try repository.read {
                    try $0.auditEvents(of: subject.map(AccountSamples.accountID), limit: limit)
                }
            }
            #expect(try list(nil) == events.reversed())
            #expect(try list(1) == [events[5], events[3], events[1]])
            #expect(try list(1, 2) == [events[5], events[3]])
            let administration = AccountAdministration(repository: repository)
            try administration.purge(at: AccountSamples.time(93 * day))
            // One that no server has logged stays.
            #expect(try list(nil) == [events[5], events[4], events[3], events[1]])
        },
    ]
}
