import Accounts
import Testing

extension AccountRepositoryContract {
    static let sessionRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("lists sessions unchanged, the oldest first") {
            subject in
            let repository = subject.repository
            let sessions = [
                AccountSamples.session(1, of: 1, client: "", created: 30, refreshed: 40),
                AccountSamples.session(
                    2, of: 1, client: "a\nclient 🙂", created: -10, expires: .min),
                AccountSamples.session(3, of: 1, created: 20, expires: .max),
                AccountSamples.session(4, of: 2, created: 1),
            ]
            try repository.change { writer in
                try writer.insert(AccountSamples.account(1))
                try writer.insert(AccountSamples.account(2))
                for session in sessions {
                    try writer.insert(session)
                    #expect(try writer.session(session.id) == session)
                }
            }
            let expected = [sessions[1], sessions[2], sessions[0]]
            let id = AccountSamples.accountID(1)
            #expect(try repository.read { try $0.sessions(of: id) } == expected)
            #expect(try repository.change { try $0.sessions(of: id) } == expected)
            for session in sessions {
                #expect(try repository.read({ try $0.session(session.id) }) == session)
            }
            #expect(try repository.read { try $0.session(AccountSamples.sessionID(9)) } == nil)
            #expect(try repository.read { try $0.sessions(of: AccountSamples.accountID(3)) } == [])
        },
        AccountRepositoryContract("refuses a session without an account, and one whose id is taken")
        {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let before = try Everything(repository)
            try repository.change { writer in
                #expect(throws: AccountError.missing) {
                    try writer.insert(AccountSamples.session(3, of: 3))
                }
                #expect(throws: AccountError.alreadyExists) {
                    try writer.insert(AccountSamples.session(1, of: 2))
                }
            }
            #expect(try Everything(repository) == before)
        },
        AccountRepositoryContract("records when tokens of a session were last issued") { subject in
            let repository = subject.repository
            try repository.fill(2)
            try repository.change { writer in
                try writer.setRefreshed(AccountSamples.sessionID(1), at: AccountSamples.time(7_000))
                #expect(throws: AccountError.missing) {
                    try writer.setRefreshed(AccountSamples.sessionID(9), at: AccountSamples.time(1))
                }
            }
            var expected = AccountSamples.session(1, of: 1)
            expected.refreshed = AccountSamples.time(7_000)
            #expect(try repository.read { try $0.session(expected.id) } == expected)
            #expect(
                try repository.read { try $0.session(AccountSamples.sessionID(2)) }
                    == AccountSamples.session(2, of: 2))
        },
        AccountRepositoryContract("ends a session with its tokens, and no other session") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            try repository.change { writer in
                try writer.insert(AccountSamples.session(3, of: 1))
                try writer.insert(AccountSamples.access(3, of: 3))
                try writer.insert(AccountSamples.access(4, of: 1))
                try writer.insert(AccountSamples.refresh(4, of: 1, after: 1, replaced: 9))
            }
            var expected = try Everything(repository)
            try repository.change { writer in
                try writer.end(AccountSamples.sessionID(1))
                try writer.end(AccountSamples.sessionID(1))
                try writer.end(AccountSamples.sessionID(9))
            }
            expected.sessions[1] = [AccountSamples.session(3, of: 1)]
            for number in [1, 4] {
                expected.access[number] = nil
                expected.refresh[number] = nil
            }
            #expect(try Everything(repository) == expected)
            // No invisible row is left.
            try repository.change { writer in
                try writer.insert(AccountSamples.session(1, of: 1))
                try writer.insert(AccountSamples.access(1, of: 1))
                try writer.insert(AccountSamples.refresh(1, of: 1))
                #expect(try writer.accessToken(TokenHash(of: "access 4")) == nil)
                #expect(try writer.refreshToken(TokenHash(of: "refresh 4")) == nil)
            }
        },
        AccountRepositoryContract("ends all sessions of an account, and returns their number") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            try repository.change { writer in
                try writer.insert(AccountSamples.session(3, of: 1))
                try writer.insert(AccountSamples.access(3, of: 3))
            }
            var expected = try Everything(repository)
            let ended = try repository.change { writer in
                [
                    try writer.endSessions(of: AccountSamples.accountID(1)),
                    try writer.endSessions(of: AccountSamples.accountID(1)),
                    try writer.endSessions(of: AccountSamples.accountID(9)),
                ]
            }
            #expect(ended == [2, 0, 0])
            expected.sessions[1] = []
            expected.access[1] = nil
            expected.access[3] = nil
            expected.refresh[1] = nil
            #expect(try Everything(repository) == expected)
            // No invisible row is left.
            try repository.change { writer in
                try writer.insert(AccountSamples.session(1, of: 1))
                try writer.insert(AccountSamples.access(1, of: 1))
                try writer.insert(AccountSamples.access(3, of: 1))
                try writer.insert(AccountSamples.refresh(1, of: 1))
            }
        },
    ]

    static let tokenRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("finds an access token with its current session and account") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let token = AccountSamples.access(7, of: 1, expires: .min)
            var account = AccountSamples.account(1)
            var session = AccountSamples.session(1, of: 1)
            try repository.change { try $0.insert(token) }
            #expect(
                try repository.read { try $0.accessToken(token.hash) }
                    == AccessTokenDetails(token: token, session: session, account: account.profile))
            account.isDisabled = true
            account.password = AccountSamples.password("C")
            session.refreshed = AccountSamples.time(8)
            let changed = AccessTokenDetails(
                token: token, session: session, account: account.profile)
            try repository.change { writer in
                try writer.update(account)
                try writer.setRefreshed(session.id, at: session.refreshed)
                #expect(try writer.accessToken(token.hash) == changed)
            }
            #expect(try repository.read { try $0.accessToken(token.hash) } == changed)
            #expect(try repository.read { try $0.accessToken(TokenHash(of: "refresh 1")) } == nil)
        },
        AccountRepositoryContract("removes one access token") { subject in
            let repository = subject.repository
            try repository.fill(2)
            var expected = try Everything(repository)
            try repository.change { writer in
                try writer.removeAccessToken(TokenHash(of: "access 1"))
                try writer.removeAccessToken(TokenHash(of: "access 1"))
                try writer.removeAccessToken(TokenHash(of: "refresh 2"))
            }
            expected.access[1] = nil
            #expect(try Everything(repository) == expected)
        },
        AccountRepositoryContract("refuses a token without a session, and one whose hash is taken")
        { subject in
            let repository = subject.repository
            try repository.fill(2)
            let before = try Everything(repository)
            try repository.change { writer in
                #expect(throws: AccountError.missing) {
                    try writer.insert(AccountSamples.access(9, of: 9))
                }
                #expect(throws: AccountError.alreadyExists) {
                    try writer.insert(AccountSamples.access(1, of: 2))
                }
                #expect(throws: AccountError.missing) {
                    try writer.insert(AccountSamples.refresh(9, of: 9))
                }
                #expect(throws: AccountError.alreadyExists) {
                    try writer.insert(AccountSamples.refresh(1, of: 2))
                }
                #expect(throws: AccountError.missing) {
                    try writer.setReplaced(
                        TokenHash(of: "refresh 9"), at: AccountSamples.time(1))
                }
            }
            #expect(try Everything(repository) == before)
        },
        AccountRepositoryContract("keeps replaced refresh tokens, and finds the current one") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let session = AccountSamples.sessionID(1)
            let old = AccountSamples.refresh(1, of: 1, replaced: -3)
            let new = AccountSamples.refresh(4, of: 1, after: 1, expires: .max)
            try repository.change { writer in
                #expect(try writer.currentRefreshToken(of: session)?.hash == old.hash)
                try writer.setReplaced(old.hash, at: AccountSamples.time(-3))
                #expect(try writer.currentRefreshToken(of: session) == nil)
                try writer.insert(new)
                #expect(try writer.currentRefreshToken(of: session) == new)
                #expect(try writer.refreshToken(old.hash) == old)
                #expect(try writer.currentRefreshToken(of: AccountSamples.sessionID(9)) == nil)
            }
            #expect(try repository.read { try $0.refreshToken(old.hash) } == old)
            #expect(try repository.read { try $0.refreshToken(new.hash) } == new)
            #expect(
                try repository.read { try $0.refreshToken(TokenHash(of: "refresh 2")) }
                    == AccountSamples.refresh(2, of: 2))
            #expect(try repository.read { try $0.refreshToken(TokenHash(of: "access 1")) } == nil)
        },
    ]
}
