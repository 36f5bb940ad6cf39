import Tasks
import Testing
import TestSupport

@Suite("Any point in time")
struct DueTimePropertyTests {
    /// Random seconds: of the years 1 to 9995 (three years more are a date still), of these years, and around a change of the clocks.
    private func times(_ count: Int, _ random: inout SeededGenerator) -> [PointInTime] {
        let ranges = [
            utc(1, 1, 1)..<utc(9_995, 12, 31), utc(2_020, 1, 1)..<utc(2_030, 1, 1),
            utc(2_026, 3, 28)..<utc(2_026, 3, 31), utc(2_026, 10, 24)..<utc(2_026, 10, 27),
            utc(2_026, 4, 3)..<utc(2_026, 4, 6), utc(2_026, 2, 13)..<utc(2_026, 2, 16),
        ]
        return (0..<count).map { index in
            let range = ranges[index % ranges.count]
            let seconds = Int64.random(
                in: range.lowerBound.seconds..<range.upperBound.seconds, using: &random)
            return PointInTime(seconds: seconds)
        }
    }

    @Test("is read back from its text", arguments: RuleCalendar.all)
    func absoluteTimes(calendar: RuleCalendar) throws {
        var random = SeededGenerator()
        let now = utc(2_026, 11, 21, 14)
        for time in times(600, &random) {
            for text in [
                TimeText.text(time, in: calendar), TimeText.absolute(time, in: calendar),
                TimeText.absolute(time, in: RuleCalendar.utc),
            ] {
                #expect(
                    try DueTimeParser.read(text, now: now, in: calendar) == .moment(time),
                    "\(text), seed \(random.seed)")
            }
        }
    }

    @Test(
        "in the future is read back from the text of lists, to the minute",
        arguments: RuleCalendar.all)
    func relativeTimes(calendar: RuleCalendar) throws {
        var random = SeededGenerator()
        for now in times(600, &random) {
            // An hour, a day, eight days, or three years.
            let limits: [Int64] = [3_600, 86_400, 700_000, 90_000_000]
            let distance = Int64.random(
                in: 0...limits[Int.random(in: 0..<4, using: &random)], using: &random)
            let time = PointInTime(seconds: now.seconds + distance + 60)
            let text = RelativeTime.text(.moment(time), now: now, in: calendar)
            #expect(
                text.utf8.count <= RelativeTime.maximumWidth && text.utf8.allSatisfy { $0 < 128 })
            let minute = PointInTime(seconds: time.seconds - (time.seconds % 60 + 60) % 60)
            do {
                let read = try DueTimeParser.read(text, now: now, in: calendar)
                #expect(read == .moment(minute), "\(text), seed \(random.seed)")
            } catch {
                // A list has no room for the offset.
                var isRepeated = false
                if case DueTimeError.repeated(let local, _) = error {
                    isRepeated = calendar.pointsInTime(of: local).contains(minute)
                }
                #expect(isRepeated, "\(text), seed \(random.seed)")
            }
        }
    }

    @Test("in the past has a short text, too", arguments: RuleCalendar.all)
    func pastTimes(calendar: RuleCalendar) throws {
        var random = SeededGenerator()
        let times = times(600, &random)
        for (now, due) in zip(times, times.shuffled(using: &random)) {
            for isOpen in [true, false] {
                for time in [TaskTime.moment(due), .day(calendar.local(at: due).date)] {
                    let text = RelativeTime.text(time, now: now, in: calendar, isOpen: isOpen)
                    #expect(text.utf8.count <= RelativeTime.maximumWidth, "\(text)")
                    let isPast =
                        time.end(in: calendar) < now
                        || time.end(in: calendar) == now && time.day != nil
                    #expect(text.hasSuffix("overdue") == (isOpen && isPast), "\(text)")
                }
            }
        }
    }

    @Test("written as nonsense is refused without a crash")
    func nonsense() {
        var random = SeededGenerator()
        let words = [
            "in", "at", "on", "a", "now", "today", "fri", "next", "dec", "1", "31", "99999", "2h",
            "3 days",
            "9:00", "99:99", "am", "pm", "T", "Z", "+02:00", "-", "+", ":", ".", "/", "2026-12-01",
            "2026-03-29", "02:30", "0000-01-01", "9999-12-31", "29 feb", "999999 years", "1h30m",
            "1.2.3", ",", "\u{0}", "é", "日", "١", "\u{202E}", "😀", "23:59:59.999999999", "st",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...6, using: &random)
            let parts = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
            let text = parts.joined(separator: Bool.random(using: &random) ? " " : "")
            let calendar = RuleCalendar.all.randomElement(using: &random) ?? .utc
            do {
                let time = try DueTimeParser.read(text, now: utc(2_026, 3, 28, 20), in: calendar)
                #expect((1...9_999).contains(time.date(in: calendar).year))
                accepted += 1
            } catch {
                let error = error as? DueTimeError
                #expect(error?.description.isEmpty == false, "\(text)")
                #expect(error?.examples.isEmpty == false, "\(text)")
            }
        }
        #expect(accepted > 100)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...110, using: &random)
            let text = String(decoding: random.bytes(count: count), as: UTF8.self)
            _ = try? DueTimeParser.read(text, now: utc(2_026, 3, 28, 20), in: RuleCalendar.utc)
        }
    }

    @Test("may be the first or the last present time")
    func extremes() {
        for milliseconds in [Int64.min, .max] {
            let now = PointInTime(milliseconds: milliseconds)
            for text in ["today", "fri 9:00", "in 2h", "in 1 day", "9:00", "29 feb", "now"] {
                #expect(throws: DueTimeError.outOfRange) {
                    try DueTimeParser.read(text, now: now, in: RuleCalendar.centralEurope)
                }
            }
            #expect(
                !RelativeTime.text(.moment(now), now: utc(2_026, 1, 1), in: RuleCalendar.utc)
                    .isEmpty)
            #expect(
                !RelativeTime.text(.moment(utc(2_026, 1, 1)), now: now, in: RuleCalendar.utc)
                    .isEmpty)
        }
    }
}
