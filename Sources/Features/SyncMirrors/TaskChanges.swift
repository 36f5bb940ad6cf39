internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks

/// The records of one task that changed in the list: the row compared with what its records said before.
struct TaskChanges {
    private let mirror: TaskMirror
    private let object: ObjectID
    private let row: TodoTask
    /// The text; nil for text in the vault that cannot be read now.
    private let text: TaskText?
    private let capture: TaskMirror.Capture
    private let transaction: any MirrorTransaction
    /// The names of the tasks that this one names, also of those without a row.
    private var names: TaskNames
    private let hidden: Set<RecordKey>
    private let stamp: Stamp

    /// The time of the records of a new task, in milliseconds since 1970-01-01 UTC; nil for that of the change.
    var time: Int64?
    /// The stamps of changes that a former device did not send, by the number of their field.
    var times: [UInt32: Stamp] = [:]
    /// When the row was changed last, before this home joined again.
    var changed: PointInTime?
    private var base: ObjectState?
    private(set) var drafts: [Draft] = []
    /// Removals of subtasks, undone completions and ends of protection, to be written when this device shows that it has seen the records.
    private(set) var late: [Draft] = []
    /// The size of the records, roughly.
    private(set) var size = 0

    /// - Parameters:
    ///   - mirror: The mirror.
    ///   - object: The task.
    ///   - row: Its row.
    ///   - capture: What the capture knows.
    ///   - transaction: The transaction.
    ///   - hidden: Records of the task that are not applied yet.
    ///   - stamp: A stamp that no other change has.
    init(
        _ mirror: TaskMirror, _ object: ObjectID, _ row: TodoTask, _ capture: TaskMirror.Capture,
        _ transaction: any MirrorTransaction, hidden: Set<RecordKey>, _ stamp: Stamp
    ) {
        self.mirror = mirror
        self.object = object
        self.row = row
        text = row.plainText ?? capture.texts?[row.id]
        self.capture = capture
        names = capture.names
        self.transaction = transaction
        self.hidden = hidden
        self.stamp = stamp
    }

    /// Makes the records.
    ///
    /// - Returns: `false` if a text that others wrote is still sealed, or protection ends: V must come before anything is written.
    /// - Throws: The errors of the store.
    mutating func collect() throws -> Bool {
        let versions = try transaction.versions(of: object)
        let base = transaction.taskState(over: versions, without: hidden)
        self.base = base
        for other in base?.fields.keys.compactMap(\.precedingTask) ?? []
        where names[other] == nil {
            if let name = try mirror.name(of: other, transaction) { names[other] = name }
        }
        var image = TaskImage(task: row)
        let ids = subtaskIDs(base)
        image.subtasks = subtasks(base, ids)
        guard let base else {
            add(.create, [ObjectState.Kind.task])
            if row.due != nil || row.occurrence != nil { addDue(0, isEdited: false) }
            if row.isProtected { add(.protection, RecordContent.flag(true)) }
            addFields([:], image, nil)
            _ = try addTexts(ids, nil)
            addPositions(ids, nil)
            return true
        }
        // The task is known: this is a change of now.
        time = nil
        var old = base.image(
            base.characters ?? row.id, row: row, now: mirror.now(), in: mirror.calendar
        ) {
            names[$0]
        }
        addOccurrences(base, versions, &old)
        addFields(old.fields(names), image, base)
        if row.isProtected, !base.isProtected { add(.protection, RecordContent.flag(true)) }
        if base.isProtected, !row.isProtected {
            guard mirror.hasTextKey else { return false }
            let draft = Draft(object, .protection, .afterVerification, try .notProtected())
            if isLate(.protection) {
                late.append(draft)
            } else {
                drafts.append(draft)
                // Text that is older than the end of protection would be one in the open for a protected task.
                (times, changed) = ([:], nil)
            }
        }
        if text != nil {
            let sealed = try transaction.sealedFields(of: object)
            if try !sealed.isDisjoint(with: addTexts(ids, base)) { return false }
            addPositions(ids, base)
        }
        return true
    }

