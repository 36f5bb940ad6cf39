internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks

extension TaskMirror {
    /// A task that the list may have to change.
    struct Plan {
        let object: ObjectID
        let counterpart: Counterpart?
        let state: ObjectState
        /// The state without what is not applied yet; nil if nothing was.
        let base: ObjectState?
        /// Whether text at the level *after verification* is not applied yet.
        let hasNewSecrets: Bool
        /// The row before.
        let row: TodoTask?
        var image: TaskImage
        /// The text; nil if it has not come, or cannot be read.
        var text: TaskText?
        /// The id of a text that was saved in the vault for this plan.
        var savedID: ProtectedTextID?
        /// Whether the text changed in the vault.
        var changesText = false
        /// Whether the vault has the text; nil if that is not known.
        var hasText: Bool? = true
        /// Whether a later round must do it.
        var isWaiting = false

        var isNeeded: Bool { !state.isRemoved && !(hasNoRow && state.isCleared) }
        var hasNoRow: Bool { counterpart?.isGone ?? true }
        /// Whether text or the order of subtasks is not applied yet, such as what came in the open for a protected task.
        var hasNewText: Bool {
            state.subtasks.map(\.id) != base?.subtasks.map(\.id)
                || state.fields.contains { field, versions in
                    field.isVersioned && base?.fields[field]?.current.key != versions.current.key
                }
        }
    }

    /// The result of a plan.
    enum Outcome {
        /// The list has no row of the task.
        case none
        /// The row has this revision; 0 if it differs from the records, which the next capture makes right.
        case row(TodoTask, revision: UInt64)
        /// The list was changed meanwhile, or the vault is needed.
        case waiting
        /// The list cannot store it.
        case refused
    }

    /// Changes the list as the records of other devices say. Tasks that changed in the list since the last ``capture()`` wait.
    ///
    /// - Returns: What was done.
    /// - Throws: The errors of the list, of the vault and of the store. The next call continues.
    @discardableResult
    package func apply() throws -> Applied {
        var applied = Applied()
        guard try finishRenaming() else { return applied }
        let (objects, head) = try store.mirrorTransaction { transaction in
            var objects = Set(try transaction.unmirrored())
            objects.formUnion(try transaction.objects(.again))
            if hasTextKey, vault != nil { objects.formUnion(try transaction.objects(.arriving)) }
            return (objects.sorted(), try transaction.readHead)
        }
        if objects.isEmpty { return applied }
        let names = try nameTasks(objects)
        let before = try repository.head()
        var changer = TaskChanger(self, names)
        for start in stride(from: 0, to: objects.count, by: Self.mostTasks) {
            let part = Array(objects[start..<min(start + Self.mostTasks, objects.count)])
            var plans = try self.plans(of: part, names)
            try saveTexts(of: &plans)
            let outcomes = try changer.change(plans)
            try finish(plans, outcomes, &applied)
        }
        if changer.hasOldBytes { try TaskList(repository, now: now).finishErasing() }
        let after = try repository.head()
        // The own changes need not be read again.
        if before == head, !changer.differs, after.number == before.number + changer.commits {
            try store.mirrorTransaction { try $0.setReadHead(after) }
        }
        return applied
    }

    // MARK: Plans

    private func plans(of objects: [ObjectID], _ names: TaskNames) throws -> [Plan] {
        let counterparts = try store.mirrorTransaction { transaction in
            try objects.map { try transaction.counterpart(of: $0) }
        }
        let ids = counterparts.compactMap { $0?.isGone == false ? $0?.task : nil }
        let rows = Dictionary(try repository.tasks(ids).map { ($0.id, $0) }) { first, _ in first }
        return try store.mirrorTransaction { transaction in
            let texts = try transaction.objects(.texts)
            var plans: [Plan] = []
            for (object, counterpart) in zip(objects, counterparts) {
                let versions = try transaction.versions(of: object)
                guard let state = transaction.taskState(over: versions) else {
                    // Another kind of object: a later program may know it.
                    if !versions.isEmpty { try transaction.setMirrored(object) }
                    try transaction.update(.again) { $0.remove(object) }
                    continue
                }
                // One that was removed before it came gets no row, and needs no name.
                guard let id = names[object] ?? (state.isRemoved ? object.derived(0) : nil)
                else { continue }
                let hidden = try transaction.unmirrored(of: object)
                let row = counterpart?.isGone == false ? rows[id] : nil
                let image = try state.image(id, row: row, now: now(), in: calendar) {
                    if let name = names[$0] { return name }
                    return try name(of: $0, transaction).flatMap { names[$0] == nil ? $0 : nil }
                }
                var plan = Plan(
                    object: object, counterpart: counterpart, state: state,
                    base: transaction.taskState(over: versions, without: hidden),
                    hasNewSecrets: versions.contains {
                        $0.level == .afterVerification && hidden.contains($0.key)
                    }, row: row, image: image)
                if plan.isNeeded { plan.text = try text(of: state, image, transaction) }
                // Text in the vault that nobody else has would be lost.
                if texts.contains(object), !(state.isProtected && plan.isNeeded) {
                    plan.isWaiting = true
                }
                if plan.isNeeded, !state.isProtected, plan.text == nil { plan.isWaiting = true }
                plans.append(plan)
            }
            return plans
        }
    }

    // MARK: The vault

