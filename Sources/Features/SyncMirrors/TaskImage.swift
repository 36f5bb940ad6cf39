internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks

/// The names of tasks in the list and in records. No two objects have the same: the later one takes it.
struct TaskNames {
    private var objects: [TaskID: ObjectID] = [:]
    private var tasks: [ObjectID: TaskID] = [:]

    init(_ counterparts: [Counterpart]) {
        for counterpart in counterparts {
            if let task = counterpart.task { self[counterpart.object] = task }
        }
    }

    subscript(object: ObjectID) -> TaskID? {
        get { tasks[object] }
        set {
            if let old = tasks[object], objects[old] == object { objects[old] = nil }
            tasks[object] = newValue
            guard let newValue else { return }
            if let other = objects[newValue], other != object { tasks[other] = nil }
            objects[newValue] = object
        }
    }

    subscript(task: TaskID) -> ObjectID? { objects[task] }
}

/// A task without its text, as both the list and records have it. Equal fields mean equal images.
struct TaskImage {
    /// The row. Its content is not used, and it has no subtasks.
    var task: TodoTask
    /// The subtasks in their order; if the order is not known, those that the database has.
    var subtasks: [(id: SubtaskID, row: SubtaskRow)] = []
    /// Tasks that come before this one, and whose six characters are not known.
    var unknown: Set<ObjectID> = []

    /// The records of the image, but for those of the due date, of texts, of protection, and of which subtasks there are. A field that is
    /// missing has the content ``missing(_:)``.
    func fields(_ names: TaskNames) -> [RecordField: [UInt8]] {
        var fields: [RecordField: [UInt8]] = [
            .created: bytes(of: task.created.milliseconds),
            .characters: task.id.name,
        ]
        if let completion = task.completion {
            fields[.done] = RecordContent.flag(true)
            fields[.completed] =
                bytes(of: completion.time.milliseconds)
                + bytes(of: completion.keptFrom.milliseconds)
            if completion.cleared != nil { fields[.cleared] = RecordContent.flag(true) }
        }
        if let list = task.list { fields[.list] = Array(list.utf8) }
        for tag in task.tags { fields[.tag(tag)] = RecordContent.flag(true) }
        for id in task.dependencies {
            if let other = names[id] { fields[.dependency(other)] = RecordContent.flag(true) }
        }
        if let rule = task.repetition { fields[.repetition] = Array(rule.text.utf8) }
        if let snooze = task.snooze { fields[.snooze] = bytes(of: snooze.milliseconds) }
        if let start = task.wait { fields[.start] = bytes(of: start.stored) }
        if let reminder = task.reminder { fields[.reminder] = bytes(of: reminder.stored) }
        if task.priority != .none { fields[.priority] = [UInt8(task.priority.rawValue)] }
        if let nickname = task.nickname { fields[.nickname] = Array(nickname.utf8) }
        for (id, row) in subtasks {
            if row.isDone { fields[.subtaskDone(id)] = RecordContent.flag(true) }
            if let due = row.due { fields[.subtaskDue(id)] = bytes(of: due.stored) }
            if let time = row.reminder { fields[.subtaskReminder(id)] = bytes(of: time.stored) }
            if let time = row.snooze { fields[.subtaskSnooze(id)] = bytes(of: time.milliseconds) }
        }
        return fields
    }

    /// The content of a field that has no record.
    static func missing(_ field: RecordField) -> [UInt8] {
        let isFlag =
            field == .done || field == .cleared || field.tag != nil || field.precedingTask != nil
            || field.ofSubtask.map { field == .subtaskDone($0) } == true
        return isFlag ? RecordContent.flag(false) : []
    }
}

private func bytes(of number: Int64) -> [UInt8] {
    var writer = ByteWriter(capacity: 8)
    writer.integer(number)
    return writer.bytes
}

// MARK: From records

