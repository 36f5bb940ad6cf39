import Accounts
import Testing
import TextCoding

extension AccountRepositoryContract {
    static let attemptRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("stores attempts in place of those of the same key") {
            subject in
            let repository = subject.repository
            let first = AccountSamples.attempts(1, failures: .max, next: .max, last: .min)
            let second = AccountSamples.attempts(2, failures: -1, next: 5, last: 9)
            let again = AccountSamples.attempts(1, failures: 3, next: 1, last: 2)
            let counts = try repository.change { writer in
                try writer.put(first)
                try writer.put(second)
                #expect(try writer.attempts(first.key) == first)
                let before = try writer.countAttempts()
                try writer.put(again)
                return [before, try writer.countAttempts()]
            }
            #expect(counts == [2, 2])
            #expect(try repository.attempts(first.key) == again)
            #expect(try repository.attempts(second.key) == second)
            #expect(try repository.attempts(AccountSamples.key(3)) == nil)
            let left = try repository.change { writer in
                try writer.removeAttempts(first.key)
                try writer.removeAttempts(first.key)
                return try writer.countAttempts()
            }
            #expect(left == 1)
            #expect(try repository.attempts(first.key) == nil)
            #expect(try repository.attempts(second.key) == second)
        },
        AccountRepositoryContract("removes the oldest attempts") { subject in
            let repository = subject.repository
            let times: [Int64] = [40, -10, 30, 0, 20]
            try repository.change { writer in
                for (number, last) in times.enumerated() {
                    try writer.put(AccountSamples.attempts(number, next: -last, last: last))
                }
                try writer.removeOldestAttempts(0)
                try writer.removeOldestAttempts(-1)
                #expect(try writer.countAttempts() == 5)
                try writer.removeOldestAttempts(3)
                #expect(try writer.countAttempts() == 2)
            }
            let found = try Everything(repository).attempts.map { $0?.last.milliseconds }
            #expect(found[..<5] == [40, nil, 30, nil, nil])
            try repository.change { try $0.removeOldestAttempts(.max) }
            #expect(try Everything(repository).attempts == Array(repeating: nil, count: 10))
        },
        AccountRepositoryContract("stores many keys, and removes them one by one or at once") {
            subject in
            let repository = subject.repository
            let limit = subject.manyKeys
            try repository.change { writer in
                for number in 0..<limit {
                    try writer.put(AccountSamples.attempts(number, last: Int64(number)))
                }
            }
            // The limiter does this for each new key when the limit is reached.
            try repository.change { writer in
                for number in limit..<limit + 10 {
                    try writer.put(AccountSamples.attempts(number, last: Int64(number)))
                    try writer.removeOldestAttempts(try writer.countAttempts() - limit)
                }
                #expect(try writer.countAttempts() == limit)
            }
            for (number, isThere) in [(9, false), (10, true), (limit + 9, true)] {
                #expect((try repository.attempts(AccountSamples.key(number)) != nil) == isThere)
            }
            let left = try repository.change { writer in
                try writer.removeOldestAttempts(limit - 1)
                return try writer.countAttempts()
            }
            #expect(left == 1)
            #expect(try repository.attempts(AccountSamples.key(limit + 9)) != nil)
        },
    ]

    static let placeRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("stores a limited number of places, the last used one first") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let other = AccountSamples.place(1, of: 2, last: 1)
            func put(_ number: Int, _ last: Int64, keeping limit: Int) throws -> [KnownPlace] {
                let id = AccountSamples.accountID(1)
                let inside = try repository.change { writer in
                    try writer.put(
                        AccountSamples.place(number, of: 1, last: last), keeping: limit)
                    return try writer.knownPlaces(of: id)
                }
                #expect(try repository.knownPlaces(of: id) == inside)
                return inside
            }
            func places(_ places: (Int, Int64)...) -> [KnownPlace] {
                places.map { AccountSamples.place($0.0, of: 1, last: $0.1) }
            }
            try repository.change { try $0.put(other, keeping: 1) }
            #expect(try put(5, 50, keeping: 3) == places((5, 50)))
            #expect(try put(6, -60, keeping: 3) == places((5, 50), (6, -60)))
            #expect(try put(7, 70, keeping: 3) == places((7, 70), (5, 50), (6, -60)))
            #expect(try put(6, 60, keeping: 3) == places((7, 70), (6, 60), (5, 50)))
            #expect(try put(8, 55, keeping: 3) == places((7, 70), (6, 60), (8, 55)))
            // The new place itself may be the oldest one.
            #expect(try put(4, 1, keeping: 3) == places((7, 70), (6, 60), (8, 55)))
            #expect(try put(4, 80, keeping: 2) == places((4, 80), (7, 70)))
            #expect(try put(4, 90, keeping: 0) == [])
            #expect(try repository.knownPlaces(of: other.account) == [other])
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
                    try writer.put(AccountSamples.attempts(number, next: 999, last: time + 100))
                    try writer.put(
                        AccountSamples.place(number, of: 1, last: time + 200), keeping: 9)
                }
            }
            func purge(_ time: Int64, _ attempts: Int64, _ places: Int64) throws -> Int {
                try repository.change { writer in
                    try writer.purge(
                        expiredBefore: AccountSamples.time(time),
                        attemptsBefore: AccountSamples.time(attempts),
                        placesBefore: AccountSamples.time(places))
                }
            }
            #expect(try purge(99, 199, 299) == 0)
            var expected = try Everything(repository)
            #expect(try purge(100, 199, 299) == 4)
            expected.sessions[1].removeAll { $0.id == AccountSamples.sessionID(1) }
            expected.invitations.removeAll { $0.expires == AccountSamples.time(99) }
            expected.access[1] = nil
            expected.refresh[1] = nil
            #expect(try Everything(repository) == expected)
            #expect(try purge(.min, 200, .min) == 1)
            expected.attempts[1] = nil
            #expect(try Everything(repository) == expected)
            #expect(try purge(.min, .min, 300) == 1)
            expected.places[1].removeAll { $0.last == AccountSamples.time(299) }
            #expect(try Everything(repository) == expected)
            #expect(try purge(.max, .max, .max) == 12)
            let left = try Everything(repository)
            #expect(left.accounts == [AccountSamples.account(1)])
            #expect(left.sessions.allSatisfy(\.isEmpty) && left.places.allSatisfy(\.isEmpty))
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
                    expiredBefore: AccountSamples.time(11), attemptsBefore: AccountSamples.time(0),
                    placesBefore: AccountSamples.time(0))
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
