import Accounts
import Database
import Testing
import TestSupport

/// An error of the caller.
private struct Interruption: Error, Equatable {}

extension AccountRepositoryContract {
    static let transactionRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("rolls everything back if the caller's function throws") {
            subject in
            let repository = subject.repository
            try repository.fill(3)
            try repository.change { writer in
                try writer.put(AccountSamples.invitation(1, "new@x.example"))
                try writer.put(AccountSamples.attempts(1, last: 5))
                try writer.put(AccountSamples.device(1, of: 1, last: 5), keeping: 9)
            }
            let before = try Everything(repository)
            #expect(throws: Interruption()) {
                try repository.change { writer in
                    var account = AccountSamples.account(1)
                    account.isDisabled = true
                    account.password = AccountSamples.password(passes: 1)
                    try writer.update(account)
                    try writer.insert(AccountSamples.account(4))
                    try writer.insert(AccountSamples.session(4, of: 4))
                    try writer.insert(AccountSamples.access(4, of: 4))
                    try writer.insert(AccountSamples.refresh(4, of: 4))
                    try writer.setRefreshed(AccountSamples.sessionID(1), at: AccountSamples.time(1))
                    try writer.setReplaced(TokenHash(of: "refresh 1"), at: AccountSamples.time(1))
                    try writer.removeAccessToken(TokenHash(of: "access 1"))
                    try writer.end(AccountSamples.sessionID(2))
                    try writer.remove(AccountSamples.accountID(3))
                    try writer.put(AccountSamples.invitation(2, "new@x.example"))
                    #expect(try writer.removeInvitation(TokenHash(of: "invitation 2")))
                    try writer.put(AccountSamples.attempts(1, failures: 9, last: 6))
                    try writer.put(AccountSamples.attempts(2, last: 6))
                    try writer.removeAttempts(expiredAt: AccountSamples.time(6))
                    try writer.put(AccountSamples.device(2, of: 1, last: 6), keeping: 1)
                    try writer.purge(
                        expiredBefore: AccountSamples.time(.max),
                        devicesBefore: AccountSamples.time(.max))
                    #expect(try Everything(writer) != before)
                    throw Interruption()
                }
            }
            #expect(try Everything(repository) == before)
            #expect(
                try repository.change {
                    try $0.currentRefreshToken(of: AccountSamples.sessionID(1))
                } == AccountSamples.refresh(1, of: 1))
        },
        AccountRepositoryContract("refuses a writer after its transaction") { subject in
            let repository = subject.repository
            let kept = try repository.change { $0 }
            let closed = DatabaseError.closed
            #expect(throws: closed) { try kept.insert(AccountSamples.account(1)) }
            #expect(throws: closed) { _ = try kept.account(AccountSamples.accountID(1)) }
            // Also inside another transaction.
            try repository.change { writer in
                #expect(throws: closed) { try kept.insert(AccountSamples.account(1)) }
                #expect(throws: closed) { _ = try kept.countAttempts() }
                try writer.insert(AccountSamples.account(2))
            }
            #expect(try Everything(repository).accounts == [AccountSamples.account(2)])
        },
        AccountRepositoryContract("shows commits to other connections") { subject in
            let repository = subject.repository
            try repository.fill(2)
            let other = try subject.openAgain()
            #expect(try Everything(other) == Everything(repository))
            try other.change { try $0.end(AccountSamples.sessionID(1)) }
            #expect(try repository.read { try $0.accessToken(TokenHash(of: "access 1")) } == nil)
            try repository.change { try $0.remove(AccountSamples.accountID(2)) }
            #expect(try other.read { try $0.accessToken(TokenHash(of: "access 2")) } == nil)
            #expect(try other.read { try $0.account(AccountSamples.accountID(2)) } == nil)
            subject.close(other)
        },
        AccountRepositoryContract("refuses every call after it was closed") { subject in
            let repository = subject.repository
            try repository.fill(1)
            #expect(try repository.read { try $0.account(AccountSamples.accountID(1)) } != nil)
            repository.close()
            repository.close()
            let id = AccountSamples.accountID(1)
            let hash = TokenHash(of: "access 1")
            let calls: [() throws -> Void] = [
                { try repository.check() }, { try repository.change { _ in } },
                { _ = try repository.read { try $0.account(id) } },
                { _ = try repository.read { try $0.account(AccountSamples.email("a@x.example")) } },
                { _ = try repository.read { try $0.accounts(after: nil, limit: 1) } },
                { _ = try repository.read { try $0.accessToken(hash) } },
                { _ = try repository.read { try $0.refreshToken(hash) } },
                { _ = try repository.read { try $0.session(AccountSamples.sessionID(1)) } },
                { _ = try repository.read { try $0.sessions(of: id) } },
                { _ = try repository.read { try $0.invitation(hash) } },
                { _ = try repository.read { try $0.invitations() } },
                { _ = try repository.read { try $0.attempts(AccountSamples.key(1)) } },
                { _ = try repository.read { try $0.knownDevice(hash) } },
                { _ = try repository.read { try $0.knownDevices(of: id) } },
            ]
            for call in calls { #expect(databaseError(call) == .closed) }
        },
    ]

    static let errorRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("allows a retry only after errors that changed nothing and pass")
        {
            subject in
            let passing: [DatabaseError] = [
                .busy, .unreachable(reason: ""), .full, .readOnly, .outOfMemory,
            ]
            let others: [any Error] = [
                DatabaseError.outcomeUnknown, DatabaseError.damaged(reason: ""),
                DatabaseError.closed, DatabaseError.notFound, AccountError.missing,
                AccountError.alreadyExists, Interruption(),
            ]
            for error in passing { #expect(subject.repository.canRetry(after: error)) }
            for error in others { #expect(!subject.repository.canRetry(after: error)) }
        }
    ]

    static let concurrencyRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("loses no change of concurrent threads and connections") {
            subject in
            let other = try subject.openAgain()
            let rounds = 25
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 1...4 {
                    let repository = thread % 2 == 0 ? subject.repository : other
                    group.addTask { @concurrent in
                        for round in 0..<rounds {
                            try countUp(repository, adding: thread * 1_000 + round)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let key = AccountSamples.key(0)
            #expect(
                try subject.repository.read { try $0.attempts(key) }?.failures == Int64(4 * rounds))
            #expect(
                try subject.repository.read { try $0.accounts(after: nil, limit: .max) }.count == 4
                    * rounds)
            subject.close(other)
        },
        AccountRepositoryContract("shows all changes of a transaction to readers, or none") {
            subject in
            let other = try subject.openAgain()
            let rounds = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { @concurrent in
                    for round in 0..<rounds {
                        try subject.repository.change { writer in
                            try writer.insert(AccountSamples.account(2 * round))
                            try writer.insert(AccountSamples.account(2 * round + 1))
                        }
                    }
                }
                for repository in [subject.repository, other] {
                    group.addTask { @concurrent in
                        var last = 0
                        while last < 2 * rounds {
                            let count = try repository.read {
                                try $0.accounts(after: nil, limit: .max)
                            }.count
                            #expect(count.isMultiple(of: 2) && count >= last)
                            last = count
                            await Task.yield()
                        }
                    }
                }
                try await group.waitForAll()
            }
            subject.close(other)
        },
    ]

    /// One transaction that reads a count, adds one to it, and adds an account.
    private static func countUp(_ repository: AccountRepository, adding number: Int) throws {
        try repository.change { writer in
            let count = try writer.attempts(AccountSamples.key(0))?.failures ?? 0
            try writer.insert(AccountSamples.account(number))
            try writer.put(AccountSamples.attempts(0, failures: count + 1, last: count))
        }
    }
}
