import Tasks
import Testing
import TestSupport

/// Random rules of repetition against a walk from day to day, which shares no code with the rules.
@Suite("Any rule of repetition")
struct RepeatRuleModelTests {
    @Test("has the occurrences that a walk from day to day finds")
    func occurrences() throws {
        var random = SeededGenerator()
        for _ in 0..<400 {
            let model = RuleModel(&random)
            let failure = "\(model.text) from \(model.first), seed \(random.seed)"
            let walked = model.occurrences
            var rule = try RepeatRule(rule: model.text)
            var present = Occurrence(dueAt: .moment(walked.times[0]), in: RuleCalendar.utc)
            for time in walked.times.dropFirst() {
                let next = try #require(
                    rule.next(after: present, now: nil, in: RuleCalendar.utc), "\(failure)")
                #expect(next.due == .moment(time) && !next.hasSkipped, "\(failure)")
                (present, rule) = (next.occurrence, next.rule)
            }
            if walked.isWhole {
                let next = rule.next(after: present, now: nil, in: RuleCalendar.utc)
                #expect(next == nil, "\(failure)")
            }
        }
    }

    @Test("skips the occurrences that have passed, and counts them")
    func late() throws {
        var random = SeededGenerator()
        for _ in 0..<400 {
            let model = RuleModel(&random)
            let failure = "\(model.text) from \(model.first), seed \(random.seed)"
            let (times, isWhole) = model.occurrences
            let last = times[times.count - 1]
            let span = times[0].seconds - 86_400...last.seconds + 86_400
            for now in [times[0], times[times.count / 2], last]
                + (0..<3).map({ _ in PointInTime(seconds: .random(in: span, using: &random)) })
            {
                let index = times.indices.dropFirst().first { times[$0] > now }
                if index == nil, !isWhole { continue }
                let rule = try RepeatRule(rule: model.text)
                let first = Occurrence(dueAt: .moment(times[0]), in: RuleCalendar.utc)
                let next = rule.next(after: first, now: now, in: RuleCalendar.utc)
                #expect(next?.due == index.map { .moment(times[$0]) }, "\(failure), now \(now)")
                #expect((next?.hasSkipped ?? false) == ((index ?? 0) > 1), "\(failure), now \(now)")
                if case .count(let count) = model.end, let index {
                    #expect(next?.rule.end == .count(count - index), "\(failure), now \(now)")
                }
            }
        }
    }
}

/// A rule, its first due time, and what RFC 5545 says of them, day by day.
private struct RuleModel {
    /// Far enough for most rules, and to the end of the last year from 9960 on.
    private static let years = 41
    private static let most = 12

    let first: WalkedDay
    let end: RepeatRule.End?
    private let frequency: String
    private let interval: Int
    private var days: [(ordinal: Int, weekday: Int)] = []
    private var monthDays: [Int] = []

    init(_ random: inout SeededGenerator) {
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        var first = WalkedDay(newYear: [1_896, 1_999, 2_020, 2_096, 9_960][number(0...4)])
        for _ in 0..<number(0...2_500) { first.step() }
        // The last days of months are the difficult ones.
        if number(0...2) == 0 { while first.day != first.monthLength { first.step() } }
        self.first = first
        frequency = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"][number(0...3)]
        interval = number(0...1) == 0 ? 1 : number(1...7)
        let isByMonthDay = frequency != "WEEKLY" && number(0...2) == 0
        let most = isByMonthDay ? 0 : frequency == "MONTHLY" ? 5 : frequency == "YEARLY" ? 53 : 0
        if isByMonthDay {
            monthDays = (0..<number(1...4)).map { _ in number(1...31) * [1, -1][number(0...1)] }
        }
        if number(0...1) == 0 {
            days = (0..<number(1...4)).map { _ in
                (number(0...1) == 0 ? 0 : number(-most...most), number(0...6))
            }
        }
        switch number(0...4) {
        case 0: end = .count(number(1...9))
        case 1: end = .untilDay(date(first.year + number(0...3), number(1...12), number(1...28)))
        case 2:
            // Around the time of day of the occurrences.
            let moment = utc(first.year + number(0...3), number(1...12), number(1...28), 9)
            end = .until(moment.advanced(by: .seconds(number(-1...1))))
        default: end = nil
        }
    }

