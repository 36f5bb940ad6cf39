internal import Sealing
internal import SecureStorage
internal import Sync
internal import SyncStorage
package import Tasks

extension TaskMirror {
    /// The number of tasks that one transaction captures or applies.
    static let mostTasks = 500
    /// The size of records from which others go into the next change, in bytes.
    private static let changeSize = 8_388_608

    /// The facts about the list in one capture.
    struct Capture {
        var counterparts: [TaskID: Counterpart]
        var names: TaskNames
        /// The texts of protected tasks that the vault has; nil if it cannot be read now.
        var texts: [TaskID: TaskText]? = [:]
        /// Whether the list was never captured by this device.
        var isFirst = false
        /// The times at which repeated tasks were done.
        var completions: [TaskID: [PointInTime]] = [:]
        /// Rows whose six characters had no object. Others may have named them before.
        var new: Set<TaskID> = []
        /// Counterparts of removed tasks whose rows are back.
        var returned: [Counterpart] = []
        /// Before this home joined again: when the rows were changed last.
        var changed: [TaskID: PointInTime] = [:]
        /// Whether records that this home had not seen concern a task, and whether a person made them.
        var news: [ObjectID: Bool] = [:]
        /// Records that count only for what their author has seen, of tasks with other news.
        var late: [Draft] = []
    }

    /// Makes records of all that changed in the list since the last call.
    ///
    /// - Parameters:
    ///   - unsent: For the first capture, the tasks that an earlier device of this home had changed and not sent.
    ///   - isLast: Whether no round follows: the changes keep the times at which they were made.
    /// - Returns: The number of tasks that were compared with their records.
    /// - Throws: The errors of the list, of the vault and of the store; ``SyncError``. The next call continues.
    @discardableResult
    package func capture(unsent: Set<TaskID> = [], isLast: Bool = false) throws -> Int {
        guard try finishRenaming() else { return 0 }
        let canRead = hasTextKey && vault != nil
        if hasTextKey { try replica.applyKept() }
        let (seen, waiting) = try store.mirrorTransaction {
            (try $0.readHead, canRead ? try $0.objects(.texts) : [])
        }
        guard try repository.head() != seen || !waiting.isEmpty else { return 0 }
        let list = try repository.allRevisions(after: seen)
        guard list.follows else {
            try rejoin()
            return 0
        }
        var capture = try prepare(list.revisions)
        capture.isFirst = seen == nil
        if isResuming || isLast { capture.changed = try repository.changeTimes() }
        if isResuming {
            capture.news = try store.mirrorTransaction { try $0.news() }
        }
        let vanished = capture.counterparts.values.filter {
            !$0.isGone && $0.task.map { list.revisions[$0] == nil } == true
        }
        let dependents = Set(try repository.dependents(of: capture.new))
        let changed = list.revisions.keys.filter { id in
            if dependents.contains(id) { return true }
            let counterpart = capture.counterparts[id]
            return list.revisions[id].map { counterpart?.isRow($0) != true } ?? false
                || counterpart.map { waiting.contains($0.object) } == true
        }.sorted()
        let returned = Set(capture.returned.map(\.object))
        let early = changed.filter { id in
            capture.counterparts[id].map {
                capture.news[$0.object] != nil && !returned.contains($0.object)
            } ?? false
        }
        // What concerns news comes first, while the chain says that this device has seen nothing.
        replica.isBlind = isResuming
        defer { replica.isBlind = false }
        try self.capture(
            early, vanished.filter { capture.news[$0.object] == true }, &capture, unsent)
        replica.isBlind = false
        let late = capture.late
        if !late.isEmpty { try replica.change { _ in late } }
        for var counterpart in capture.returned {
            try store.mirrorTransaction { transaction in
                // As `task undo` brings a removed task back.
                guard try transaction.taskState(of: counterpart.object)?.isRemoved == true else {
                    return
                }
                try replica.restore(counterpart.object, in: transaction)
                // The row may be removed again before a next call, which would find no row that is gone.
                counterpart.revision = Counterpart.noRevision
                try transaction.set(counterpart)
                try mark([counterpart.object], transaction)
            }
        }
        let done = Set(early)
        try self.capture(
            changed.filter { !done.contains($0) },
            vanished.filter { capture.news[$0.object] != true }, &capture, unsent)
        try store.mirrorTransaction { try $0.setReadHead(list.head) }
        return changed.count + vanished.count
    }

