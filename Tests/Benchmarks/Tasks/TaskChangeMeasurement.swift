internal import Tasks

/// Durable changes of one task each, against bare writes of the same row, and against a list of 100 tasks.
enum TaskChangeMeasurement {
    static func run(
        _ effort: Effort, _ files: TaskFiles, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let copy = try folder.copy(files.large, to: "tasks-changed-bare.db")
        let changer = try TaskChanger(files, copy)
        defer { changer.close() }
        try changer.measure(
            "task added", against: "bare insert", rounds: effort.saves, into: &table
        ) { number, file in
            try file.list.add(TaskSample.task(1_000_000 + number))
        } repeating: { bare, stored in
            try bare.insert([stored])
        }
        // Those that were just added are open.
        let open = try changer.files.map {
            try $0.list.tasks(
                TaskSelection(TaskFilter(.open), by: .created, limit: effort.saves + 1))
        }
        try changer.measure(
            "task done", against: "bare update", rounds: effort.saves, into: &table
        ) { number, file in
            let task = open[file.count == TaskFiles.smallCount ? 1 : 0][number]
            guard let done = try file.list.finish([task], in: SystemCalendar()).first?.task else {
                throw BenchmarkFailure("nothing was marked")
            }
            return done
        } repeating: { bare, stored in
            try bare.complete(stored)
        }
        try unsafe Work.requireSame(
            "changes", changer.files[0].connection, changer.bare.database, Work.allOfTasks)
        try measureMany(changer.files[0], into: &table)
    }

    /// A change of 1,000 tasks by one command.
    private static func measureMany(_ file: TaskFile, into table: inout Table) throws {
        let times = try (0..<3).map { round in
            let tasks = try file.list.tasks(TaskSelection(TaskFilter(.open), limit: 1_000))
            return try Clock.time {
                try file.list.edit(
                    tasks.map { task in
                        var edited = task
                        edited.setDue(
                            .moment(task.created.advanced(by: .seconds(Int64(round) * 60))),
                            in: SystemCalendar())
                        return (before: task, edited: edited)
                    })
            }
        }
        table.add(
            "1,000 tasks changed at once, of 100,000", .time(times.median), atMost: .time(1e9))
    }
}

/// Changes the large and the small list, and repeats in a copy of the large one what was changed there.
final class TaskChanger {
    /// The large one and the small one.
    let files: [TaskFile]
    let bare: BareTasks
    private let reader: StoredTaskReader

    init(_ files: TaskFiles, _ copy: String) throws {
        self.files = [try files.openLarge(), try files.openSmall()]
        bare = try BareTasks(copy)
        reader = try StoredTaskReader(files.large)
    }

    func measure(
        _ name: String, against baseline: String, rounds: Int, into table: inout Table,
        _ change: @escaping (Int, TaskFile) throws -> TodoTask,
        repeating: @escaping (BareTasks, StoredTask) throws -> Void
    ) throws {
        var (ratio, growth) = (PairedTimes(), PairedTimes())
        var changed = try change(0, files[0])
        _ = try change(0, files[1])
        for round in 1...rounds {
            let pending = try reader.read(changed.id, completedAt: changed.completion?.time)
            var (large, small, repeated) = (0.0, 0.0, 0.0)
            let steps = [
                { large = try Clock.time { changed = try change(round, self.files[0]) } },
                { repeated = try Clock.time { try repeating(self.bare, pending) } },
                { small = try Clock.time { _ = try change(round, self.files[1]) } },
            ]
            // The baseline follows one change behind, so that any order is possible, and nobody always syncs after the same other.
            let stride = round.isMultiple(of: 2) ? 1 : 2
            for step in steps.indices { try steps[(step * stride + round / 2) % steps.count]() }
            ratio.add(large, repeated)
            growth.add(large, small)
        }
        try repeating(bare, try reader.read(changed.id, completedAt: changed.completion?.time))
        table.add("\(name), 100,000 tasks", ratio, against: baseline)
        table.add("\(name), 100,000 tasks", growth, against: "the same of 100", aim: 1.2)
    }

    func close() {
        for file in files { file.close() }
    }
}
