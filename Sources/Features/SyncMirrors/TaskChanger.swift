internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks

/// Changes the rows of the list as plans say, each part in one transaction of the list.
struct TaskChanger {
    private let mirror: TaskMirror
    private let names: TaskNames
    /// The tasks that come before each, as far as they were read in this transaction.
    private var dependencies: [TaskID: [TaskID]] = [:]

    /// The number of transactions that changed the list.
    private(set) var commits: Int64 = 0
    /// Whether a row differs from the records, so that the next capture must compare it.
    private(set) var differs = false
    /// Whether text left the list, so that its old bytes must be erased.
    private(set) var hasOldBytes = false

    init(_ mirror: TaskMirror, _ names: TaskNames) {
        self.mirror = mirror
        self.names = names
    }

    /// Changes the list.
    ///
    /// - Returns: What became of each plan.
    /// - Throws: The errors of the list.
    mutating func change(_ plans: [TaskMirror.Plan]) throws -> [TaskMirror.Outcome] {
        var copy = self
        let (outcomes, hasChanged) = try mirror.repository.change { writer in
            copy = self
            copy.dependencies = [:]
            var hasChanged = false
            let outcomes = try plans.map { plan in
                do {
                    return try copy.change(plan, writer, &hasChanged)
                } catch TaskListError.invalidText {
                    return .refused
                }
            }
            return (outcomes, hasChanged)
        }
        self = copy
        if hasChanged { commits += 1 }
        return outcomes
    }

    private mutating func change(
        _ plan: TaskMirror.Plan, _ writer: TaskWriter, _ hasChanged: inout Bool
    ) throws -> TaskMirror.Outcome {
        let id = plan.image.task.id
        if plan.isWaiting { return .waiting }
        if let textID = plan.savedID, plan.row?.textID == nil,
            try !writer.take(VaultIntent(.saving, textID))
        {
            // Another program found the text without its row, and discards it.
            return .waiting
        }
        let current = try writer.task(id)
        guard let counterpart = plan.counterpart, !counterpart.isGone else {
            guard plan.isNeeded else { return .none }
            // A row that no capture has seen.
            guard current == nil else { return .waiting }
            var task = row(plan, nil)
            try breakCycles(&task, plan.object, nil, writer)
            task.revision = (plan.counterpart?.lastRevision ?? 0) + 1
            hasChanged = true
            try writer.insert(task, revision: task.revision)
            dependencies[id] = task.dependencies
            try count(plan, writer)
            return .row(task, revision: isCut(task, plan) ? 0 : task.revision)
        }
        guard let current else { return .waiting }
        let isChanged = !counterpart.isRow((current.revision, current.created))
        guard plan.isNeeded else {
            guard !isChanged else { return .waiting }
            hasChanged = true
            try writer.remove(id, expecting: current.revision)
            dependencies[id] = []
            if let textID = current.textID {
                try writer.put(VaultIntent(.discarding, textID, at: mirror.now()))
            }
            return .none
        }
        var task = row(plan, current)
        try breakCycles(&task, plan.object, current, writer)
        let revision = isCut(task, plan) ? 0 : current.revision
        if task.isSame(as: current), !plan.changesText {
            if isChanged, revision == 0 { return .waiting }
            return .row(current, revision: revision)
        }
        guard !isChanged else { return .waiting }
        hasChanged = true
        let changed = try writer.replace(task, changesText: plan.changesText)
        dependencies[id] = changed.dependencies
        try count(plan, writer)
        try finishTexts(current, changed, writer)
        return .row(changed, revision: revision == 0 ? 0 : changed.revision)
    }

    /// The row that a plan describes.
    private func row(_ plan: TaskMirror.Plan, _ current: TodoTask?) -> TodoTask {
        var text = plan.text ?? TaskText(name: "")
        text.subtasks = Array(
            plan.text?.subtasks.prefix(TaskTextRule.maximumSubtasks)
                ?? plan.image.subtasks.map { TodoSubtask($0.row, name: "") }
                .prefix(TaskTextRule.maximumSubtasks))
        var task = plan.image.task
        // The same in every home.
        let tags = task.tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        task.tags.removeAll { !tags.prefix(TaskTextRule.maximumTags).contains($0) }
        let dependencies = task.dependencies.sorted()
        task.dependencies.removeAll {
            !dependencies.prefix(TaskTextRule.maximumDependencies).contains($0)
        }
        task = task.with(text, isProtected: plan.state.isProtected, current)
        if plan.state.isProtected, let textID = plan.savedID { task.content = .protected(textID) }
        return task
    }

