@testable import Accounts
import Testing
import TestSupport
import TextCoding

@Suite("Limits of guesses")
struct GuessLimitsTests {
    @Test("have delays that double, and end at the maximum whatever the numbers are")
    func delays() {
        let limits = GuessLimits()
        let seconds = (0..<13).map { limits.delay(after: $0).components.seconds }
        #expect(seconds == [0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900])
        for failures in [36, 37, 63, 64, 65, 1_000_000, Int64.max] as [Int64] {
            #expect(limits.delay(after: failures) == .minutes(15))
        }
        var other = GuessLimits()
        other.freeFailures = 1
        other.firstDelay = .hours(2)
        #expect(other.delay(after: 1) == .minutes(15))
        other.firstDelay = .zero
        #expect(other.delay(after: 1_000) == .zero)
    }

    @Test("bear times that nobody could have written")
    func extremes() {
        let limits = GuessLimits()
        let key = AttemptKey(network: "")
        let times = [Int64.min, -1, 0, 1_800_000_000_000, .max].map(PointInTime.init(milliseconds:))
        let now = PointInTime(seconds: 1_800_000_000)
        for next in times {
            for last in times {
                for failures in [0, 1, 5, Int64.max - 1] as [Int64] {
                    let record = AttemptRecord(key: key, failures: failures, next: next, last: last)
                    if let current = limits.current(record, at: now) {
                        #expect(current.next <= now.advanced(by: limits.maximumDelay))
                        #expect(current.last <= now)
                    }
                    let tried = limits.tried(record, of: key, at: now)
                    #expect(tried.next <= now.advanced(by: .minutes(2)) && tried.next > now)
                    #expect(
                        limits.nextOfNetwork(record, at: now) <= now.advanced(by: .minutes(1)))
                }
            }
        }
    }

    @Test(
        "give a network all its attempts in its period, whatever their number is", arguments: 1...70
    )
    func networks(attempts: Int64) {
        var limits = GuessLimits()
        limits.networkAttempts = attempts
        let key = AttemptKey(network: "")
        var now = AccountFixture.start
        var record: AttemptRecord?
        func count() -> Int64 {
            var count: Int64 = 0
            while count <= attempts, limits.nextOfNetwork(record, at: now) <= now {
                record = limits.tried(record, of: key, at: now)
                count += 1
            }
            return count
        }
        #expect(count() == attempts)
        now = now.advanced(by: .minutes(1))
        #expect(count() == attempts)
        now = now.advanced(by: .days(1))
        #expect(count() == attempts)
        // And releases the attempts it counted.
        for _ in 0..<attempts { record = record.flatMap { limits.released($0, at: now) } }
        #expect(record == nil)
    }
}
