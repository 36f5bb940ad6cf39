import Accounts
import Testing
import TextCoding

extension AccountRepositoryContract {
    static let attemptRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("stores attempts in place of those of the same key") {
            subject in
            let repository = subject.repository
            let first = AccountSamples.attempts(1, failures: .max, last: .min)
            let second = AccountSamples.attempts(2, failures: -1, last: .max)
            let again = AttemptRecord(
                key: first.key,
                guesses: (0..<1_000).map {
                    Guess(origin: UInt64($0), time: AccountSamples.time(2))
                },
                expires: AccountSamples.time(7))
            let counts = try repository.change { writer in
                try writer.put(first)
                try writer.put(second)
                #expect(try writer.attempts(first.key) == first)
                let before = try writer.countAttempts()
                try writer.put(again)
                return [before, try writer.countAttempts()]
            }
            #expect(counts == [2, 2])
            #expect(try repository.read { try $0.attempts(first.key) } == again)
            #expect(try repository.read { try $0.attempts(second.key) } == second)
            #expect(try repository.read { try $0.attempts(AccountSamples.key(3)) } == nil)
            let left = try repository.change { writer in
                try writer.removeAttempts(first.key)
                try writer.removeAttempts(first.key)
                return try writer.countAttempts()
            }
            #expect(left == 1)
            #expect(try repository.read { try $0.attempts(first.key) } == nil)
            #expect(try repository.read { try $0.attempts(second.key) } == second)
        },
        AccountRepositoryContract("removes expired attempts, and no others") { subject in
            let repository = subject.repository
            let times: [Int64] = [40, -10, 30, 0, 20]
            try repository.change { writer in
                for (number, last) in times.enumerated() {
                    try writer.put(AccountSamples.attempts(number, last: last))
                }
                try writer.removeAttempts(expiredAt: AccountSamples.time(-11))
                #expect(try writer.countAttempts() == 5)
                try writer.removeAttempts(expiredAt: AccountSamples.time(20))
                #expect(try writer.countAttempts() == 2)
            }
            let found = try Everything(repository).attempts.map { $0?.expires.milliseconds }
            #expect(found[..<5] == [40, nil, 30, nil, nil])
        },
        AccountRepositoryContract("stores many keys, and removes them at once") { subject in
            let repository = subject.repository
            let limit = subject.manyKeys
            let left = try repository.change { writer in
                for number in 0..<limit {
                    try writer.put(AccountSamples.attempts(number, last: Int64(number)))
                }
                #expect(try writer.countAttempts() == limit)
                try writer.removeAttempts(expiredAt: AccountSamples.time(Int64(limit) - 2))
                return try writer.countAttempts()
            }
            #expect(left == 1)
            #expect(try repository.read { try $0.attempts(AccountSamples.key(limit - 1)) } != nil)
        },
    ]

    static let deviceRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("stores a limited number of devices, the last used one first") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let id = AccountSamples.accountID(1)
            let other = AccountSamples.device(1, of: 2, last: 1)
            let unconfirmed = AccountSamples.device(2, of: 1, last: -99, isConfirmed: false)
            func put(_ number: Int, _ last: Int64, keeping limit: Int) throws -> [KnownDevice] {
                let inside = try repository.change { writer in
                    try writer.put(
                        AccountSamples.device(number, of: 1, last: last), keeping: limit)
                    return try writer.knownDevices(of: id)
                }
                #expect(try repository.read { try $0.knownDevices(of: id) } == inside)
                return inside
            }
            func devices(_ devices: (Int, Int64)...) -> [KnownDevice] {
                devices.map { AccountSamples.device($0.0, of: 1, last: $0.1) } + [unconfirmed]
            }
            try repository.change { writer in
                try writer.put(other, keeping: 1)
                try writer.put(unconfirmed, keeping: 1)
            }
            #expect(try put(5, 50, keeping: 3) == devices((5, 50)))
            #expect(try put(6, -60, keeping: 3) == devices((5, 50), (6, -60)))
            #expect(try put(7, 70, keeping: 3) == devices((7, 70), (5, 50), (6, -60)))
            #expect(try put(6, 60, keeping: 3) == devices((7, 70), (6, 60), (5, 50)))
            #expect(try put(8, 55, keeping: 3) == devices((7, 70), (6, 60), (8, 55)))
            #expect(try put(4, 80, keeping: 2) == devices((4, 80), (7, 70)))
            #expect(
                try repository.read { try $0.knownDevice(TokenHash(of: "device 4")) }
                    == AccountSamples.device(4, of: 1, last: 80))
            #expect(try repository.read { try $0.knownDevice(TokenHash(of: "device 8")) } == nil)
            #expect(try put(4, 90, keeping: 0) == [unconfirmed])
            let confirmed = AccountSamples.device(2, of: 1, last: 1)
            try repository.change { try $0.put(confirmed, keeping: 3) }
            #expect(try repository.read { try $0.knownDevices(of: id) } == [confirmed])
            #expect(try repository.read { try $0.knownDevices(of: other.account) } == [other])
            try repository.change { writer in
                try writer.removeKnownDevice(other.hash)
                try writer.removeKnownDevice(other.hash)
            }
            #expect(try repository.read { try $0.knownDevices(of: other.account) }.isEmpty)
            #expect(try repository.read { try $0.knownDevices(of: id) } == [confirmed])
            try repository.change { try $0.removeKnownDevices(of: id) }
            #expect(try repository.read { try $0.knownDevices(of: id) }.isEmpty)
        }
    ]

    static let purgeRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("purges old rows, and returns their number") { subject in
            let repository = subject.repository
            // Of each kind: before the limit, at the limit, after the limit.
            try repository.change { writer in
                try writer.insert(AccountSamples.account(1))
                let times: [(Int, Int64)] = [(1, 99), (2, 100), (3, 101)]
                for (number, time) in times {
                    try writer.insert(AccountSamples.session(number, of: 1, expires: time))
                }
                for (number, time) in times {
                    try writer.put(
                        AccountSamples.invitation(number, "p\(number)@x.example", expires: time))
                    // Tokens of the session that is never purged.
                    try writer.insert(AccountSamples.access(number, of: 3, expires: time))
                    try writer.insert(AccountSamples.refresh(number, of: 3, expires: time))
                    try writer.put(AccountSamples.attempts(number, last: time))
                    try writer.put(
                        AccountSamples.device(number, of: 1, last: time + 200), keeping: 9)
                }
            }
            func purge(_ time: Int64, _ devices: Int64) throws -> Int {
                try repository.change { writer in
                    try writer.purge(
                        expiredBefore: AccountSamples.time(time),
                        devicesBefore: AccountSamples.time(devices))
                }
            }
            #expect(try purge(99, 299) == 0)
            var expected = try Everything(repository)
            #expect(try purge(100, 299) == 5)
            expected.sessions[1].removeAll { $0.id == AccountSamples.sessionID(1) }
            expected.invitations.removeAll { $0.expires == AccountSamples.time(99) }
            expected.access[1] = nil
            expected.refresh[1] = nil
            expected.attempts[1] = nil
            #expect(try Everything(repository) == expected)
            #expect(try purge(.min, 300) == 1)
            expected.devices[1].removeAll { $0.last == AccountSamples.time(299) }
            #expect(try Everything(repository) == expected)
            #expect(try purge(.max, .max) == 12)
            let left = try Everything(repository)
            #expect(left.accounts == [AccountSamples.account(1)])
            #expect(left.sessions.allSatisfy(\.isEmpty) && left.devices.allSatisfy(\.isEmpty))
            #expect(left.invitations == [] && left.attempts.allSatisfy { $0 == nil })
        },
        AccountRepositoryContract("purges tokens with their session, and does not count them") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            try repository.change { writer in
                try writer.insert(AccountSamples.session(3, of: 1, expires: 10))
                try writer.insert(AccountSamples.access(3, of: 3, expires: .max))
                try writer.insert(AccountSamples.refresh(3, of: 3, expires: .max))
            }
            var expected = try Everything(repository)
            let purged = try repository.change { writer in
                try writer.purge(
                    expiredBefore: AccountSamples.time(11), devicesBefore: AccountSamples.time(0))
            }
            #expect(purged == 1)
            expected.sessions[1].removeAll { $0.id == AccountSamples.sessionID(3) }
            expected.access[3] = nil
            expected.refresh[3] = nil
            #expect(try Everything(repository) == expected)
            // No invisible row is left.
            try repository.change { writer in
                try writer.insert(AccountSamples.session(3, of: 1))
                try writer.insert(AccountSamples.access(3, of: 3))
                try writer.insert(AccountSamples.refresh(3, of: 3))
            }
        },
    ]
}
