internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks

// Six characters that two devices gave to different tasks: the larger object id gets others.
extension TaskMirror {
    /// Finds the six characters of tasks to apply.
    ///
    /// - Returns: The characters, also those of all counterparts; a task without them waits, or was removed before it came.
    /// - Throws: The errors of the list, of the vault and of the store.
    func nameTasks(_ objects: [ObjectID]) throws -> TaskNames {
        var renamed: [(object: ObjectID, old: TaskID?, id: TaskID, after: ObjectID?)] = []
        var names = try store.mirrorTransaction { transaction in
            let counterparts = try transaction.counterparts()
            var taken: [TaskID: ObjectID] = [:]
            var names = TaskNames(counterparts)
            for counterpart in counterparts where !counterpart.isGone {
                if let id = counterpart.task { taken[id] = counterpart.object }
            }
            let gone = Set(counterparts.filter(\.isGone).map(\.object))
            func free(_ object: ObjectID) -> TaskID {
                var round = 0
                while taken[object.derived(round)] != nil { round += 1 }
                return object.derived(round)
            }
            for object in objects {
                guard let state = try transaction.taskState(of: object), !state.isRemoved else {
                    continue
                }
                let hasRow = names[object] != nil && !gone.contains(object)
                let wanted = state.characters ?? names[object] ?? free(object)
                if hasRow {
                    guard wanted != names[object], taken[wanted] == nil,
                        try transaction.unmirrored(of: object).contains(where: {
                            $0.field == .characters
                        })
                    else { continue }
                    renamed.append((object, names[object], wanted, nil))
                    taken[wanted] = object
                    continue
                }
                guard let other = taken[wanted], other != object else {
                    (names[object], taken[wanted]) = (wanted, object)
                    continue
                }
                if other < object {
                    let id = free(object)
                    (names[object], taken[id]) = (id, object)
                } else {
                    let id = free(other)
                    renamed.append((other, wanted, id, object))
                    (names[object], taken[wanted]) = (wanted, object)
                    taken[id] = other
                }
            }
            return names
        }
        for each in renamed {
            if try rename(each.object, to: each.id) {
                names[each.object] = each.id
            } else if let object = each.after {
                names[object] = nil
                names[each.object] = each.old
            }
        }
        return names
    }

    /// Gives a task with a row other six characters.
    ///
    /// - Returns: `false` if its text cannot be moved now, or if the row is not as expected.
    private func rename(_ object: ObjectID, to id: TaskID) throws -> Bool {
        guard var counterpart = try store.mirrorTransaction({ try $0.counterpart(of: object) }),
            let old = counterpart.task, let row = try repository.task(old),
            row.revision == counterpart.revision, try repository.task(id) == nil
        else { return false }
        if row.isProtected {
            guard try readTexts(of: [row])?[row.id] != nil else { return false }
        }
        counterpart.name = id.name
        try store.mirrorTransaction { transaction in
            try freeName(of: counterpart, transaction)
            try transaction.set(counterpart)
            try transaction.setNote("renaming", object.bytes + old.name)
        }
        return try finishRenaming()
    }

    /// Finishes the change of six characters. The counterpart has the new ones already.
    ///
    /// - Returns: `false` if the vault is needed first.
    /// - Throws: The errors of the list, of the vault and of the store.
    func finishRenaming() throws -> Bool {
        let noted = try store.mirrorTransaction { transaction -> (Counterpart, TaskID)? in
            guard let note = try transaction.note("renaming"), note.count > ObjectID.size,
                let object = ObjectID(Array(note.prefix(ObjectID.size))),
                let old = TaskID(name: note.dropFirst(ObjectID.size)),
                let counterpart = try transaction.counterpart(of: object)
            else { return nil }
            return (counterpart, old)
        }
        guard let (counterpart, old) = noted, let id = counterpart.task else { return true }
        if let row = try repository.task(old), row.created.milliseconds == counterpart.created {
            let list = TaskList(repository, now: now)
            if row.isProtected {
                guard let vault, let text = try readTexts(of: [row])?[row.id] else { return false }
                try list.insert(row.renamed(id), text: text, in: vault) { _ in true }
                try list.remove(row, from: vault)
            } else {
                try repository.change { writer in
                    if try writer.task(id) == nil {
                        try writer.insert(row.renamed(id), revision: row.revision + 1)
                    }
                    try writer.remove(old, expecting: row.revision)
                }
            }
            for dependent in try list.dependents(of: old, openOnly: false) {
                try repository.change { writer in
                    guard var task = try writer.task(dependent) else { return }
                    task.dependencies = task.dependencies.map { $0 == old ? id : $0 }
                    try writer.replace(task)
                }
            }
        }
        try store.mirrorTransaction { try $0.setNote("renaming", []) }
        return true
    }

    /// The six characters of a task that another one names; nil if none are known, or if another task has them.
    func name(of object: ObjectID, _ transaction: any MirrorTransaction) throws -> TaskID? {
        if let counterpart = try transaction.counterpart(of: object) { return counterpart.task }
        guard let name = try transaction.taskState(of: object)?.characters,
            try transaction.counterpart(named: name.name) == nil
        else { return nil }
        return name
    }

    /// Takes the name of a counterpart from a task without a row that had it.
    func freeName(of counterpart: Counterpart, _ transaction: any MirrorTransaction) throws {
        guard let other = try transaction.counterpart(named: counterpart.name),
            other.object != counterpart.object, let id = other.task
        else { return }
        try transaction.removeCounterpart(of: other.object)
        try lookAgain(after: id, transaction)
    }

    /// Lets the next ``apply()`` look at the tasks that come after a task without a row, whose six characters do not mean it any more.
    func lookAgain(after id: TaskID, _ transaction: any MirrorTransaction) throws {
        let list = TaskList(repository, now: now)
        let objects = try list.dependents(of: id, openOnly: false).compactMap {
            try transaction.counterpart(named: $0.name)?.object
        }
        try transaction.update(.again) { $0.formUnion(objects) }
    }

    /// Lets the next ``apply()`` look at the tasks whose rows name new ones, and whose records do not: they came after others, which were
    /// removed before any record of them.
    func lookAgain(atNew new: [TaskID: ObjectID], _ transaction: any MirrorTransaction) throws {
        for row in try repository.tasks(repository.dependents(of: Set(new.keys))) {
            guard let object = try transaction.counterpart(named: row.id.name)?.object,
                let state = try transaction.taskState(of: object)
            else { continue }
            let isUnknown = row.dependencies.contains { id in
                new[id].map { state.fields[.dependency($0)]?.current.content.isSet != true }
                    ?? false
            }
            if isUnknown { try transaction.update(.again) { $0.insert(object) } }
        }
    }
}