    /// Captures rows, and the removal of counterparts.
    private func capture(
        _ changed: [TaskID], _ vanished: [Counterpart], _ capture: inout Capture,
        _ unsent: Set<TaskID>
    ) throws {
        for start in stride(from: 0, to: changed.count, by: Self.mostTasks) {
            let ids = Array(changed[start..<min(start + Self.mostTasks, changed.count)])
            try captureRows(ids, &capture, unsent)
        }
        for start in stride(from: 0, to: vanished.count, by: Self.mostTasks) {
            try captureRemovals(
                vanished[start..<min(start + Self.mostTasks, vanished.count)])
        }
    }

    /// Takes the list for one that was put back: records count, and the next ``apply()`` changes all tasks that differ from them. Tasks
    /// without records are captured as new ones.
    ///
    /// - Throws: The errors of the list and of the store.
    package func rejoin() throws {
        let list = try repository.allRevisions(after: nil)
        try store.mirrorTransaction { transaction in
            let counterparts = try transaction.counterparts()
            for var counterpart in counterparts {
                if let revision = counterpart.task.flatMap({ list.revisions[$0] }) {
                    counterpart.revision = revision.number
                    counterpart.created = revision.created.milliseconds
                } else {
                    counterpart = counterpart.withoutRow
                }
                try transaction.set(counterpart)
            }
            try transaction.update(.again) { $0.formUnion(counterparts.map(\.object)) }
            try transaction.update(.texts) { $0 = [] }
            // Rows without a counterpart are compared as soon as the list changes, or else now.
            let known = Set(counterparts.compactMap(\.task))
            if list.revisions.keys.allSatisfy(known.contains) {
                try transaction.setReadHead(list.head)
            } else {
                try transaction.setNote("head", [])
            }
        }
    }

    /// Takes the list for the newest state: the next ``capture()`` compares each row with its records, and what differs is a change of now.
    ///
    /// - Throws: The errors of the store.
    package func adopt() throws {
        try store.mirrorTransaction { transaction in
            for var counterpart in try transaction.counterparts() where !counterpart.isGone {
                counterpart.revision = Counterpart.noRevision
                try transaction.set(counterpart)
            }
            try transaction.setNote("head", [])
        }
    }

    // MARK: Counterparts

    /// Gives each row a counterpart: the object that it was, or that an interrupted ``apply()`` made it for, or else a new one.
    private func prepare(_ revisions: [TaskID: TaskRepository.Revision]) throws -> Capture {
        let counterparts = try store.mirrorTransaction { try $0.counterparts() }
        let known = Dictionary(
            counterparts.compactMap { each in each.task.map { ($0, each) } },
            uniquingKeysWith: { $1 })
        let created = revisions.filter { known[$0.key]?.isGone ?? true }.mapValues(\.created)
        if created.isEmpty { return Capture(counterparts: known, names: TaskNames(counterparts)) }
        return try store.mirrorTransaction { transaction in
            var capture = Capture(counterparts: known, names: TaskNames(counterparts))
            capture.returned = created.compactMap { id, time in
                known[id].flatMap { $0.created == time.milliseconds ? $0 : nil }
            }.sorted { $0.object < $1.object }
            let made = try applied(transaction)
            for (id, time) in created.sorted(by: { $0.key < $1.key }) {
                var object: ObjectID?
                if let old = known[id] {
                    if old.created == time.milliseconds { continue }
                    try transaction.removeCounterpart(of: old.object)
                    capture.names[old.object] = nil
                    try lookAgain(after: id, transaction)
                } else {
                    object = made[id].flatMap { $0.created == time ? $0.object : nil }
                }
                var own = object ?? self.object(of: id, created: time)
                // Removed here, it came back from others with other characters, and `task undo` brought it back with its old ones, too.
                while let other = capture.names[own], other != id,
                    capture.counterparts[other]?.isGone == false
                {
                    own = self.object(of: id, created: time, before: own)
                }
                // The object is known before the first record that may name it.
                let counterpart = Counterpart(
                    own, name: id.name, revision: 0, created: time.milliseconds)
                try transaction.set(counterpart)
                capture.counterparts[id] = counterpart
                capture.names[counterpart.object] = id
                // Removed, until its six characters were another task's for a while.
                if object == nil, try transaction.taskState(of: counterpart.object) != nil {
                    capture.returned.append(counterpart)
                }
                if known[id] == nil { capture.new.insert(id) }
            }
            return capture
        }
    }

