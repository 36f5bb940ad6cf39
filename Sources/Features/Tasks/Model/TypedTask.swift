/// A task typed in one line: the words of its name, and between them words that say the rest of it.
///
/// | word | meaning |
/// | --- | --- |
/// | `due:tomorrow`, `wait:mon`, `remind:10m` | times (``DueTimeParser``), which may continue: `due:fri 18:00` |
/// | `every:mon`, `repeat:weekly` | repetition (``RepeatRule``) |
/// | `pri:high`, `priority:h` | priority |
/// | `list:house`, `+home`, `tag:home` | list; tag |
/// | `after:k7m2qx` | the task that comes before it |
///
/// The field of a page also reads `#home`, `!high`, and a date and a repetition as plain words at the end: `buy milk tomorrow every week`.
/// After the word `--`, all words are the name.
public struct TypedTask: Sendable, Hashable {
    /// A part of a task that words can say.
    public enum Attribute: String, Sendable, Hashable, CaseIterable {
        case due, wait, remind, priority, list, tag, after
        case repetition = "repeat"

        /// Whether a task has several of it.
        public var isRepeated: Bool { self == .tag || self == .after }

        fileprivate init?(key: Substring) {
            switch key.lowercased() {
            case "pri": self = .priority
            case "every": self = .repetition
            case let key: self.init(rawValue: key)
            }
        }
    }

    /// The place where the words were typed.
    public enum Place: Sendable, Hashable {
        /// A command line. A value that cannot be read is a part all the same, so that the command refuses it.
        case commandLine
        /// A field of a page. A word that cannot be read belongs to the name.
        case field
    }

    /// Words that were understood.
    public struct Part: Sendable, Hashable {
        /// Their subject.
        public let attribute: Attribute
        /// The value, as the option of that name takes it.
        public let value: String
        /// The words as they were typed.
        public let text: String
        /// The place of the words in the text of a field, in code units of UTF-16.
        public let range: Range<Int>
    }

    /// The words of the name, in order.
    public private(set) var words: [String] = []
    /// The words that were understood otherwise, in order.
    public private(set) var parts: [Part] = []
    /// The first due time of a repetition without one, as text; nil otherwise.
    public private(set) var impliedDue: String?

    /// The name: its words, separated by blanks.
    public var name: String { words.joined(separator: " ") }

