import SecureStorage
import Testing

@Suite("The retention of earlier versions")
struct EarlierRetentionTests {
    private static let day: Int64 = 86_400_000
    private let rule = EarlierRetention(values: 2, days: 3, removedDays: 5)

    @Test("keeps the newest values, each for its days")
    func values() {
        let now: Int64 = 1_000 * Self.day
        func stays(_ ages: Int64...) -> [Bool] {
            rule.stays(ages.map { (now - $0, false) }, now: now)
        }
        #expect(stays() == [])
        #expect(stays(0, 1, 2) == [true, true, false])
        #expect(stays(0, 3 * Self.day - 1) == [true, true])
        #expect(stays(0, 3 * Self.day) == [true, false])
        #expect(stays(-10 * Self.day) == [true], "a time of another clock")
        let none = EarlierRetention(values: 0, days: 3, removedDays: 0)
        #expect(none.stays([(now, false)], now: now) == [false])
        #expect(none.stays([(now, true)], now: now) == [false])
        #expect(none.stays([(now, true)], now: nil) == [false])
        let old: [EarlierRetention.Move] = [(now, false), (0, false), (0, false)]
        #expect(rule.stays(old, now: nil) == [true, true, false])
    }

    @Test("keeps a removed secret with all its values as long as the removal is young")
    func removed() {
        let now: Int64 = 1_000 * Self.day
        for (age, stays) in [(0, true), (5 * Self.day - 1, true), (5 * Self.day, false)] {
            let moves = [(now - age, true), (now - 90 * Self.day, false), (0, false), (0, false)]
            #expect(
                rule.stays(moves.map { ($0, $1) }, now: now)
                    == [Bool](repeating: stays, count: 4))
        }
    }

    @Test("takes any time", arguments: [.min, .min + 1, -1, 0, 1, .max] as [Int64])
    func extremes(now: Int64) {
        for time in [.min, .min + 1, -1, 0, 1, .max] as [Int64] {
            // In numbers that do not end.
            let isYoung = Double(now) - Double(time) < Double(3 * Self.day)
            #expect(rule.stays([(time, false)], now: now) == [isYoung])
        }
    }
}