    private mutating func add(_ field: RecordField, _ content: [UInt8], at time: Int64? = nil) {
        drafts.append(
            Draft(object, field, .list, content, modified: time ?? earlier(field) ?? self.time))
        size += 64 + field.detail.count + content.count
    }

    /// The time of a change that was made before this home joined again.
    private func earlier(_ field: RecordField) -> Int64? {
        let unsent = times[field.number].map { PointInTime(milliseconds: $0.milliseconds) }
        return time(unsent ?? changed, field, base)
    }

    /// Whether a record counts only for what its author has seen, and no news concern it: then it is written after all others.
    private func isLate(_ field: RecordField) -> Bool {
        mirror.replica.isBlind
            && !hidden.contains { key in
                key.field == field
                    || field.ofSubtask.map { key.field.ofSubtask == $0 } ?? false
            }
    }

    private mutating func addCovering(_ field: RecordField, _ content: [UInt8]) {
        guard isLate(field) else { return add(field, content) }
        late.append(Draft(object, field, .list, content))
    }

    // MARK: Fields

    private mutating func addFields(
        _ old: [RecordField: [UInt8]], _ image: TaskImage, _ base: ObjectState?
    ) {
        let new = image.fields(names)
        let subtasks = Set(image.subtasks.map(\.id))
        for field in Set(old.keys).union(new.keys).sorted() {
            let missing = TaskImage.missing(field)
            let content = new[field] ?? missing
            guard content != old[field] ?? missing else { continue }
            // A removed subtask needs no further record, and neither does the time of a task that is open.
            if let id = field.ofSubtask, !subtasks.contains(id) { continue }
            if field == .completed, new[field] == nil { continue }
            let isCompletion = field == .done || field == .completed
            add(
                field, content,
                at: isCompletion ? time(row.completion?.time, field, base) : nil)
        }
    }

    /// The real time of a change, if it is newer than all that records say of the field.
    private func time(
        _ time: PointInTime?, _ field: RecordField, _ base: ObjectState?
    ) -> Int64? {
        guard let time = time?.milliseconds, time >= 0, time < stamp.milliseconds else {
            return nil
        }
        let known = base?.fields[field].map { [$0.current] + $0.earlier.map(\.version) } ?? []
        return known.allSatisfy { $0.stamp.milliseconds < time } ? time : nil
    }

    // MARK: Due dates and completions

    private mutating func addDue(_ least: Int64, isEdited: Bool) {
        let number = row.occurrenceNumber(in: mirror.calendar) ?? least
        let due = DueDate(
            occurrence: max(number, least), isEdited: isEdited,
            date: OccurrenceDate(row, in: mirror.calendar).bytes)
        add(.due, due.bytes)
    }

    /// Adds completions, those that were undone, and a due date that was moved.
    ///
    /// - Parameters:
    ///   - base: The state before.
    ///   - versions: All records of the task.
    ///   - old: The task before; gets the times after completions.
    private mutating func addOccurrences(
        _ base: ObjectState, _ versions: [Version], _ old: inout TaskImage
    ) {
        var named = base.due?.occurrence
        if let number = row.occurrenceNumber(in: mirror.calendar),
            let last = old.task.occurrenceNumber(in: mirror.calendar), number != last
        {
            if number > last {
                addCompletions(base, versions, &old, &named)
            } else {
                addUndone(from: number, base, versions, &old, &named)
            }
        }
        let (own, others) = (
            OccurrenceDate(row, in: mirror.calendar), OccurrenceDate(old.task, in: mirror.calendar)
        )
        guard own != others else { return }
        addDue(named ?? 0, isEdited: named != nil)
        // From now on those of the last completion do not count.
        base.setTimesOfFields(of: &old.task)
    }

