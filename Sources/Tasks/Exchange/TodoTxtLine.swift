/// One line of todo.txt.
struct TodoTxtLine {
    /// The number of the line.
    let line: Int
    private(set) var isDone = false
    private(set) var completed: PointInTime?
    private(set) var created: PointInTime?
    private(set) var due: PointInTime?
    private(set) var id: TaskID?
    /// The rest: with priority, projects and contexts.
    private(set) var name: String

    init(_ text: String, line: Int, in calendar: some LocalCalendar) {
        self.line = line
        name = Self.trimmed(text)
        if name.hasPrefix("x ") {
            isDone = true
            name = Self.trimmed(String(name.dropFirst(2)))
        }
        let priority = takePriority()
        var dates = [takeDate(in: calendar)]
        if isDone, dates[0] != nil { dates.append(takeDate(in: calendar)) }
        if isDone { completed = dates.removeFirst() }
        created = dates.first ?? nil
        takeWords(in: calendar)
        if let priority { name = priority + " " + name }
    }

    /// `(A)` at the beginning, and what follows; nil where there is none.
    static func priority(_ text: String) -> (String, after: String)? {
        let bytes = Array(text.utf8.prefix(4))
        guard bytes.count == 4, bytes[0] == UInt8(ascii: "("),
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[1]),
            bytes[2] == UInt8(ascii: ")"), bytes[3] == UInt8(ascii: " ")
        else { return nil }
        return (String(text.prefix(3)), String(text.dropFirst(4)))
    }

    private mutating func takePriority() -> String? {
        guard let (priority, after) = Self.priority(name) else { return nil }
        name = Self.trimmed(after)
        return priority
    }

    /// Takes a date at the beginning, as the first moment of that day.
    private mutating func takeDate(in calendar: some LocalCalendar) -> PointInTime? {
        let word = name.prefix { $0 != " " }
        guard let date = Self.date(word), word.utf8.count < name.utf8.count else { return nil }
        let midnight = LocalTime(date, hour: 0, minute: 0)
        name = Self.trimmed(String(name.dropFirst(word.count)))
        // Where midnight is left out, the day begins when it would have been.
        return calendar.pointsInTime(of: midnight).first
            ?? calendar.pointsInTime(of: LocalTime(date, hour: 1, minute: 0)).first
    }

    /// Takes the words that say when it is due, and which task it is; the last ones where there are several.
    private mutating func takeWords(in calendar: some LocalCalendar) {
        var words = name.split(separator: " ", omittingEmptySubsequences: false)[...]
        func last(_ key: String) -> (Int, String)? {
            words.lastIndex { $0.hasPrefix(key + ":") }.map {
                ($0, String(words[$0].dropFirst(key.utf8.count + 1)))
            }
        }
        if let (index, value) = last("taskvault"), let id = TaskID(value) {
            self.id = id
            words.remove(at: index)
        }
        if let (index, value) = last("due"), Self.date(value[...]) != nil {
            let clock = last("at")
            if let clock, let time = Self.time(value + " " + clock.1, in: calendar) {
                due = time
                for index in [index, clock.0].sorted(by: >) { words.remove(at: index) }
            } else if let time = Self.time(value, in: calendar) {
                due = time
                words.remove(at: index)
            }
        }
        name = Self.trimmed(words.joined(separator: " "))
    }

    private static func time(_ text: String, in calendar: some LocalCalendar) -> PointInTime? {
        // The present time does not matter to a whole date.
        try? DueTime.read(text, now: PointInTime(milliseconds: 0), in: calendar)
    }

    private static func date(_ word: Substring) -> CalendarDate? {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            word.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        return CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...end])
    }
}
