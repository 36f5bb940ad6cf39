/// Times as Taskwarrior writes them: `20261201T090000Z`.
enum TaskwarriorTime {
    /// From 1980 to the last day but one of 9999: Taskwarrior 2.6 crashes at earlier times, and in the last hours of that year.
    private static let seconds: Range<Int64> = 315_532_800..<253_402_214_400

    /// The text of a time; nil for one that cannot be told.
    static func text(_ time: PointInTime) -> String? {
        guard seconds.contains(time.seconds) else { return nil }
        let local = UTCCalendar().local(at: time)
        let date = TimeText.text(local.date).filter { $0 != "-" }
        let clock = [local.hour, local.minute, local.second].map { ($0 < 10 ? "0" : "") + "\($0)" }
        return date + "T" + clock.joined() + "Z"
    }

    /// The first time that can be told.
    static let first = PointInTime(seconds: seconds.lowerBound)

    /// The time of a text; nil for anything else.
    static func time(_ text: String) -> PointInTime? {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z")
        else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            guard bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15),
            hour < 24, minute < 60, second < 60,
            let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
        let local = LocalTime(date, hour: hour, minute: minute, second: second)
        return UTCCalendar().pointsInTime(of: local).first
    }

    /// Whether every time of a task can be told.
    static func canTellTimes(of task: ExchangedTask) -> Bool {
        [task.due, task.created, task.completion?.time].allSatisfy { time in
            time.map { seconds.contains($0.seconds) } ?? true
        }
    }
}

/// The calendar of UTC.
private struct UTCCalendar: LocalCalendar {
    func offset(at time: PointInTime) -> Int { 0 }
}
