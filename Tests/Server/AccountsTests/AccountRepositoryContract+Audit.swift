import Accounts
import Testing
import TextCoding

extension AccountRepositoryContract {
    static let auditRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("keeps events until they are taken, the oldest first") {
            subject in
            let repository = subject.repository
            let events = AuditEvent.Action.allCases.enumerated().map { number, action in
                AuditEvent(
                    id: AccountSamples.accountID(number), time: AccountSamples.time(Int64(-number)),
                    action: action, subject: AccountSamples.accountID(9 - number),
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
            #expect(try take(9) == Array(events.reversed().dropFirst(2)))
            #expect(try take(9) == [])
        }
    ]
}