extension ObjectState {
    private func bytes(_ field: RecordField) -> [UInt8] {
        fields[field]?.current.content.bytes ?? []
    }
    private func number(_ field: RecordField) -> Int64? { numbers(field).first }
    private func text(_ field: RecordField) -> String? {
        let bytes = bytes(field)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
    private func numbers(_ field: RecordField) -> [Int64] {
        ByteReader.reading(bytes(field)) { reader in
            var numbers: [Int64] = []
            while let number = reader.integer(Int64.self) { numbers.append(number) }
            return numbers
        }
    }
    private func time(_ field: RecordField) -> TaskTime? {
        number(field).flatMap { TaskTime(travelled: $0) }
    }
    private func isSet(_ field: RecordField) -> Bool {
        fields[field]?.current.content.isSet ?? false
    }

    /// The six characters that records give the task.
    var characters: TaskID? { TaskID(name: bytes(.characters)) }

    /// When it was made.
    var created: PointInTime? { number(.created).flatMap { PointInTime(travelled: $0) } }

    /// Whether it is done, and hidden.
    var isCleared: Bool { isSet(.done) && isSet(.cleared) }

    /// From when on a done task is kept until it is cleared.
    var keptFrom: PointInTime? {
        isSet(.done) ? numbers(.completed).last.flatMap { PointInTime(travelled: $0) } : nil
    }

    /// The times at which occurrences were done, each with all that records say.
    func completionTimes() -> [Int64: Set<PointInTime>] {
        var times: [Int64: Set<PointInTime>] = [:]
        for (field, state) in fields {
            guard let occurrence = field.occurrence else { continue }
            for version in [state.current] + state.earlier.map(\.version) {
                if let time = version.occurrenceDate?.completed {
                    times[occurrence, default: []].insert(time)
                }
            }
        }
        return times
    }

    /// The completion after which the present occurrence is due, with its stamp.
    private var lastCompletion: (date: OccurrenceDate, stamp: Stamp)? {
        guard let due, !due.isEdited else { return nil }
        var found: (date: OccurrenceDate, stamp: Stamp)?
        for (field, state) in fields {
            guard let occurrence = field.occurrence, completed.contains(occurrence) else {
                continue
            }
            for version in [state.current] + state.earlier.map(\.version) {
                guard let content = version.content.bytes,
                    case .done(let next, let date)? = Completion(content), next == due.occurrence,
                    date == due.date, let date = OccurrenceDate(date), date.completed != nil,
                    found.map({ $0.stamp < version.stamp }) ?? true
                else { continue }
                found = (date, version.stamp)
            }
        }
        return found
    }

    /// The subtasks of all fields, removed ones included, with their six characters. Of two with the same, the larger id gets others.
    func subtaskNames() -> [SubtaskID: TaskID] {
        let live = Set(subtasks.map(\.id))
        let known = Set(fields.keys.compactMap(\.ofSubtask))
        let sorted = known.sorted {
            (live.contains($0) ? 0 : 1, $0) < (live.contains($1) ? 0 : 1, $1)
        }
        var names: [SubtaskID: TaskID] = [:]
        var taken: Set<TaskID> = []
        for id in sorted {
            var name = TaskID(name: id.bytes.prefix(TaskID.length)) ?? id.derived(0)
            var round = 0
            while live.contains(id), !taken.insert(name).inserted {
                name = id.derived(round)
                round += 1
            }
            names[id] = name
        }
        return names
    }

    /// The task that records describe.
    ///
    /// - Parameters:
    ///   - id: Its six characters.
    ///   - row: The row, whose order of tags and dependencies and whose time of clearing stay.
    ///   - now: The time of clearing otherwise.
    ///   - calendar: The calendar of the owner.
    ///   - name: Gives the six characters of another task.
    /// - Returns: The image.
    func image(
        _ id: TaskID, row: TodoTask?, now: PointInTime, in calendar: any LocalCalendar,
        name: (ObjectID) throws -> TaskID?
    ) rethrows -> TaskImage {
        var task = TodoTask(
            id: id, content: .plain(TaskText(name: "")), created: created ?? row?.created ?? now)
        if isSet(.done), let stamp = fields[.done]?.current.stamp {
            let times = numbers(.completed).compactMap { PointInTime(travelled: $0) }
            let time = times.first ?? PointInTime(milliseconds: stamp.milliseconds)
            task.completion = TaskCompletion(
                time: time, keptFrom: times.last ?? time,
                cleared: isSet(.cleared) ? row?.completion?.cleared ?? now : nil)
        }
        task.list = text(.list)
        let tags = self.tags.compactMap(\.tag)
        task.tags = Self.ordered(tags, as: row?.tags ?? [])
        var image = TaskImage(task: task)
        var dependencies: [TaskID] = []
        for field in fields.keys.sorted() where isSet(field) {
            guard let other = field.precedingTask else { continue }
            if let found = try name(other) {
                dependencies.append(found)
            } else {
                image.unknown.insert(other)
            }
        }
        image.task.dependencies = Self.ordered(dependencies, as: row?.dependencies ?? [])
        image.task.priority =
            bytes(.priority).first.flatMap { TaskPriority(rawValue: Int64($0)) } ?? .none
        image.task.nickname = isProtected ? text(.nickname) : nil
        setTimes(of: &image.task, in: calendar)
        let names = subtaskNames()
        image.subtasks = subtasks.map { subtask in
            (
                subtask.id,
                SubtaskRow(
                    id: names[subtask.id] ?? subtask.id.derived(0),
                    isDone: isSet(.subtaskDone(subtask.id)), due: time(.subtaskDue(subtask.id)),
                    reminder: time(.subtaskReminder(subtask.id)),
                    snooze: number(.subtaskSnooze(subtask.id)).flatMap {
                        PointInTime(travelled: $0)
                    })
            )
        }
        return image
    }

    /// The due date, and what moves with it. After a completion the times are those of its record, unless a field has a newer one.
    private func setTimes(of task: inout TodoTask, in calendar: any LocalCalendar) {
        let date = due.flatMap { OccurrenceDate($0.date) }
        task.due = date?.due
        task.occurrence = date?.occurrence
        setTimesOfFields(of: &task)
        if let last = lastCompletion {
            func isNewer(_ field: RecordField) -> Bool {
                fields[field].map { last.stamp < $0.current.stamp } ?? false
            }
            if let rule = last.date.rule, !isNewer(.repetition) {
                task.repetition = try? RepeatRule(rule: rule)
            }
            if !isNewer(.start) { task.wait = last.date.start }
            if !isNewer(.reminder) { task.reminder = last.date.reminder }
            if !isNewer(.snooze) { task.snooze = nil }
        }
        if task.due == nil { task.repetition = nil }
        // The rule can come from a device that did not know this due date.
        task.occurrence = task.effectiveOccurrence(in: calendar)
    }

    /// The times that are fields: those of a task whose due date was changed after its last completion.
    func setTimesOfFields(of task: inout TodoTask) {
        task.repetition = text(.repetition).flatMap { try? RepeatRule(rule: $0) }
        task.wait = time(.start)
        task.reminder = time(.reminder)
        task.snooze = number(.snooze).flatMap { PointInTime(travelled: $0) }
    }

    /// The elements in an order that they had; others follow.
    private static func ordered<Element: Hashable>(
        _ elements: [Element], as old: [Element]
    ) -> [Element] {
        let (new, known) = (Set(elements), Set(old))
        return old.filter { new.contains($0) } + elements.filter { !known.contains($0) }
    }
}

extension SyncID {
    /// Six characters derived from an id, in place of others that are taken.
    func derived(_ round: Int) -> TaskID {
        let number = bytes.dropFirst(6).reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) &+ 1 }
        return TaskID(number: number &+ UInt64(round) &* 0x9E37_79B9)
    }
}