    /// The row is at a later occurrence: those before were done if completions were counted. Otherwise a person moved the series.
    private mutating func addCompletions(
        _ base: ObjectState, _ versions: [Version], _ old: inout TaskImage, _ named: inout Int64?
    ) {
        // Completions that were counted before the task had records are no news.
        let since = versions.filter { $0.field == .create }.map(\.applied).min() ?? 0
        let known = base.completionTimes().values.reduce(into: Set()) { $0.formUnion($1) }
        let fresh = (capture.completions[row.id] ?? []).filter {
            $0.milliseconds >= since && !known.contains($0)
        }.sorted()
        guard let last = fresh.last, let first = named else { return }
        var steps: [(task: TodoTask, time: PointInTime)] = []
        var task = old.task
        for time in fresh {
            guard let next = task.repeated(now: time, in: mirror.calendar) else { break }
            task = next.task
            steps.append((task, time))
        }
        let number = row.occurrenceNumber(in: mirror.calendar)
        if steps.last?.task.occurrenceNumber(in: mirror.calendar) != number {
            task = old.task
            (task.due, task.repetition, task.occurrence) = (
                row.due, row.repetition, row.effectiveOccurrence(in: mirror.calendar)
            )
            (task.wait, task.reminder, task.snooze) = (row.wait, row.reminder, nil)
            steps = [(task, last)]
        }
        var present = first
        var rule = old.task.repetition
        for step in steps {
            let number = step.task.occurrenceNumber(in: mirror.calendar) ?? present
            // Other devices can number an occurrence as they like.
            let next = max(number, present == .max ? present : present + 1)
            var date = OccurrenceDate(step.task, in: mirror.calendar)
            date.completed = step.time
            (date.start, date.reminder) = (step.task.wait, step.task.reminder)
            if step.task.repetition != rule { date.rule = step.task.repetition?.text }
            rule = step.task.repetition
            let field = RecordField.completion(present)
            add(
                field, Completion.done(next: next, date: date.bytes).bytes,
                // The fields that it replaces are older, too.
                at: versions.allSatisfy { $0.stamp.milliseconds < step.time.milliseconds }
                    ? time(step.time, field, base) : nil)
            present = next
        }
        named = present
        old.task = task
    }

    /// The row is at an earlier occurrence: `task undo` took completions back, or a person moved the series.
    private mutating func addUndone(
        from number: Int64, _ base: ObjectState, _ versions: [Version], _ old: inout TaskImage,
        _ named: inout Int64?
    ) {
        let times = base.completionTimes()
        let counted = Set(capture.completions[row.id] ?? [])
        let undone = base.completed.filter { occurrence in
            occurrence >= number && times[occurrence]?.isDisjoint(with: counted) != false
        }
        guard !undone.isEmpty else { return }
        for occurrence in undone.sorted() {
            addCovering(.completion(occurrence), Completion.undone.bytes)
        }
        let rest = versions.filter { $0.field.occurrence.map { !undone.contains($0) } ?? true }
        guard let state = transaction.taskState(over: rest, without: hidden) else { return }
        named = state.due?.occurrence
        let subtasks = old.subtasks
        old = state.image(old.task.id, row: row, now: mirror.now(), in: mirror.calendar) {
            names[$0]
        }
        old.subtasks = subtasks
    }

    // MARK: Subtasks

    /// The ids of the subtasks in the row, by their six characters. The id of a new one follows from them and from the task.
    private func subtaskIDs(_ base: ObjectState?) -> [TaskID: SubtaskID] {
        let live = Set(base?.subtasks.map(\.id) ?? [])
        var ids: [TaskID: SubtaskID] = [:]
        for (id, name) in base?.subtaskNames() ?? [:]
        where live.contains(id) || ids[name].map({ !live.contains($0) && $0 < id }) ?? true {
            ids[name] = id
        }
        for subtask in text?.subtasks ?? [] where ids[subtask.id] == nil {
            let rest = Blake2b.hash(size: SubtaskID.size) { hash in
                hash.feed("TVTS")
                hash.feed(object.bytes)
                hash.feed(subtask.id.name)
            }
            ids[subtask.id] = SubtaskID(
                subtask.id.name + rest.prefix(SubtaskID.size - TaskID.length))
        }
        return ids
    }