    /// The object of a new row. It follows from the row, so that a list which joins again, and its copy, has the same objects.
    /// If another row is that object, it also follows from it.
    private func object(
        of id: TaskID, created: PointInTime, before other: ObjectID? = nil
    ) -> ObjectID {
        let bytes = Blake2b.hash(size: ObjectID.size) { hash in
            hash.feed("TVTO")
            hash.feed(replica.group.bytes)
            hash.feed(id.name)
            hash.feed(UInt64(bitPattern: created.milliseconds))
            if let other { hash.feed(other.bytes) }
        }
        return ObjectID(bytes) ?? .zero
    }

    /// The tasks of others without a counterpart, by the six characters that an interrupted ``apply()`` may have given their rows.
    private func applied(
        _ transaction: any MirrorTransaction
    ) throws -> [TaskID: (object: ObjectID, created: PointInTime?)] {
        var found: [TaskID: (object: ObjectID, created: PointInTime?)] = [:]
        for object in try transaction.unmirrored() {
            guard try transaction.counterpart(of: object) == nil,
                let state = try transaction.taskState(of: object)
            else { continue }
            for id in [state.characters].compactMap(\.self) + (0..<3).map(object.derived) {
                found[id] = (object, state.created)
            }
        }
        return found
    }

    // MARK: Rows

    private func captureRows(
        _ ids: [TaskID], _ capture: inout Capture, _ unsent: Set<TaskID>
    ) throws {
        let rows = try repository.tasks(ids)
        capture.texts = try readTexts(of: rows)
        capture.completions = try repository.completions(
            of: rows.filter {
                $0.repetition != nil && capture.counterparts[$0.id]?.lastRevision != 0
            }.map(\.id))
        try store.mirrorTransaction { transaction in
            let unmirrored = Set(try transaction.unmirrored())
            var texts = (read: Set<ObjectID>(), waiting: Set<ObjectID>(), missing: Set<ObjectID>())
            var drafts: [Draft] = []
            var size = 0
            func write() throws {
                if !drafts.isEmpty { try replica.change(in: transaction) { _ in drafts } }
                (drafts, size) = ([], 0)
            }
            for row in rows {
                guard var counterpart = capture.counterparts[row.id] else { continue }
                let object = counterpart.object
                let hidden =
                    unmirrored.contains(object) ? try transaction.unmirrored(of: object) : []
                if try !hidden.isEmpty && isApplied(row, capture, transaction) {
                    // An apply was interrupted before it noted what it had done.
                    try transaction.setMirrored(object)
                    try mark([object], transaction)
                } else {
                    var clock = transaction.ledger.clock
                    let stamp = Stamp(
                        clock: try clock.next(at: now().milliseconds), device: replica.device)
                    var changes = TaskChanges(
                        self, object, row, capture, transaction, hidden: hidden, stamp)
                    // What others have of a task of an earlier device may be newer than the row.
                    if capture.isFirst, !unsent.contains(row.id), row.created < now(),
                        row.created.milliseconds > 0
                    {
                        changes.time = row.created.milliseconds
                    }
                    if let (revision, fields) = self.unsent[object], revision == row.revision {
                        changes.times = fields
                    } else {
                        changes.changed = capture.changed[row.id]
                    }
                    guard try changes.collect() else {
                        // Text of others that waits for V comes first.
                        texts.waiting.insert(object)
                        continue
                    }
                    drafts += changes.drafts
                    capture.late += changes.late
                    size += changes.size
                }
                if !row.isProtected {
                    texts.read.insert(object)
                } else if let known = capture.texts {
                    texts.read.insert(object)
                    if known[row.id] == nil { texts.missing.insert(object) }
                } else {
                    texts.waiting.insert(object)
                }
                counterpart.revision = row.revision
                counterpart.created = row.created.milliseconds
                try transaction.set(counterpart)
                if size > Self.changeSize { try write() }
            }
            try write()
            try transaction.update(.texts) {
                $0.subtract(texts.read)
                $0.formUnion(texts.waiting)
            }
            try transaction.update(.arriving) {
                $0.subtract(texts.read)
                $0.formUnion(texts.missing)
            }
        }
    }

