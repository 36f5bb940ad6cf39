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
    func isTold(of task: ExchangedTask) -> Bool {
        guard id ?? task.id == task.id, isDone == task.isDone, name == task.text?.name else {
            return false
        }
        return due?.inSeconds == task.due?.inSeconds && wait?.inSeconds == task.wait?.inSeconds
            && (completed ?? task.completion?.time)?.seconds == task.completion?.time.seconds
            && (created ?? task.created).seconds == task.created.seconds
            && repetition == task.repetition && priority == task.priority
            && list == task.list && tags == task.tags
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
    /// free, and only the last words are labels.
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
        if let due {
            repetition = words.takeRule(from: due.date(in: calendar))
            occurrence = Occurrence(dueAt: due, in: calendar)
        }
        if isDone, let (index, value) = words.last("pri:"), value.count == 1,
            let priority = value.first.flatMap({ Self.letters[$0] })
        {
            self.priority = priority
            words.remove(at: index)
        }
        (list, tags) = words.takeLabels(onlyLast: id == nil)
        name = Self.trimmed(words.words.joined(separator: " "))
        // Only TaskVault escapes a name.
        defer { if id != nil { name = TodoTxtText.unescape(name) } }
        guard name.isEmpty else { return }
        // Without other words, these words are the name.
        (name, identity) = (all, all)
        (due, wait, repetition, priority, list, tags) = (nil, nil, nil, .none, nil, [])
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

    /// Consumes `rec:+2w` or a whole rule. Without the plus sign, `rec:` counts from the day of
    /// completion, which no rule supports.
    mutating func takeRule(from due: CalendarDate) -> RepeatRule? {
        if let (index, text) = last("rrule:"), let rule = try? RepeatRule(rule: text) {
            remove(at: index)
            return rule
        }
        guard let (index, text) = last("rec:+") else { return nil }
        let (digits, unit) = Digits.split(text)
        let frequency = RepeatRule.Frequency.allCases.first {
            $0.rawValue.prefix(1).lowercased() == unit
        }
        guard let frequency, let interval = Digits.number(digits, 1...4),
            (1...RepeatRule.maximumInterval).contains(interval)
        else { return nil }
        remove(at: index)
        return RepeatRule(frequency, interval: interval).starting(on: due)
    }

    /// Consumes the first `+list` and each `@tag`. It consumes only the last words if words before
    /// another word are text.
    /// An example is `send @home to +list by mail`.
    mutating func takeLabels(onlyLast isOnlyLast: Bool) -> (list: String?, tags: [String]) {
        var first = start
        if isOnlyLast {
            // At least one word remains for the name.
            let last = words.lastIndex { !Self.isLabel($0) }
            guard let last else { return (nil, []) }
            first = last + 1
        }
        let tags = TaskTextRule.tags(
            of: words[first...].filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        ).tags
        let list = words[first...].lazy.filter { $0.hasPrefix("+") }
            .compactMap { TaskTextRule.list(String($0.dropFirst())) }.first
        var left = tags.map { "@" + $0 } + (list.map { ["+" + $0] } ?? [])
        let rest = words[first...].filter { word in
            guard let index = left.firstIndex(where: { $0.utf8.elementsEqual(word.utf8) }) else {
                return true
            }
            left.remove(at: index)
            return false
        }
        words = Array(words[..<first] + rest)
        return (list, tags)
    }

    private static func isLabel(_ word: Substring) -> Bool {
        (word.hasPrefix("@") || word.hasPrefix("+")) && word.utf8.count > 1 || word.isEmpty
    }
}
