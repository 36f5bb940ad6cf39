internal import TextCoding

/// One line of todo.txt.
struct TodoTxtLine {
    /// The priorities of TaskVault. Other letters are part of the name.
    static let letters: [Character: TaskPriority] = ["A": .high, "B": .medium, "C": .low]

    /// The number of the line.
    let line: Int
    /// The line.
    let source: String
    private(set) var isDone = false
    private(set) var completed: PointInTime?
    private(set) var created: PointInTime?
    private(set) var due: TaskTime?
    private(set) var id: TaskID?
    /// A word such as `rec:1w`, whose repetition TaskVault lacks.
    private(set) var foreignRule: String?
    private var wait: TaskTime?
    private var repetition: RepeatRule?
    private var occurrence: Occurrence?
    private var priority = TaskPriority.none
    private var list: String?
    private var tags: [String] = []
    /// The name, including the words without a meaning.
    private(set) var name: String
    /// The text that determines the id.
    private(set) var identity = ""

    init(_ text: String, line: Int, in calendar: some LocalCalendar) {
        self.line = line
        source = text.last == "\r" || text.last == "\r\n" ? String(text.dropLast()) : text
        name = Self.trimmed(text)
        if name.hasPrefix("x ") {
            isDone = true
            name = Self.trimmed(String(name.dropFirst(2)))
        }
        let letter = takePriority()
        var dates = [takeDate(in: calendar)]
        if isDone, dates[0] != nil { dates.append(takeDate(in: calendar)) }
        if isDone { completed = dates.removeFirst() }
        created = dates.first ?? nil
        takeWords(in: calendar)
        guard let letter else { return }
        identity = "(\(letter)) " + identity
        if let priority = Self.letters[letter] {
            self.priority = priority
        } else {
            name = "(\(letter)) " + name
        }
    }

    /// The task, unvalidated.
    func task(_ id: TaskID, now: PointInTime) -> ExchangedTask {
        let created = created ?? completed ?? now
        var task = ExchangedTask(id: id, text: TaskText(name: name), created: created)
        task.isDayOnly = self.created != nil
        task.isUndated = self.created == nil
        (task.due, task.wait) = (due, wait)
        if let repetition, let occurrence { task.task.setSeries(repetition, occurrence) }
        (task.priority, task.list, task.tags) = (priority, list, tags)
        if isDone { task.completion = TaskCompletion(time: completed ?? now) }
        return task
    }

    /// Whether the line still has the meaning of the task. Text that the line lacks is ignored.
    func isTold(of task: ExchangedTask, in calendar: some LocalCalendar) -> Bool {
        guard id ?? task.id == task.id, isDone == task.isDone, name == task.text?.name else {
            return false
        }
        return due?.inSeconds == task.due?.inSeconds && wait?.inSeconds == task.wait?.inSeconds
            && Self.isDay(completed, of: task.completion?.time, in: calendar)
            && Self.isDay(created, of: task.created, in: calendar)
            && repetition == task.repetition && priority == task.priority
            && list == task.list && tags == task.tags
    }

    /// Whether a date of the line, as the start of a day, became this time: the start of that day in the zone of the import.
    private static func isDay(
        _ day: PointInTime?, of time: PointInTime?, in calendar: some LocalCalendar
    ) -> Bool {
        guard let day else { return true }
        guard let time else { return false }
        let start = calendar.local(at: day).date.number * 86_400
        // No zone is further from UTC than 14 hours, and offsets are quarters of hours.
        return day.seconds == time.seconds
            || time.milliseconds % 900_000 == 0 && (time.seconds - start).magnitude <= 50_400
    }

    /// The letter of `(A)` at the beginning, and the rest; nil if there is none.
    static func priority(_ text: String) -> (Character, after: String)? {
        let bytes = Array(text.utf8.prefix(4))
        guard bytes.count == 4, bytes[0] == UInt8(ascii: "("),
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[1]),
            bytes[2] == UInt8(ascii: ")"), bytes[3] == UInt8(ascii: " ")
        else { return nil }
        return (Character(Unicode.Scalar(bytes[1])), String(text.dropFirst(4)))
    }

    private mutating func takePriority() -> Character? {
        guard let (priority, after) = Self.priority(name) else { return nil }
        name = Self.trimmed(after)
        return priority
    }

    /// Consumes a date at the beginning, as the start of that day.
    private mutating func takeDate(in calendar: some LocalCalendar) -> PointInTime? {
        let word = name.prefix { $0 != " " }
        guard let date = CalendarDate(text: word), word.utf8.count < name.utf8.count else {
            return nil
        }
        name = Self.trimmed(String(name.dropFirst(word.count)))
        return calendar.moment(of: LocalTime(date, hour: 0, minute: 0))
    }

    /// Consumes the words with a meaning; of repeated words, the last one counts.
    ///
    /// In a line of TaskVault they follow the id. In a line of another program their position is
    /// free.
    private mutating func takeWords(in calendar: some LocalCalendar) {
        var words = TodoTxtWords(name.split(separator: " ", omittingEmptySubsequences: false))
        if let (index, value) = words.last("taskvault:"), let id = TaskID(value) {
            self.id = id
            words.remove(at: index)
            words.start = index
        }
        let all = Self.trimmed(words.words.joined(separator: " "))
        // In a line of an earlier version, these words precede the id.
        let (start, count) = (words.start, words.words.count)
        if words.last("due:") == nil { words.start = 0 }
        due = words.takeTime("due:", "at:") { Self.time($0, in: calendar) }
        if words.start != start { words.start = max(0, start - (count - words.words.count)) }
        identity = Self.trimmed(words.words.joined(separator: " "))
        wait = words.takeTime("t:", "from:") { Self.time($0, in: calendar) }
        switch words.takeRule(from: due?.date(in: calendar)) {
        case .supported(let rule): repetition = rule
        case .foreign(let word): foreignRule = isDone ? nil : word
        case nil: break
        }
        if let due { occurrence = Occurrence(dueAt: due, in: calendar) }
        if isDone, let (index, value) = words.last("pri:"), value.count == 1,
            let priority = value.first.flatMap({ Self.letters[$0] })
        {
            self.priority = priority
            words.remove(at: index)
        }
        (list, tags) = words.takeLabels()
        name = Self.trimmed(words.words.joined(separator: " "))
        // Only TaskVault escapes a name.
        defer { if id != nil { name = TodoTxtText.unescape(name) } }
        guard name.isEmpty else { return }
        // Without other words, these words are the name.
        (name, identity) = (all, all)
        (due, wait, repetition, priority, list, tags) = (nil, nil, nil, .none, nil, [])
        foreignRule = nil
    }

    /// A day, or a day and a time, independent of the current time.
    static func time(_ text: String, in calendar: some LocalCalendar) -> TaskTime? {
        guard CalendarDate(text: text.prefix { $0 != " " }) != nil else { return nil }
        return try? DueTimeParser.read(text, now: PointInTime(milliseconds: 0), in: calendar)
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...end])
    }
}