    /// Whether a row is what all records say, also those that are not mirrored.
    private func isApplied(
        _ row: TodoTask, _ capture: Capture, _ transaction: any MirrorTransaction
    ) throws -> Bool {
        guard let object = capture.counterparts[row.id]?.object,
            let state = try transaction.taskState(of: object), !state.isRemoved
        else { return false }
        let image = try state.image(row.id, row: row, now: now(), in: calendar) {
            try name(of: $0, transaction)
        }
        guard image.unknown.isEmpty, state.isProtected == row.isProtected else { return false }
        guard state.isProtected else {
            let text = try text(of: state, image, transaction)
            return text.map { image.task.with($0, isProtected: false, row).isSame(as: row) }
                ?? false
        }
        guard let known = capture.texts?[row.id],
            let text = try text(of: state, image, transaction), text.isSame(as: known)
        else { return false }
        return image.task.with(text, isProtected: true, row).isSame(as: row)
    }

    // MARK: Removals

    private func captureRemovals(_ vanished: ArraySlice<Counterpart>) throws {
        try store.mirrorTransaction { transaction in
            var removed: [ObjectID] = []
            for counterpart in vanished {
                let object = counterpart.object
                let hidden = try transaction.unmirrored(of: object)
                if let full = try transaction.taskState(of: object), full.isRemoved,
                    !hidden.isEmpty
                {
                    // An apply was interrupted.
                    try transaction.setMirrored(object)
                } else if let state = try transaction.taskState(of: object, without: hidden),
                    !state.isRemoved, !isPurged(state)
                {
                    removed.append(object)
                }
                try transaction.set(counterpart.withoutRow)
                try transaction.update(.texts) { $0.remove(object) }
                try transaction.update(.arriving) { $0.remove(object) }
            }
            if !removed.isEmpty {
                try replica.change(in: transaction) { _ in
                    removed.map { Draft($0, .remove, .list) }
                }
            }
            try mark(vanished.map(\.object), transaction)
        }
    }

    /// Whether the list may have removed a task by itself, a day after its clearing. Each device does, and none tells the others.
    private func isPurged(_ state: ObjectState) -> Bool {
        if state.isCleared { return true }
        guard let keptFrom = state.keptFrom else { return false }
        return keptFrom < now().advanced(by: .zero - TaskList.undoPeriod)
    }
}

extension TodoTask {
    /// The row of an image with its text, as the list stores it. A protected row keeps its text id.
    func with(_ text: TaskText, isProtected: Bool, _ row: TodoTask?) -> TodoTask {
        var task = self
        task.revision = row?.revision ?? 1
        guard isProtected else {
            task.content = .plain(text)
            return task
        }
        task.content = .protected(row?.textID ?? ProtectedTextID(of: id))
        task.subtaskRows = text.subtasks.map(\.row).filter(\.isNeeded)
        return task
    }

    /// Whether the list stores the same for both, apart from the revision.
    func isSame(as other: TodoTask) -> Bool {
        var other = other
        other.revision = revision
        guard self == other else { return false }
        switch (plainText, other.plainText) {
        case (let own?, let others?): return own.isSame(as: others)
        default: return true
        }
    }
}

extension TaskText {
    /// Compares bytes, because Swift's `String` calls different spellings equal.
    func isSame(as other: TaskText) -> Bool {
        func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        return isSame(name, other.name) && isSame(notes, other.notes)
            && isSame(further, other.further)
            && subtasks.elementsEqual(other.subtasks) {
                $0.id == $1.id && isSame($0.name, $1.name)
            }
    }
}
