internal import TextCoding

/// ``TaskText/further``: a JSON object with one member for each program that wrote the task.
enum FurtherAttributes {
    /// The member of Taskwarrior: an object of attributes.
    static let taskwarrior = "taskwarrior"
    /// The pattern of an instance of a recurring task in Taskwarrior: an object of attributes.
    static let taskwarriorPattern = "taskwarrior_pattern"
    /// The member of iCalendar: an array of unfolded lines.
    static let iCalendar = "icalendar"
    /// The member of iCalendar for subtasks: an object of arrays of lines, by the ids of the subtasks.
    static let iCalendarSubtasks = "icalendar_subtasks"
    /// The member of todo.txt: the whole line.
    static let todoTxt = "todo.txt"

    /// Whether there are attributes that TaskVault lacks and an export in this format omits. Ids, stamps and other spellings of what
    /// TaskVault has are none.
    static func hasOthers(in further: String, than format: TaskFormat) -> Bool {
        if further.isEmpty { return false }
        let used: Set<String>
        switch format {
        case .taskVault: return false
        case .taskwarrior: used = [taskwarrior, taskwarriorPattern]
        case .todoTxt: used = [todoTxt]
        case .iCalendar: used = [iCalendar, iCalendarSubtasks]
        }
        guard let members = members(of: further) else { return true }
        return members.contains { key, value in
            if used.contains(key) { return false }
            switch key {
            case taskwarrior:
                guard let names = self.members(of: value)?.keys else { return true }
                return !TaskwarriorRecord.known.isSuperset(of: names)
            // A repetition that is not supported is counted itself.
            case taskwarriorPattern: return false
            case todoTxt: return text(of: value) == nil
            case iCalendar:
                return texts(of: value).map { ICalendarEntry.hasOthers($0) } ?? true
            case iCalendarSubtasks:
                return self.members(of: value)?.values.contains { lines in
                    texts(of: lines).map { ICalendarEntry.hasOthers($0, ofSubtask: true) } ?? true
                } ?? true
            default: return true
            }
        }
    }

    /// The part of a task in a repetition of another program.
    enum Repetition {
        case none
        /// An instance of Taskwarrior; its pattern has no equivalent rule.
        case instance
        /// The series itself.
        case series
    }

    /// The repetition of another program that is kept: a rule of iCalendar, a pattern of Taskwarrior, or `rec:` of todo.txt.
    static func repetition(in further: String) -> Repetition {
        guard ["RRULE", "RDATE", "recur", "rec:"].contains(where: { further.has($0) }) else {
            return .none
        }
        let members = members(of: further)
        if let line = text(of: members?[todoTxt]),
            TodoTxtLine(line, line: 0, in: SystemCalendar()).foreignRule != nil
        {
            return .series
        }
        if let lines = texts(of: members?[iCalendar]) {
            let names = lines.map { $0.prefix { $0 != ":" && $0 != ";" }.uppercased() }
            if names.contains("RRULE") || names.contains("RDATE") { return .series }
        }
        let record = self.members(of: members?[taskwarrior])
        guard record?["recur"] != nil else { return .none }
        if record?["parent"] == nil { return .series }
        // An instance whose pattern has a rule is a task of its own.
        return members?[taskwarriorPattern] == nil ? .none : .instance
    }

    /// The UID from another program, or the text of a todo.txt line that determines the id; nil
    /// without either.
    static func uid(in further: String) -> String? {
        let members = members(of: further)
        if let record = self.members(of: members?[taskwarrior]) {
            return text(of: record["uuid"])?.lowercased()
        }
        if let line = text(of: members?[todoTxt]) {
            return TodoTxtLine(line, line: 0, in: SystemCalendar()).identity
        }
        let component = texts(of: members?[iCalendar]).flatMap {
            ICalendarReader.read($0, of: "VTODO")
        }
        let entry = component.map { ICalendarEntry($0, list: nil) }
        return entry?.uid == nil ? nil : entry?.identity
    }