/// The words of a line.
private struct TodoTxtWords {
    private(set) var words: [Substring]
    /// The first word that may have a meaning.
    var start = 0

    init(_ words: [Substring]) {
        self.words = words
    }

    /// The last word with a key, and its value.
    func last(_ key: String) -> (Int, String)? {
        words[start...].lastIndex { $0.hasPrefix(key) }.map {
            ($0, String(words[$0].dropFirst(key.utf8.count)))
        }
    }

    mutating func remove(at index: Int) {
        words.remove(at: index)
    }

    /// Consumes a day, and the time of day if both together form a time.
    mutating func takeTime(
        _ dayKey: String, _ clockKey: String, _ read: (String) -> TaskTime?
    ) -> TaskTime? {
        guard let (index, day) = last(dayKey) else { return nil }
        if let (clockIndex, clock) = last(clockKey), let time = read(day + " " + clock) {
            for index in [index, clockIndex].sorted(by: >) { remove(at: index) }
            return time
        }
        guard let time = read(day) else { return nil }
        remove(at: index)
        return time
    }

    /// A repetition of a line.
    enum Rule {
        case supported(RepeatRule)
        /// A word whose meaning TaskVault lacks.
        case foreign(String)
    }

    /// The units of `rec:`. `b` is a business day.
    private static let units: [String: RepeatRule.Frequency?] = [
        "d": .daily, "day": .daily, "days": .daily, "daily": .daily, "w": .weekly, "week": .weekly,
        "weeks": .weekly, "weekly": .weekly, "m": .monthly, "month": .monthly, "months": .monthly,
        "monthly": .monthly, "y": .yearly, "year": .yearly, "years": .yearly, "yearly": .yearly,
        "b": nil,
    ]

    /// Consumes `rec:+2w`, a whole rule, or a `rec:` that TaskVault lacks: without the plus sign it counts from the day of completion,
    /// and without a due date from no day.
    mutating func takeRule(from due: CalendarDate?) -> Rule? {
        if due != nil, let (index, text) = last("rrule:"), let rule = try? RepeatRule(rule: text) {
            remove(at: index)
            return .supported(rule)
        }
        guard let (index, text) = last("rec:") else { return nil }
        let isStrict = text.hasPrefix("+")
        let (digits, unit) = Digits.split(isStrict ? String(text.dropFirst()) : text)
        guard let frequency = Self.units[unit.lowercased()],
            let interval = digits.isEmpty ? 1 : Digits.number(digits, 1...4),
            (1...RepeatRule.maximumInterval).contains(interval)
        else { return nil }
        let word = String(words[index])
        remove(at: index)
        guard isStrict, let due else { return .foreign(word) }
        guard let frequency else {
            return interval == 1 ? .supported(.weekdays) : .foreign(word)
        }
        return .supported(RepeatRule(frequency, interval: interval).starting(on: due))
    }

    /// Consumes the first `+list` and each `@tag`, if another word is left for the name. They stand anywhere.
    mutating func takeLabels() -> (list: String?, tags: [String]) {
        let rest = words[start...]
        guard start > 0 || rest.contains(where: { !Self.isLabel($0) }) else { return (nil, []) }
        let found = TaskTextRule.tags(
            of: rest.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) })
        let list = rest.lazy.filter { $0.hasPrefix("+") }
            .compactMap { TaskTextRule.list(String($0.dropFirst())) }.first
        var left = found.sources.map { "@" + $0 } + (list.map { ["+" + $0] } ?? [])
        words = Array(
            words[..<start]
                + rest.filter { word in
                    let index = left.firstIndex { $0.utf8.elementsEqual(word.utf8) }
                    guard let index else { return true }
                    left.remove(at: index)
                    return false
                })
        return (list, found.tags)
    }

    private static func isLabel(_ word: Substring) -> Bool {
        (word.hasPrefix("@") || word.hasPrefix("+")) && word.utf8.count > 1 || word.isEmpty
    }
}