    /// Whether the row lacks something that records say, which the next capture tells all devices.
    private mutating func isCut(_ task: TodoTask, _ plan: TaskMirror.Plan) -> Bool {
        let wanted = plan.image.task
        let isCut =
            task.tags.count < wanted.tags.count
            || task.dependencies.count < wanted.dependencies.count
            || plan.image.subtasks.count > TaskTextRule.maximumSubtasks
            || plan.state.characters != task.id
        if isCut { differs = true }
        return isCut
    }

    private mutating func finishTexts(
        _ old: TodoTask, _ new: TodoTask, _ writer: TaskWriter
    ) throws {
        if new.isProtected, !old.isProtected {
            // The intent has an id of its own, as that of `protect`.
            try writer.put(
                VaultIntent(.erasing, ProtectedTextID(of: new.id), at: mirror.now()))
            hasOldBytes = true
        }
        if let textID = old.textID, new.textID != textID {
            try writer.put(VaultIntent(.discarding, textID, at: mirror.now()))
        }
    }

    /// Counts completions of a repeated task that others made, each occurrence once, and takes back those that others took back.
    private func count(_ plan: TaskMirror.Plan, _ writer: TaskWriter) throws {
        let times = plan.state.completionTimes()
        let (new, old) = (plan.state.completed, plan.base?.completed ?? [])
        for occurrence in new.subtracting(old) {
            if let time = times[occurrence]?.min() {
                try writer.countCompletion(of: plan.image.task.id, at: time)
            }
        }
        for occurrence in old.subtracting(new) {
            for time in times[occurrence] ?? [] {
                try writer.removeCompletion(of: plan.image.task.id, at: time)
            }
        }
    }

    // MARK: Cycles

    /// Lets no task come before itself: of each cycle, the newest dependency is dropped. The next capture tells all devices.
    private mutating func breakCycles(
        _ task: inout TodoTask, _ object: ObjectID, _ current: TodoTask?, _ writer: TaskWriter
    ) throws {
        let new = task.dependencies.filter { current?.dependencies.contains($0) != true }
        for dependency in new {
            while task.dependencies.contains(dependency),
                let path = try path(from: dependency, to: task.id, writer)
            {
                let cycle = [task.id] + path
                let edges = try zip(cycle, cycle.dropFirst()).map { from, to in
                    let (stamp, isReplaced) = try record(from, to)
                    return (from: from, to: to, stamp: stamp, isReplaced: isReplaced)
                }
                // An order that another one replaced, and whose row was not changed yet, goes before the newest.
                let replaced = edges.first { $0.isReplaced && $0.from != task.id }
                let newest = edges.max {
                    ($0.stamp, $0.from, $0.to) < ($1.stamp, $1.from, $1.to)
                }
                guard let dropped = replaced ?? newest else { break }
                differs = true
                if dropped.from == task.id {
                    task.dependencies.removeAll { $0 == dropped.to }
                } else if var other = try writer.task(dropped.from) {
                    other.dependencies.removeAll { $0 == dropped.to }
                    try writer.replace(other)
                    dependencies[other.id] = other.dependencies
                }
            }
        }
    }

    /// The way by which a task comes before another one; nil if it does not.
    private mutating func path(
        from start: TaskID, to end: TaskID, _ writer: TaskWriter
    ) throws -> [TaskID]? {
        var before: [TaskID: TaskID] = [:]
        var known: Set<TaskID> = [start]
        var waiting = [start]
        while let id = waiting.popLast() {
            if id == end {
                var path = [id]
                while let previous = path.last.flatMap({ before[$0] }) { path.append(previous) }
                return path.reversed()
            }
            let next = try dependencies[id] ?? writer.task(id)?.dependencies ?? []
            dependencies[id] = next
            for other in next where known.insert(other).inserted {
                before[other] = id
                waiting.append(other)
            }
        }
        return nil
    }

    /// The stamp of the newest record of a dependency, and whether it ends that and is not applied yet.
    private func record(
        _ from: TaskID, _ to: TaskID
    ) throws -> (stamp: Stamp, isReplaced: Bool) {
        try mirror.store.mirrorTransaction { transaction in
            func object(_ id: TaskID) throws -> ObjectID? {
                try names[id] ?? transaction.counterpart(named: id.name)?.object
            }
            guard let task = try object(from), let other = try object(to),
                let state = try transaction.taskState(of: task),
                let record = state.fields[.dependency(other)]?.current
            else { return (.zero, false) }
            let isReplaced =
                try !record.content.isSet
                && transaction.unmirrored(of: task).contains(record.key)
            return (record.stamp, isReplaced)
        }
    }
}
