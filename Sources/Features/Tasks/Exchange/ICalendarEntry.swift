/// A VTODO.
struct ICalendarEntry {
    let component: ICalendarComponent
    /// The name of its calendar.
    let list: String?

    init(_ component: ICalendarComponent, list: String?) {
        self.component = component
        self.list = list
    }

    /// The name for reports; nil if there is none.
    var title: String? { component.title }

    var line: Int { component.line }
    var uid: String? { component.first("UID")?.text }
    var isCancelled: Bool { component.first("STATUS")?.value.uppercased() == "CANCELLED" }

    /// The id of a task that TaskVault wrote. Exceptions of a repeated task have separate ids.
    var ownID: TaskID? {
        guard component.first("RECURRENCE-ID") == nil else { return nil }
        return component.first("X-TASKVAULT-ID").flatMap { TaskID($0.value) }
    }

    /// The occurrence of a repetition that the entry replaces.
    var recurrenceID: ICalendarProperty? { component.first("RECURRENCE-ID") }

    /// The UID and `RECURRENCE-ID` of a task that was imported as an occurrence of a repetition; nil for any other task.
    static func override(of text: TaskText?) -> (uid: String, time: ICalendarProperty)? {
        guard let further = text?.further, further.has("RECURRENCE-ID"),
            let kept = FurtherAttributes.texts(
                of: FurtherAttributes.members(of: further)?[FurtherAttributes.iCalendar]),
            let component = ICalendarReader.read(kept, of: "VTODO")
        else { return nil }
        let entry = ICalendarEntry(component, list: nil)
        guard let uid = entry.uid, let time = entry.recurrenceID else { return nil }
        return (uid, time.withoutZone)
    }

    /// The text that determines the id.
    var identity: String {
        let further = component.first("RECURRENCE-ID").map { " " + $0.withoutZone.value } ?? ""
        if let uid { return uid + further }
        return ["CREATED", "SUMMARY"].map { component.first($0)?.value ?? "" }.joined(
            separator: " ")
            + further
    }

    /// The size of its lines, in bytes.
    var size: Int { component.content.reduce(0) { $0 + $1.utf8.count } }

    /// The UIDs of the possible parent tasks.
    var parents: [String] {
        guard component.first("RECURRENCE-ID") == nil else { return [] }
        return component.properties.filter {
            $0.name == "RELATED-TO"
                && ($0.parameters["RELTYPE"] ?? "PARENT").uppercased() == "PARENT"
        }.map(\.text)
    }

    /// Whether a child can be a subtask, which neither repeats nor has a list of its own.
    var isSubtask: Bool {
        ["RRULE", "RDATE", "X-TASKVAULT-LIST"].allSatisfy { component.first($0) == nil }
    }

    /// Whether a task has what a subtask lacks.
    static func exceedsSubtask(_ task: ExchangedTask) -> Bool {
        task.text?.notes.isEmpty == false || !task.tags.isEmpty || task.wait != nil
            || task.priority != .none
    }

    /// Whether kept lines have attributes that TaskVault lacks.
    static func hasOthers(_ lines: [String], ofSubtask isSubtask: Bool = false) -> Bool {
        guard let component = ICalendarReader.read(lines, of: "VTODO") else { return true }
        let known = isSubtask ? knownOfSubtasks : knownOfSubtasks.union(knownOfTasks)
        return !known.isSuperset(of: component.properties.map(\.name))
            || component.components.count { $0.name == "VALARM" && !$0.isOfPlace } > 1
            || component.components.contains { $0.name != "VALARM" || $0.isOfPlace }
    }

    /// Properties whose meaning a subtask has, and those that only a calendar needs.
    private static let knownOfSubtasks: Set = [
        "UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "SUMMARY", "STATUS", "COMPLETED",
        "PERCENT-COMPLETE", "DUE", "RELATED-TO",
    ]
    /// Further ones of tasks. A repetition is counted itself.
    private static let knownOfTasks: Set = [
        "DESCRIPTION", "DTSTART", "DURATION", "RRULE", "EXDATE", "RDATE", "RECURRENCE-ID",
        "PRIORITY", "CATEGORIES",
    ]

    /// Properties whose meanings depend on each other.
    static let timeNames: Set = [
        "DTSTART", "DUE", "DURATION", "RRULE", "EXDATE", "RDATE", "X-TASKVAULT-WAIT",
        "X-TASKVAULT-DUE",
    ]
}

extension ICalendarComponent {
    /// The name for reports; nil if there is none.
    var title: String? {
        name(or: first("DESCRIPTION")?.text ?? "") ?? first("UID")?.text
    }

    /// The summary, or else the first line of the description; nil if both are blank.
    func name(or notes: String) -> String? {
        let lines = notes.split { $0.isNewline }
        return ([first("SUMMARY")?.text].compactMap(\.self) + lines.map { String($0) }).first {
            !$0.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        }
    }

    /// Whether it is an alarm for a place, as Apple's programs and RFC 9074 write it. Its trigger has a time that means nothing.
    var isOfPlace: Bool {
        ["X-APPLE-PROXIMITY", "X-APPLE-STRUCTURED-LOCATION", "PROXIMITY"].contains {
            first($0) != nil
        } || components.contains { $0.name == "VLOCATION" }
    }

    /// Whether it is Apple's sign that an entry has no alarm: the action `NONE`, at a time in 1976.
    var isUnused: Bool {
        first("ACTION")?.value.uppercased() == "NONE"
            || !isOfPlace && first("TRIGGER")?.value == "19760401T005545Z"
    }

    /// Whether it is an alarm at a time.
    var isReminder: Bool { name == "VALARM" && !isOfPlace && !isUnused }
}