    /// Reads the text of a field.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    public init(field text: String, now: PointInTime, in calendar: some LocalCalendar) {
        self.init(
            Word.split(text, at: 0), literal: [], .field, Reader(now: now, calendar: calendar))
    }

    /// Reads the arguments of a command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments. One that is a key and a value as a whole, such as `list:my house`, is one word; others are read word by
    ///     word.
    ///   - literal: The arguments behind `--`, which are words of the name.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    public init(
        _ arguments: [String], literal: [String] = [], now: PointInTime,
        in calendar: some LocalCalendar
    ) {
        let reader = Reader(now: now, calendar: calendar)
        let words = arguments.flatMap { argument -> [Word] in
            let whole = Word(text: argument, range: 0..<0)
            let words = Word.split(argument, at: 0)
            let count = words.count { $0.said(in: .commandLine) != nil }
            if count == 1, let (attribute, value) = whole.said(in: .commandLine),
                reader.value(value, of: attribute) != nil
            {
                return [whole]
            }
            // A quoted name keeps its blanks.
            return count > 0 ? words : [whole]
        }
        self.init(
            words, literal: literal.map { Word(text: $0, range: 0..<0) }, .commandLine, reader)
    }

    private init(_ typed: [Word], literal: [Word], _ place: Place, _ reader: Reader) {
        var names: [Word] = []
        var rest = typed[...]
        var isEnded = false
        while let word = rest.popFirst() {
            if place == .field, word.text == "--" {
                names += rest
                isEnded = true
                break
            }
            guard let (attribute, value) = word.said(in: place),
                let part = part(attribute, value, word, &rest, place, reader)
            else {
                names.append(word)
                continue
            }
            parts.append(part)
        }
        if place == .field, !isEnded { takeEnd(of: &names, reader) }
        words = (names + literal).map(\.text)
        if !parts.contains(where: { $0.attribute == .due }),
            let rule = parts.first(where: { $0.attribute == .repetition })
        {
            impliedDue = reader.firstDay(of: rule.value, at: nil)
        }
    }

    /// The part of a word and of the words behind it that belong to its value; nil if a field cannot read it.
    private func part(
        _ attribute: Attribute, _ value: String, _ word: Word, _ rest: inout ArraySlice<Word>,
        _ place: Place, _ reader: Reader
    ) -> Part? {
        if place == .field, !attribute.isRepeated,
            parts.contains(where: { $0.attribute == attribute })
        {
            return nil
        }
        var (value, text, end) = (value, word.text, word.range.upperBound)
        var read = reader.value(value, of: attribute)
        if [.due, .wait, .remind, .repetition].contains(attribute) {
            // The longest value counts, such as `fri 18:00`.
            let candidates = (1...4).compactMap { count -> (Int, String)? in
                guard count <= rest.count else { return nil }
                let more = rest.prefix(count).map(\.text).joined(separator: " ")
                return reader.value(value + " " + more, of: attribute).map { (count, $0) }
            }
            if let (count, longest) = candidates.last {
                let more = rest.prefix(count)
                read = longest
                text += " " + more.map(\.text).joined(separator: " ")
                end = more.last?.range.upperBound ?? end
                rest = rest.dropFirst(count)
            }
        }
        if read == nil, place == .field { return nil }
        value = read ?? value
        return Part(
            attribute: attribute, value: value, text: text, range: word.range.lowerBound..<end)
    }

    /// Takes a date and a repetition from the end of the name, of which at least one word stays.
    private mutating func takeEnd(of names: inout [Word], _ reader: Reader) {
        var missing: Set<Attribute> = [.due, .repetition]
        missing.subtract(parts.map(\.attribute))
        for count in (1...8).reversed() where count < names.count {
            let end = Array(names.suffix(count))
            // One of both, or both in either order.
            for split in (0..<count) {
                let sides = [end[..<split], end[split...]].filter { !$0.isEmpty }
                // `24 dec` alone is a date.
                for order in [[Attribute.repetition, .due], [.due, .repetition]] {
                    let found = zip(sides, order.suffix(sides.count)).compactMap {
                        words, attribute -> Part? in
                        let text = words.map(\.text).joined(separator: " ")
                        guard missing.contains(attribute),
                            let value = reader.plain(text, attribute)
                        else { return nil }
                        return Part(
                            attribute: attribute, value: value, text: text,
                            range: words[words.startIndex].range
                                .lowerBound..<words[words.endIndex - 1].range.upperBound)
                    }
                    guard found.count == sides.count else { continue }
                    names.removeLast(count)
                    parts += found
                    moveTimeOfDay(reader)
                    return
                }
            }
        }
    }

    /// Moves a time of day without a day to the first day of the repetition.
    private mutating func moveTimeOfDay(_ reader: Reader) {
        guard let rule = parts.first(where: { $0.attribute == .repetition }),
            let index = parts.firstIndex(where: { $0.attribute == .due }),
            reader.isTimeOfDay(parts[index].value)
        else { return }
        let due = parts[index]
        guard let value = reader.firstDay(of: rule.value, at: due.value) else { return }
        parts[index] = Part(attribute: .due, value: value, text: due.text, range: due.range)
    }
}

/// A word, and its place in the text of a field.
private struct Word: Sendable {
    let text: String
    let range: Range<Int>

    /// The words of a text. A value in quotation marks is one word: `list:"my house"`.
    static func split(_ text: String, at start: Int) -> [Word] {
        var words: [Word] = []
        var word = String.UnicodeScalarView()
        var (place, begin, isQuoted) = (start, start, false)
        func end(_ words: inout [Word]) {
            if !word.isEmpty { words.append(Word(text: String(word), range: begin..<place)) }
        }
        for scalar in text.unicodeScalars {
            let isBlank = scalar.properties.isWhitespace
            if isBlank, !isQuoted {
                end(&words)
                word = .init()
            } else {
                if word.isEmpty { begin = place }
                // A mark within a word is not that of a value.
                if scalar == "\"" { isQuoted = !isQuoted && word.last == ":" }
                word.append(scalar)
            }
            place += UTF16.width(scalar)
        }
        if isQuoted, let blank = word.firstIndex(where: { $0.properties.isWhitespace }) {
            // A value without its second mark: the words stay apart.
            let first = String(String.UnicodeScalarView(word[..<blank]))
            let size = first.utf16.count
            words.append(Word(text: first, range: begin..<begin + size))
            let rest = String(String.UnicodeScalarView(word[blank...]))
            return words + split(rest, at: begin + size)
        }
        end(&words)
        return words
    }

