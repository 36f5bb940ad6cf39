internal import Sync
package import SyncStorage
package import Tasks

extension TaskMirror {
    /// Goes on where a former device of this home ended: what changed in the list since is captured by the next ``capture(unsent:)`` as a change
    /// that had not seen what the group did meanwhile, and all else becomes what the records say. Call it after `Replica.collect()`.
    ///
    /// It can be repeated until the capture is done. Tasks of which the group has no records are captured as new ones.
    ///
    /// - Parameter former: The former device's state in this chain.
    /// - Returns: The tasks that are not as the former device had sent them, for the capture.
    /// - Throws: The errors of the list, of the vault and of the store.
    package func resume(_ former: FormerDevice) throws -> Set<TaskID> {
        isResuming = true
        let revisions = try repository.allRevisions(after: nil).revisions
        var changed = Set(revisions.keys)
        var erased: [TaskID] = []
        try store.mirrorTransaction { transaction in
            let (unsent, isFirst) = try transaction.resume(former)
            // Text that could not be read may have changed in the vault.
            let texts = former.objects(.texts)
            for var counterpart in former.counterparts {
                guard let id = counterpart.task else { continue }
                let fields = unsent[counterpart.object] ?? [:]
                let isSame = revisions[id].map { counterpart.isRow($0) } ?? false
                let isSent = fields.isEmpty && !texts.contains(counterpart.object)
                if isSame, isSent { changed.remove(id) }
                if !fields.isEmpty {
                    self.unsent[counterpart.object] = (counterpart.lastRevision, fields)
                }
                let versions = try transaction.versions(of: counterpart.object)
                guard isFirst, !versions.isEmpty else { continue }
                let base = try transaction.taskState(
                    of: counterpart.object, without: transaction.unmirrored(of: counterpart.object))
                if counterpart.isGone {
                    // A removal that was not sent is captured again.
                    if fields[RecordField.remove.number] != nil, revisions[id] == nil {
                        counterpart.revision = Counterpart.noRevision
                    }
                } else if base?.isRemoved == true {
                    // It was brought back here.
                    counterpart = counterpart.withoutRow
                } else if !isSent {
                    counterpart.revision = Counterpart.noRevision
                } else if isSame, try transaction.taskState(of: counterpart.object) == nil,
                    versions.contains(where: { $0.field == .remove })
                {
                    // This home was away when the others removed and erased it.
                    erased.append(id)
                    counterpart = counterpart.withoutRow
                }
                try transaction.set(counterpart)
            }
            if isFirst {
                for note in [ObjectNote.again, .arriving] {
                    try transaction.update(note) { $0.formUnion(former.objects(note)) }
                }
            }
            try mark(former.counterparts.map(\.object), transaction)
        }
        let list = TaskList(repository, now: now)
        try list.remove(repository.tasks(erased), from: vault)
        return changed
    }
}

extension FormerDevice {
    /// The objects of a note.
    fileprivate func objects(_ note: ObjectNote) -> Set<ObjectID> {
        ObjectNote.objects(notes[note.rawValue] ?? [])
    }
}