    /// The subtasks of the row; without the text, those that records know.
    private func subtasks(
        _ base: ObjectState?, _ ids: [TaskID: SubtaskID]
    ) -> [(id: SubtaskID, row: SubtaskRow)] {
        let rows = Dictionary(row.subtaskRows.map { ($0.id, $0) }) { first, _ in first }
        if let text {
            return text.subtasks.compactMap { subtask in
                ids[subtask.id].map { id in
                    (id, row.isProtected ? rows[subtask.id] ?? blank(subtask.id) : subtask.row)
                }
            }
        }
        let names = base?.subtaskNames() ?? [:]
        return base?.subtasks.compactMap { subtask in
            names[subtask.id].map { (subtask.id, rows[$0] ?? blank($0)) }
        } ?? []
    }

    private func blank(_ id: TaskID) -> SubtaskRow {
        SubtaskRow(id: id, isDone: false, due: nil, reminder: nil)
    }

    /// Adds positions of new and moved subtasks, as few as possible, and the removal of others.
    private mutating func addPositions(_ ids: [TaskID: SubtaskID], _ base: ObjectState?) {
        guard let text else { return }
        let order = text.subtasks.compactMap { ids[$0.id] }
        var positions: [SubtaskID: Position] = [:]
        var ranks: [SubtaskID: Int] = [:]
        for (rank, subtask) in (base?.subtasks ?? []).enumerated() {
            positions[subtask.id] = subtask.position
            ranks[subtask.id] = rank
        }
        let kept = Self.ascending(order.compactMap { ranks[$0] })
        var lower: Position?
        for (index, id) in order.enumerated() {
            if let rank = ranks[id], kept.contains(rank) {
                lower = positions[id]
                continue
            }
            let next = order[(index + 1)...].first { ranks[$0].map(kept.contains) ?? false }
            let position = Position.between(
                lower, next.flatMap { positions[$0] }, stamp: stamp)
            add(.subtaskPosition(id), position.bytes)
            lower = position
        }
        for subtask in base?.subtasks ?? [] where !order.contains(subtask.id) {
            addCovering(.subtaskRemove(subtask.id), [])
        }
    }

    /// The longest ascending part of distinct numbers.
    private static func ascending(_ numbers: [Int]) -> Set<Int> {
        var ends: [Int] = []
        var before: [Int: Int] = [:]
        for number in numbers {
            let place = ends.firstIndex { $0 > number } ?? ends.count
            before[number] = place > 0 ? ends[place - 1] : nil
            if place < ends.count { ends[place] = number } else { ends.append(number) }
        }
        var found: Set<Int> = []
        var next = ends.last
        while let number = next {
            found.insert(number)
            next = before[number]
        }
        return found
    }

    // MARK: Texts

    /// Adds the texts that changed.
    ///
    /// - Returns: Their fields.
    private mutating func addTexts(
        _ ids: [TaskID: SubtaskID], _ base: ObjectState?
    ) throws -> [RecordField] {
        guard let text else { return [] }
        var changed: [RecordField] = []
        // Protected text is written anew when it leaves the open part.
        let isHidden = row.isProtected && base?.isProtected == false
        var texts: [(RecordField, String)] = [
            (.taskName, text.name), (.notes, text.notes), (.further, text.further),
        ]
        texts += text.subtasks.compactMap { subtask in
            ids[subtask.id].map { (.subtaskName($0), subtask.name) }
        }
        for (field, text) in texts {
            let current = base?.fields[field]?.current
            if current == nil, text.isEmpty { continue }
            if try !isHidden && mirror.has(text, current, row.isProtected, transaction) { continue }
            changed.append(field)
            let bytes = Array(text.utf8)
            guard row.isProtected else {
                add(field, bytes)
                continue
            }
            let secret = try SecretBytes(copying: unsafe bytes.span.bytes)
            drafts.append(
                Draft(
                    object, field, .afterVerification, .secret(SecretContent(secret)),
                    modified: earlier(field) ?? time))
            size += 64 + bytes.count
        }
        return changed
    }
}