    /// The subject of the word and its value; nil for a word of the name.
    func said(in place: TypedTask.Place) -> (TypedTask.Attribute, String)? {
        let scalars = text.unicodeScalars
        guard let first = scalars.first else { return nil }
        let rest = String(String.UnicodeScalarView(scalars.dropFirst()))
        // A number after a sign is no tag: +49, #1.
        let isName = rest.unicodeScalars.first?.properties.isAlphabetic == true
        switch first {
        case "+" where isName, "#" where isName && place == .field:
            return rest.unicodeScalars.contains { $0.properties.isWhitespace } ? nil : (.tag, rest)
        case "!" where place == .field && TaskPriority(typed: rest) != nil:
            return (.priority, rest)
        default: break
        }
        guard let colon = text.firstIndex(of: ":"),
            let attribute = TypedTask.Attribute(key: text[..<colon])
        else { return nil }
        var value = text[text.index(after: colon)...]
        if value.count > 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = value.dropFirst().dropLast()
        }
        return value.isEmpty ? nil : (attribute, String(value))
    }
}

extension TaskPriority {
    /// The priority of a name or of its beginning, in upper or lower case: `high`, `H`.
    public init?(typed text: String) {
        let text = text.lowercased()
        guard !text.isEmpty, let found = Self.allCases.first(where: { $0.name.hasPrefix(text) })
        else { return nil }
        self = found
    }
}

/// Reads the values of words.
private struct Reader {
    let now: PointInTime
    let calendar: any LocalCalendar

    private func time(_ text: String) -> TaskTime? {
        try? DueTimeParser.read(text, now: now, in: calendar)
    }

    private func isDistance(_ text: String) -> Bool {
        (try? DueTimeParser.read(text, before: .moment(now), in: calendar)) ?? nil != nil
    }

    /// The value as its option takes it; nil if it cannot be read.
    func value(_ text: String, of attribute: TypedTask.Attribute) -> String? {
        switch attribute {
        case .due, .wait: text == "never" || time(text) != nil ? text : nil
        case .remind:
            ["on", "off"].contains(text) || isDistance(text) || time(text) != nil ? text : nil
        case .repetition:
            text == "never"
                ? text : [text, "every " + text].first { (try? RepeatRule(typed: $0)) != nil }
        case .priority: TaskPriority(typed: text)?.name
        case .list, .after: text
        case .tag: (try? TaskTextRule.check(tag: text)) == nil ? nil : text
        }
    }

    /// The value of plain words at the end of a text; nil for words of a name.
    func plain(_ text: String, _ attribute: TypedTask.Attribute) -> String? {
        switch attribute {
        case .due: text.lowercased() != "now" && time(text) != nil ? text : nil
        case .repetition: (try? RepeatRule(typed: text)) == nil ? nil : text
        default: nil
        }
    }

    /// Whether a text is a time without a day.
    func isTimeOfDay(_ text: String) -> Bool { time("2026-12-01 " + text) != nil }

    /// The first day of a rule from today on, with a time of day; nil for an unreadable rule.
    func firstDay(of text: String, at clock: String?) -> String? {
        guard let rule = try? RepeatRule(typed: text) else { return nil }
        let today = calendar.local(at: now).date
        // The time of today may have passed.
        for start in [today, today.advanced(byDays: 1)] {
            guard let date = rule.firstDay(from: start) else { return nil }
            let due = TimeText.text(date) + (clock.map { " " + $0 } ?? "")
            var first = time(due)
            if clock == nil, let second = rule.firstTimeOfDay {
                first = .moment(calendar.moment(of: LocalTime(date, second: second)))
            }
            if let first = first?.moment, first < now { continue }
            return due
        }
        return nil
    }
}