    /// As iCalendar writes it.
    var text: String {
        let codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
        let day = days.map { ($0.ordinal == 0 ? "" : "\($0.ordinal)") + codes[$0.weekday] }
        var text = "FREQ=\(frequency);INTERVAL=\(interval)"
        if !day.isEmpty { text += ";BYDAY=" + day.joined(separator: ",") }
        if !monthDays.isEmpty {
            text += ";BYMONTHDAY=" + monthDays.map(String.init).joined(separator: ",")
        }
        func digits(_ text: String) -> String { text.filter { !"-:".contains($0) } }
        switch end {
        case .count(let count): text += ";COUNT=\(count)"
        case .untilDay(let day): text += ";UNTIL=" + digits(TimeText.text(day))
        case .until(let time): text += ";UNTIL=" + digits(WalkedDay.text(time))
        case .untilLocal, nil: break
        }
        return text
    }

    /// The first occurrences at 9:00, and whether there are no more.
    var occurrences: (times: [PointInTime], isWhole: Bool) {
        var times = [first.time]
        var day = first
        while day.year < min(first.year + Self.years, 10_000) {
            day.step()
            guard day.year < 10_000, isOccurrence(day) else { continue }
            switch end {
            case .count(times.count): return (times, true)
            case .until(let end) where day.time > end: return (times, true)
            case .untilDay(let end) where day.date > end: return (times, true)
            default: break
            }
            times.append(day.time)
            if times.count == Self.most { return (times, false) }
        }
        return (times, day.year == 10_000)
    }

    private func isOccurrence(_ day: WalkedDay) -> Bool {
        let months = (day.year - first.year) * 12 + day.month - first.month
        let distance =
            switch frequency {
            case "DAILY": day.number - first.number
            case "WEEKLY": (day.number - first.number + first.weekday) / 7
            case "MONTHLY": months
            default: day.year - first.year
            }
        guard distance % interval == 0 else { return false }
        if !monthDays.isEmpty {
            let fromEnd = day.day - day.monthLength - 1
            guard monthDays.contains(day.day) || monthDays.contains(fromEnd) else { return false }
        } else if days.isEmpty {
            switch frequency {
            case "DAILY": return true
            case "WEEKLY": return day.weekday == first.weekday
            case "MONTHLY": return day.day == first.day
            default: return day.day == first.day && day.month == first.month
            }
        }
        let isOfMonth = frequency == "MONTHLY"
        let place = isOfMonth ? day.day : day.dayOfYear
        let length = isOfMonth ? day.monthLength : day.yearLength
        return days.isEmpty
            || days.contains { ordinal, weekday in
                weekday == day.weekday
                    && [0, (place + 6) / 7, -((length - place) / 7 + 1)].contains(ordinal)
            }
    }
}

/// A day of the Gregorian calendar that only goes on to the next one.
private struct WalkedDay: CustomStringConvertible {
    private(set) var year: Int
    private(set) var month = 1
    private(set) var day = 1
    private(set) var dayOfYear = 1
    /// 0 is Monday.
    private(set) var weekday: Int
    /// Counts the steps.
    private(set) var number = 0

    init(newYear year: Int) {
        self.year = year
        // 0001-01-01 is a Monday.
        let past = year - 1
        weekday = (past * 365 + past / 4 - past / 100 + past / 400) % 7
    }

    private var isLeap: Bool { year % 4 == 0 && year % 100 != 0 || year % 400 == 0 }
    var yearLength: Int { isLeap ? 366 : 365 }
    var monthLength: Int {
        [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    mutating func step() {
        (number, weekday, dayOfYear) = (number + 1, (weekday + 1) % 7, dayOfYear + 1)
        if day < monthLength { day += 1 } else { (month, day) = (month + 1, 1) }
        if month > 12 { (year, month, dayOfYear) = (year + 1, 1, 1) }
    }

    var date: CalendarDate { TasksTests.date(year, month, day) }
    var time: PointInTime { utc(year, month, day, 9) }
    var description: String { "\(year)-\(month)-\(day)" }

    /// Such as `1997-12-24T09:00:00Z`.
    static func text(_ time: PointInTime) -> String {
        let local = RuleCalendar.utc.local(at: time)
        return TimeText.text(local.date)
            + "T0\(local.hour):" + (local.minute == 0 ? "00" : "59")
            + (local.second < 10 ? ":0" : ":") + "\(local.second)Z"
    }
}
