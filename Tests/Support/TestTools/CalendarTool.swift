import Tasks

/// Prints when the system's clocks show each of its arguments, in seconds since 1970-01-01 UTC: the other process, with a time zone of its own,
/// in the tests of the system's calendar.
///
///     TZ=Europe/Berlin TestTools calendar 2026 10 25 2 30     (prints: 1792888200 1792891800)
enum CalendarTool {
    static func run(_ arguments: [String]) {
        let numbers = arguments.compactMap { Int($0) }
        for start in stride(from: 0, to: numbers.count - 4, by: 5) {
            let parts = numbers[start..<(start + 5)]
            guard
                let date = CalendarDate(
                    year: parts[start], month: parts[start + 1], day: parts[start + 2])
            else { continue }
            let local = LocalTime(date, hour: parts[start + 3], minute: parts[start + 4])
            let times = SystemCalendar().pointsInTime(of: local)
            print(times.map { String($0.seconds) }.joined(separator: " "))
        }
    }
}