    /// The members of a JSON object, each as canonical JSON; nil for any other text.
    static func members(of text: String?) -> [String: String]? {
        reading(text) { reader, bytes in
            var members: [String: String] = [:]
            while let key = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
                let value = try reader.canonicalText(in: bytes)
                guard members.updateValue(value, forKey: key) == nil else {
                    throw reader.unexpected(in: bytes)
                }
            }
            return members
        }
    }

    /// The elements of a JSON array of strings; nil for any other text.
    static func texts(of text: String?) -> [String]? {
        reading(text) { reader, bytes in
            guard try reader.nextKind(in: bytes) == .array else {
                throw reader.unexpected(in: bytes)
            }
            var texts: [String] = []
            while try reader.nextElement(in: bytes, isFirst: texts.isEmpty) {
                texts.append(try reader.text(in: bytes))
            }
            return texts
        }
    }

    /// The elements of a JSON array, each as canonical JSON; nil for any other text.
    static func elements(of text: String?) -> [String]? {
        reading(text) { reader, bytes in
            guard try reader.nextKind(in: bytes) == .array else {
                throw reader.unexpected(in: bytes)
            }
            var elements: [String] = []
            while try reader.nextElement(in: bytes, isFirst: elements.isEmpty) {
                elements.append(try reader.canonicalText(in: bytes))
            }
            return elements
        }
    }

    /// A JSON string; nil for any other text.
    static func text(of text: String?) -> String? {
        reading(text) { reader, bytes in try reader.text(in: bytes) }
    }

    /// A JSON object of members that are JSON, sorted by key; empty without members.
    static func object(_ members: [String: String]) -> String {
        if members.isEmpty { return "" }
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return "{" + sorted.map { json($0.key) + ":" + $0.value }.joined(separator: ",") + "}"
    }

    /// A string as JSON.
    static func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONEscaping.append(quoted: text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// An array of strings as JSON.
    static func json(_ texts: [String]) -> String {
        "[" + texts.map { json($0) }.joined(separator: ",") + "]"
    }

    private static func reading<Value>(
        _ text: String?, _ body: (inout TaskJSONReader, RawSpan) throws -> Value
    ) -> Value? {
        guard let text, !text.isEmpty else { return nil }
        // `bytes` is unsafe because some elements have padding. Bytes of UTF-8 have none.
        let bytes = unsafe text.utf8Span.span.bytes
        var reader = TaskJSONReader(bytes)
        guard let value = try? body(&reader, bytes), reader.isAtEnd(in: bytes) else { return nil }
        return value
    }
}

extension TaskTextRule {
    /// The tags of one task, as words: white space and control characters become hyphens, as in an import of secrets.
    ///
    /// - Returns: The tags, the texts that they were, the other texts, and whether one of these is no repetition of a tag.
    static func tags(
        of texts: [String]
    ) -> (tags: [String], sources: [String], others: [String], isIncomplete: Bool) {
        var (tags, sources, others): ([String], [String], [String]) = ([], [], [])
        var keys: Set<NameKey> = []
        var isIncomplete = false
        for text in texts {
            let tag = word(text)
            guard !tag.isEmpty, !keys.contains(NameKey(tag)) else {
                others.append(text)
                continue
            }
            guard tags.count < maximumTags, isStorable({ $0.tags = [tag] }) else {
                others.append(text)
                isIncomplete = true
                continue
            }
            keys.insert(NameKey(tag))
            tags.append(tag)
            sources.append(text)
        }
        return (tags, sources, others, isIncomplete)
    }

    /// The text with a hyphen in place of white space and control characters.
    private static func word(_ text: String) -> String {
        text.unicodeScalars.split { scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
        }.map { String($0) }.joined(separator: "-")
    }

    /// The list of this name; nil if the name is invalid for a list.
    static func list(_ name: String?) -> String? {
        guard let name, isStorable({ $0.list = name }) else { return nil }
        return name
    }

    private static func isStorable(_ change: (inout TodoTask) -> Void) -> Bool {
        var task = TodoTask(
            id: TaskID(number: 0), content: .plain(TaskText(name: "")),
            created: PointInTime(milliseconds: 0))
        change(&task)
        return (try? check(publicPartOf: task)) != nil
    }
}
