import Platform
import Tasks
import Testing
import TestSupport

@Suite("A calendar")
struct CalendarTests {
    @Test("knows the days of the years 0 to 9999 as the system does")
    func days() {
        let first = date(0, 1, 1)
        for distance in stride(from: 0, through: 3_652_424, by: 17) {
            let day = first.advanced(byDays: distance)
            var seconds = time_t((distance - 719_528) * 86_400)
            var parts = unsafe tm()
            unsafe gmtime_r(&seconds, &parts)
            let expected = unsafe [parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday]
            #expect([day.year, day.month, day.day] == expected.map(Int.init))
            #expect(unsafe (day.weekday.rawValue + 1) % 7 == parts.tm_wday)
            #expect(CalendarDate(year: day.year, month: day.month, day: day.day) == day)
        }
        #expect(first.advanced(byDays: 3_652_424) == date(9_999, 12, 31))
    }

    @Test(
        "has no days beyond the end of a month",
        arguments: [
            (2_026, 2, 29), (2_100, 2, 29), (2_026, 4, 31), (2_026, 1, 0), (2_026, 1, 32),
            (2_026, 0, 1), (2_026, 13, 1), (.max, 1, 1),
        ] as [(Int, Int, Int)])
    func noDay(year: Int, month: Int, day: Int) {
        #expect(CalendarDate(year: year, month: month, day: day) == nil)
    }

    @Test("knows the day of the week, and the same day of another month")
    func weekdaysAndMonths() {
        #expect(date(2_026, 11, 21).weekday == .saturday)
        #expect(date(1_969, 12, 29).weekday == .monday)
        #expect(date(2_026, 11, 21).advanced(byMonths: 14) == date(2_028, 1, 21))
        #expect(date(2_026, 1, 31).advanced(byMonths: -11) == date(2_025, 2, 28))
        #expect(date(2_027, 12, 31).advanced(byMonths: 2) == date(2_028, 2, 29))
        #expect(date(0, 1, 15).advanced(byMonths: -1) == date(-1, 12, 15))
    }

    @Test(
        "finds every point in time of a local time, also where clocks are set",
        arguments: RuleCalendar.all)
    func everyPointIsFound(calendar: RuleCalendar) {
        // Two days around each change, in steps in which every change is, by trying all.
        for start in [
            utc(2_026, 3, 28), utc(2_026, 10, 24), utc(2_026, 4, 4), utc(2_026, 10, 3),
            utc(2_026, 2, 14), utc(2_026, 10, 17), utc(1_969, 12, 31),
        ] {
            var shown: [LocalTime: [PointInTime]] = [:]
            for minute in stride(from: 0, to: 2 * 1_440, by: 5) {
                let time = PointInTime(seconds: start.seconds + Int64(minute) * 60)
                shown[calendar.local(at: time), default: []].append(time)
            }
            for (local, times) in shown {
                let found = calendar.pointsInTime(of: local)
                // What is shown again after the two days was not tried.
                #expect(found == times || found.count == 2 && times.count == 1, "\(local)")
                #expect(found.allSatisfy { calendar.local(at: $0) == local })
            }
        }
    }

    @Test("has no point in time where clocks are set forward, and two where they are set back")
    func changes() {
        let europe = RuleCalendar.centralEurope
        #expect(europe.pointsInTime(of: local(2_026, 3, 29, 1, 59)) == [utc(2_026, 3, 29, 0, 59)])
        #expect(europe.pointsInTime(of: local(2_026, 3, 29, 2, 0)) == [])
        #expect(europe.pointsInTime(of: local(2_026, 3, 29, 2, 59)) == [])
        #expect(europe.pointsInTime(of: local(2_026, 3, 29, 3, 0)) == [utc(2_026, 3, 29, 1)])
        #expect(
            europe.pointsInTime(of: local(2_026, 10, 25, 2, 30))
                == [utc(2_026, 10, 25, 0, 30), utc(2_026, 10, 25, 1, 30)])
        let island = RuleCalendar.lordHowe
        #expect(island.pointsInTime(of: local(2_026, 10, 4, 2, 29)) == [])
        #expect(island.pointsInTime(of: local(2_026, 10, 4, 2, 30)) == [utc(2_026, 10, 3, 15, 30)])
        #expect(
            island.pointsInTime(of: local(2_026, 4, 5, 1, 45))
                == [utc(2_026, 4, 4, 14, 45), utc(2_026, 4, 4, 15, 15)])
        #expect(island.pointsInTime(of: local(2_026, 1, 1)) == [utc(2_025, 12, 31, 13)])
        #expect(RuleCalendar.brazil.pointsInTime(of: local(2_026, 10, 18)) == [])
        #expect(RuleCalendar.brazil.pointsInTime(of: local(2_026, 2, 14, 23, 59)).count == 2)
    }
}