    /// Brings the texts of protected tasks into the vault, before the list has their rows.
    private func saveTexts(of plans: inout [Plan]) throws {
        let known = try vaultTexts(of: plans.compactMap(\.row))
        var isReadable = known != nil && hasTextKey && vault != nil
        var changed: [Int] = []
        var new: [Int] = []
        for index in plans.indices {
            let plan = plans[index]
            guard plan.isNeeded, plan.state.isProtected, !plan.isWaiting else { continue }
            guard isReadable, let known, let text = plan.text else {
                if plan.hasNewSecrets || plan.hasNewText && plan.row?.isProtected == true {
                    plans[index].isWaiting = true
                }
                // The row is protected at once. Its text is in records only, until the vault can be written.
                plans[index].hasText =
                    plan.row?.isProtected != true
                    ? false : known.map { $0[plan.image.task.id] != nil }
                continue
            }
            guard let row = plan.row, row.isProtected, let found = known[row.id] else {
                new.append(index)
                continue
            }
            switch found {
            case .unreadable: plans[index].isWaiting = true
            case .found(let old, _):
                if old.isSame(as: text) { continue }
                let isBase = try plan.base.map { base in
                    try store.mirrorTransaction { try has(old, base, $0) }
                }
                if isBase == true {
                    changed.append(index)
                } else {
                    // It changed while nothing could be captured.
                    plans[index].isWaiting = true
                    try store.mirrorTransaction { transaction in
                        try transaction.update(.texts) { $0.insert(plan.object) }
                    }
                }
            }
        }
        guard isReadable, let vault, !changed.isEmpty || !new.isEmpty else { return }
        isReadable = try save(new, changed, known ?? [:], &plans, vault)
        if !isReadable {
            for index in changed + new where plans[index].savedID == nil {
                plans[index].isWaiting = true
            }
        }
    }

    /// Saves new texts and replaces others.
    ///
    /// - Returns: `false` if the verification ended meanwhile.
    private func save(
        _ new: [Int], _ changed: [Int], _ known: [TaskID: VaultText], _ plans: inout [Plan],
        _ vault: any SecureStore
    ) throws -> Bool {
        do {
            var ids: [Int: ProtectedTextID] = [:]
            let left = try textsOfRemoved(new.map { plans[$0] }, in: vault)
            for index in new {
                ids[index] =
                    plans[index].row?.textID ?? left[plans[index].object]
                    ?? ProtectedTextID(of: plans[index].image.task.id)
            }
            let unknown = new.filter { plans[$0].row?.textID == nil }.compactMap { ids[$0] }
            if !unknown.isEmpty {
                let time = now()
                try repository.change { writer in
                    for textID in unknown {
                        _ = try writer.take(VaultIntent(.discarding, textID))
                        try writer.put(VaultIntent(.saving, textID, at: time))
                    }
                }
            }
            for index in new {
                guard let textID = ids[index], let text = plans[index].text else { continue }
                if left[plans[index].object] == textID {
                    try bringBack(text, textID, in: vault)
                } else {
                    try vault.save(
                        ProtectedText.encode(text), as: ProtectedText.name(of: textID),
                        SecretAttributes(accessClass: .afterVerification))
                }
                plans[index].savedID = textID
            }
            for index in changed {
                guard let textID = plans[index].row?.textID, let text = plans[index].text,
                    case .found(_, let revision)? = known[plans[index].image.task.id]
                else { continue }
                do {
                    try vault.update(
                        ProtectedText.name(of: textID), to: ProtectedText.encode(text),
                        expecting: revision)
                    plans[index].changesText = true
                } catch SecureStoreError.conflict, SecureStoreError.notFound {
                    plans[index].isWaiting = true
                }
            }
            return true
        } catch let error as SecureStoreError where error.needsOwner {
            return false
        }
    }

    // MARK: The end

    /// Notes what the list has now.
    private func finish(
        _ plans: [Plan], _ outcomes: [Outcome], _ applied: inout Applied
    ) throws {
        try store.mirrorTransaction { transaction in
            var arriving = (added: Set<ObjectID>(), removed: Set<ObjectID>())
            var again = (added: Set<ObjectID>(), removed: Set<ObjectID>())
            var new: [TaskID: ObjectID] = [:]
            for (plan, outcome) in zip(plans, outcomes) {
                let object = plan.object
                switch outcome {
                case .waiting:
                    applied.waiting += 1
                    continue
                case .refused:
                    applied.refused.insert(object)
                    continue
                case .none:
                    if let counterpart = plan.counterpart, !counterpart.isGone {
                        try transaction.set(counterpart.withoutRow)
                        applied.changed += 1
                    }
                    arriving.removed.insert(object)
                case .row(let row, let revision):
                    if plan.hasNoRow {
                        new[row.id] = object
                        if let old = plan.counterpart?.task, old != row.id {
                            try lookAgain(after: old, transaction)
                        }
                    }
                    let counterpart = Counterpart(
                        object, name: row.id.name, revision: revision,
                        created: row.created.milliseconds)
                    if plan.counterpart != counterpart {
                        try freeName(of: counterpart, transaction)
                        try transaction.set(counterpart)
                        applied.changed += 1
                    }
                    switch plan.state.isProtected ? plan.hasText : true {
                    case false?: arriving.added.insert(object)
                    case true?: arriving.removed.insert(object)
                    case nil: break
                    }
                }
                try transaction.setMirrored(object)
                if plan.image.unknown.isEmpty {
                    again.removed.insert(object)
                } else {
                    again.added.insert(object)
                }
            }
            try transaction.update(.arriving) {
                $0.subtract(arriving.removed)
                $0.formUnion(arriving.added)
            }
            try transaction.update(.again) {
                $0.subtract(again.removed)
                $0.formUnion(again.added)
            }
            try lookAgain(atNew: new, transaction)
            try transaction.mark(plans.map(\.state), canCompare: hasTextKey)
        }
    }
}