// MARK: Dates

extension PointInTime {
    /// Reads a time in milliseconds; nil outside the years 0 to 9999, which no list has.
    fileprivate init?(travelled milliseconds: Int64) {
        guard (-62_167_219_200_000..<253_402_300_800_000).contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension TaskTime {
    /// Reads a time as the database has it; nil outside the years 0 to 9999.
    fileprivate init?(travelled stored: Int64) {
        guard PointInTime(travelled: stored / 2) != nil else { return nil }
        self.init(stored: stored)
    }
}

/// The date of an occurrence, as due dates and completions have it:
///
///     time due ‖ text occurrence ‖ in a completion: time completed ‖ time start ‖ time reminder ‖ text rule
///
/// A time is u8 0, or u8 1 ‖ i64.
struct OccurrenceDate: Hashable {
    var due: TaskTime?
    /// The occurrence (`Occurrence.text`), if the task has one.
    var occurrence: Occurrence?
    /// When the occurrence before was done.
    var completed: PointInTime?
    var start: TaskTime?
    var reminder: TaskTime?
    /// The rule after the completion, if it changed.
    var rule: String?

    init(_ task: TodoTask, in calendar: any LocalCalendar) {
        due = task.due
        occurrence = task.effectiveOccurrence(in: calendar)
    }

    init?(_ bytes: [UInt8]) {
        let date = ByteReader.reading(bytes) { Self(reading: &$0) }
        guard let date else { return nil }
        self = date
    }

    private init?(reading reader: inout ByteReader) {
        if reader.isAtEnd { return }
        guard let due = Self.number(&reader), let text = reader.text() else { return nil }
        self.due = due.value.flatMap { TaskTime(travelled: $0) }
        occurrence = Occurrence(text)
        if reader.isAtEnd { return }
        guard let completed = Self.number(&reader), let start = Self.number(&reader),
            let reminder = Self.number(&reader), let rule = reader.text()
        else { return nil }
        self.completed = completed.value.flatMap { PointInTime(travelled: $0) }
        self.start = start.value.flatMap { TaskTime(travelled: $0) }
        self.reminder = reminder.value.flatMap { TaskTime(travelled: $0) }
        self.rule = rule.isEmpty ? nil : rule
    }

    private static func number(_ reader: inout ByteReader) -> (value: Int64?, Void)? {
        switch reader.integer(UInt8.self) {
        case 0: (nil, ())
        case 1: reader.integer(Int64.self).map { ($0, ()) }
        default: nil
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        func add(_ number: Int64?) {
            writer.integer(UInt8(number == nil ? 0 : 1))
            if let number { writer.integer(number) }
        }
        add(due?.stored)
        writer.text(occurrence?.text ?? "")
        guard let completed else { return writer.bytes }
        add(completed.milliseconds)
        add(start?.stored)
        add(reminder?.stored)
        writer.text(rule ?? "")
        return writer.bytes
    }
}

extension Version {
    /// The date of a completion.
    var occurrenceDate: OccurrenceDate? {
        guard let content = content.bytes, case .done(_, let date)? = Completion(content) else {
            return nil
        }
        return OccurrenceDate(date)
    }
}

extension TodoTask {
    /// The occurrence, also if the row does not name it because it is the due time in the zone of the owner.
    func effectiveOccurrence(in calendar: any LocalCalendar) -> Occurrence? {
        repetition == nil ? occurrence : presentOccurrence(in: calendar)
    }

    /// The number of the occurrence: the date and the time for which the rule scheduled it, in seconds.
    func occurrenceNumber(in calendar: any LocalCalendar) -> Int64? {
        repetition == nil ? nil : presentOccurrence(in: calendar)?.scheduled.local.secondsInUTC
    }
}
