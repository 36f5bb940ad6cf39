@testable import Accounts
import SecretMemory
import Testing
import TestSupport
import TextCoding

@Suite("Limits of guesses")
struct GuessLimitsTests {
    @Test("are robust against impossible times")
    func extremes() {
        let limits = GuessLimits()
        let times = [Int64.min, -1, 0, 1_800_000_000_000, .max].map(PointInTime.init(milliseconds:))
        let now = PointInTime(seconds: 1_800_000_000)
        for time in times {
            let guesses = times.flatMap { other in
                [time, other].map { Guess(origin: 1, time: $0) }
            }
            let recent = limits.recent(guesses, at: now)
            #expect(limits.wait(of: 1, recent, at: now) <= .minutes(30))
            for level in 0..<3 {
                let arrival = limits.arrival(afterAttempt: time, level: level, at: now)
                #expect(arrival <= now.advanced(by: .minutes(2)) && arrival > now)
                #expect(limits.nextAttempt(time, level: level, at: now) <= arrival)
            }
        }
    }

    @Test("leave more room to a network the less it guessed")
    func shares() {
        let limits = GuessLimits()
        let now = AccountFixture.start
        // The number of guesses of others at which a network with 0 to 5 own ones waits.
        let rooms = (0..<6).map { own in
            (0..<30).first { others in
                let guesses =
                    Array(repeating: Guess(origin: 1, time: now), count: own)
                    + Array(repeating: Guess(origin: 2, time: now), count: others)
                return limits.wait(of: 1, guesses, at: now) > .zero
            }
        }
        #expect(rooms == [20, 16, 12, 8, 4, 0])
        var large = GuessLimits()
        large.freeFailures = 1_000
        let own = Array(repeating: Guess(origin: 1, time: now), count: 999)
        #expect(large.wait(of: 1, own, at: now) == .zero, "a network alone has all of its guesses")
    }

    @Test("keep some attempts to release, and let the oldest ones beyond them count")
    func unsettled() {
        let unsettled = UnsettledAttempts()
        let key = AccountFixture.sampleKey
        let attempts = (0..<260).map { number in
            WrongPasswordLimiter.Reservation(
                key: key, guess: Guess(origin: UInt64(number), time: AccountFixture.start))
        }
        unsettled.keep(attempts)
        #expect(unsettled.take().map(\.guess.origin) == Array(4..<260))
        #expect(unsettled.isEmpty)
    }
}

@Suite("Attempts of networks")
struct NetworkLimiterTests {
    private let now = AccountFixture.start

    @Test(
        "are as many in a period as configured, for any number", arguments: 1...70
    )
    func networks(attempts: Int64) {
        var limits = GuessLimits()
        limits.networkAttempts = attempts
        let limiter = NetworkLimiter(limits: limits)
        func count(at time: PointInTime) -> Int64 {
            var count: Int64 = 0
            while count <= attempts, limiter.attempt(["a"], at: time) == .zero { count += 1 }
            return count
        }
        #expect(count(at: now) == attempts)
        #expect(count(at: now.advanced(by: .minutes(3))) == attempts)
        let later = now.advanced(by: .days(1))
        for _ in 0..<attempts { #expect(limiter.attempt(["a"], at: later) == .zero) }
        for _ in 0..<attempts { limiter.release(["a"], at: later) }
        #expect(count(at: later) == attempts, "the released ones do not count")
    }

    @Test("are limited for wider networks, too: 4 times in a /56, 16 times in a /48")
    func widerNetworks() {
        let limiter = NetworkLimiter(limits: GuessLimits())
        func count(_ networks: (Int) -> [String]) -> Int {
            (0..<1_000).count { limiter.attempt(networks($0), at: now) == .zero }
        }
        #expect(count { ["\($0)/64", "a/56", "b/48"] } == 60)
        #expect(count { ["\($0)/64", "\($0)/56", "c/48"] } == 240)
        // A network that goes on does not use up the wider ones.
        #expect(count { _ in ["d/64", "e/56", "f/48"] } == 15)
        #expect(count { ["g\($0)/64", "e/56", "f/48"] } == 45)
    }

    @Test("that run are not forgotten, however many others come", arguments: [1_000, 100_000])
    func flood(count: Int) {
        var limits = GuessLimits()
        limits.maximumKeys = 1_000
        let limiter = NetworkLimiter(limits: limits)
        for _ in 0..<30 { _ = limiter.attempt(["attacker"], at: now) }
        for number in 0..<count { _ = limiter.attempt(["\(number)"], at: now) }
        let later = now.advanced(by: .seconds(50))
        #expect(limiter.attempt(["attacker"], at: later) > .zero)
        #expect(limiter.count <= 1_000 + 4_096)
        // After the flood, others have counters of their own again.
        #expect(limiter.attempt(["new"], at: now.advanced(by: .minutes(5))) == .zero)
        #expect(limiter.count == 1)
    }
}

@Suite("Keys of attempts")
struct AttemptKeyTests {
    @Test("of different kinds, parts and secrets are different")
    func different() throws {
        let name = try AccountFixture.name()
        let key = try AccountFixture.pseudonyms()
        let other = try #require(PseudonymKey(try SecretBytes(count: 32)))
        let account = AccountID()
        let hash = TokenHash(of: name.text)
        let keys = [
            key.key(of: name), key.key(of: hash), key.key(of: account), other.key(of: name),
            other.key(of: hash), other.key(of: account), key.sharedKey(of: key.key(of: name)),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(try key.key(of: name) == AccountFixture.pseudonyms().key(of: name))
        #expect(key.origin("192.0.2.1") != key.origin("192.0.2.2"))
        #expect(key.origin("192.0.2.1") != other.origin("192.0.2.1"))
        #expect(PseudonymKey(try SecretBytes(count: 31)) == nil)
    }
}

extension AccountFixture {
    fileprivate static var sampleKey: AttemptKey {
        guard let key = AttemptKey(bytes: TokenHash(of: "").bytes) else {
            preconditionFailure("a hash has the size of a key")
        }
        return key
    }
}
