import Accounts
import Testing
import TextCoding

/// Bounds on the rows of an account and of a session.
extension AccountRepositoryContract {
    static let boundRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("keeps the newest devices, and those of sessions") { subject in
            let repository = subject.repository
            func devices(_ account: Int) throws -> [SessionID] {
                try repository.read { try $0.devices(of: AccountSamples.accountID(account)) }.map(
                    \.session)
            }
            try repository.change { writer in
                for account in 1...2 { try writer.insert(AccountSamples.account(account)) }
                try writer.insert(AccountSamples.session(1, of: 1))
                for number in 1...9 {
                    try writer.insert(
                        SessionDevice(
                            session: AccountSamples.sessionID(number),
                            account: AccountSamples.accountID(number == 9 ? 2 : 1),
                            first: AccountSamples.sessionID(1), name: "laptop",
                            network: "192.0.2.1",
                            device: number == 8 ? TokenHash(of: "device 8") : nil,
                            expires: AccountSamples.time(Int64(number))),
                        keeping: 3)
                }
            }
            #expect(Set(try devices(1)) == Set([1, 6, 7, 8].map(AccountSamples.sessionID)))
            #expect(try devices(2) == [AccountSamples.sessionID(9)])
            let found = try repository.read { try $0.device(of: AccountSamples.sessionID(8)) }
            #expect(found?.first == AccountSamples.sessionID(1))
            #expect(found?.name == "laptop" && found?.network == "192.0.2.1")
            #expect(found?.device == TokenHash(of: "device 8"))
            let other = try repository.read { try $0.device(of: AccountSamples.sessionID(7)) }
            #expect(other != nil && other?.device == nil)
            try repository.change { writer in
                try writer.removeDevice(of: AccountSamples.sessionID(8))
                try writer.remove(AccountSamples.accountID(2))
            }
            #expect(try repository.read { try $0.device(of: AccountSamples.sessionID(8)) } == nil)
            #expect(try devices(2).isEmpty)
        },
        AccountRepositoryContract("keeps the last refreshed sessions of an account") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let used: [Int64] = [50, -70, 90, 60, 80]
            try repository.change { writer in
                for (number, time) in used.enumerated() {
                    try writer.insert(
                        AccountSamples.session(3 + number, of: 1, created: 1, refreshed: time))
                    try writer.insert(AccountSamples.access(3 + number, of: 3 + number))
                    try writer.insert(AccountSamples.refresh(3 + number, of: 3 + number))
                }
                try writer.setRefreshed(AccountSamples.sessionID(1), at: AccountSamples.time(55))
            }
            func left(keeping limit: Int) throws -> [Int64] {
                let account = AccountSamples.accountID(1)
                let inside = try repository.change { writer in
                    try writer.endSessions(of: account, keeping: limit)
                    return try writer.sessions(of: account)
                }
                #expect(try repository.read { try $0.sessions(of: account) } == inside)
                return inside.map(\.refreshed.milliseconds).sorted()
            }
            #expect(try left(keeping: 9) == [-70, 50, 55, 60, 80, 90])
            #expect(try left(keeping: 6) == [-70, 50, 55, 60, 80, 90])
            #expect(try left(keeping: 5) == [50, 55, 60, 80, 90])
            #expect(try left(keeping: 2) == [80, 90])
            let everything = try Everything(repository)
            #expect(everything.access.indices.filter { everything.access[$0] != nil } == [2, 5, 7])
            #expect(
                everything.refresh.indices.filter { everything.refresh[$0] != nil } == [2, 5, 7])
            #expect(try left(keeping: 0) == [])
            #expect(try left(keeping: -1) == [])
            #expect(
                try repository.read { try $0.sessions(of: AccountSamples.accountID(2)) }.count == 1)
        },
        AccountRepositoryContract("keeps the last issued access tokens of a session") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let issued: [Int64] = [5_000, 1_000, 6_000, 6_000, 4_000]
            try repository.change { writer in
                for (number, time) in issued.enumerated() {
                    try writer.insert(
                        AccountSamples.access(3 + number, of: 1, issued: time, expires: .min))
                }
            }
            func left(keeping limit: Int) throws -> [Int64] {
                try repository.change { writer in
                    try writer.removeAccessTokens(of: AccountSamples.sessionID(1), keeping: limit)
                }
                return try Everything(repository).access.compactMap { found in
                    found?.token.session == AccountSamples.sessionID(1)
                        ? found?.token.issued.milliseconds : nil
                }.sorted()
            }
            #expect(try left(keeping: 6) == [1_000, 3_000, 4_000, 5_000, 6_000, 6_000])
            #expect(try left(keeping: 5) == [3_000, 4_000, 5_000, 6_000, 6_000])
            #expect(try left(keeping: 3) == [5_000, 6_000, 6_000])
            #expect(try left(keeping: 1) == [6_000])
            let greater = [5, 6].map { TokenHash(of: "access \($0)") }
                .max { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            #expect(try repository.read { try $0.accessToken(#require(greater)) } != nil)
            #expect(try left(keeping: -1) == [])
            #expect(try repository.read { try $0.accessToken(TokenHash(of: "access 2")) } != nil)
        },
        AccountRepositoryContract("keeps the last replaced tokens of a session") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let replaced: [Int64] = [50, -10, 60, 60, 40]
            try repository.change { writer in
                for (number, time) in replaced.enumerated() {
                    try writer.insert(
                        AccountSamples.refresh(3 + number, of: 1, expires: .min, replaced: time))
                }
            }
            /// The returned token's time, and the times that are left.
            func left(keeping limit: Int) throws -> [Int64?] {
                let last = try repository.change { writer in
                    try writer.removeReplacedTokens(
                        of: AccountSamples.sessionID(1), keeping: limit)
                }
                let left = try Everything(repository).refresh.compactMap {
                    $0?.replaced?.milliseconds
                }
                return [last?.replaced?.milliseconds] + left.sorted()
            }
            #expect(try left(keeping: 5) == [nil, -10, 40, 50, 60, 60])
            #expect(try left(keeping: 4) == [-10, 40, 50, 60, 60])
            #expect(try left(keeping: 2) == [50, 60, 60])
            #expect(try left(keeping: 1) == [60, 60])
            #expect(try left(keeping: 1) == [nil, 60])
            let hashes = [5, 6].map { TokenHash(of: "refresh \($0)") }
            let greater = hashes.max { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            #expect(try repository.read { try $0.refreshToken(#require(greater)) } != nil)
            #expect(try left(keeping: -1) == [60])
            // Current tokens and those of another session stay.
            for number in 1...2 {
                #expect(
                    try repository.read { try $0.refreshToken(TokenHash(of: "refresh \(number)")) }
                        == AccountSamples.refresh(number, of: number))
            }
            let none = try repository.change { writer in
                try writer.removeReplacedTokens(of: AccountSamples.sessionID(9), keeping: 0)
            }
            #expect(none == nil)
        },
    ]
}
