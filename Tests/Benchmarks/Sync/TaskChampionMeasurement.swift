internal import Tasks
internal import TextCoding

/// The first exchange of 10,000 tasks, beside that of TaskChampion (the storage of Taskwarrior 3) through a folder of its server.
enum TaskChampionMeasurement {
    private static let program = """
        import json, os, sys, time, uuid
        import taskchampion as t
        folder = sys.argv[1]
        home = [t.Replica.new_on_disk(f"{folder}/{n}", True, t.AccessMode.ReadWrite) for n in range(2)]
        os.mkdir(f"{folder}/server")
        changes = t.Operations()
        for task in json.load(open(sys.argv[2])):
            new = home[0].create_task(task["uuid"], changes)
            for key, value in task.items():
                if isinstance(value, str) and key != "uuid":
                    new.set_value(key, value, changes)
        home[0].commit_operations(changes)
        start = time.monotonic()
        for one in home:
            one.sync_to_local(f"{folder}/server", True)
        print(time.monotonic() - start, len(home[1].all_task_uuids()))
        """

    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let name = "first exchange of 10,000 tasks"
        let own = try timeOwn(in: folder)
        let python = "python3"
        guard (try? Child.output(of: "\(python) -c 'import taskchampion' 2>&1")) != nil else {
            table.add(name, .time(own))
            return table.add(
                "  beside TaskChampion", skipped: "pip install taskchampion3-py-dev first")
        }
        var shuffle = Shuffle()
        let tasks = TaskSample.tasks(0..<SyncMeasurements.count, using: &shuffle)
        let bytes = try TaskExport.write(
            tasks.map { ExchangedTask($0) }, as: .taskwarrior, in: SystemCalendar(),
            to: ByteBuffer()
        ).bytes
        try folder.save(bytes, as: "taskchampion.json")
        try folder.save(Array(program.utf8), as: "champion-sync.py")
        let place = try folder.makeFolder("taskchampion")
        let output = try Child.output(
            of: """
                \(python) '\(folder.path(of: "champion-sync.py"))' '\(place)' \
                '\(folder.path(of: "taskchampion.json"))'
                """)
        let words = output.split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let seconds = Double(words[0]),
            Int(words[1]) == SyncMeasurements.count
        else { throw BenchmarkFailure("TaskChampion said \(output)") }
        table.add(
            name, .time(own), against: "TaskChampion", .time(seconds * 1e9),
            ratio: own / (seconds * 1e9))
    }

    private static func timeOwn(in folder: ScratchFolder) throws -> Double {
        let group = try SyncGroup("list", in: folder)
        defer { group.close() }
        var shuffle = Shuffle()
        try group.homes[0].tasks.list.insert(
            TaskSample.tasks(0..<SyncMeasurements.count, using: &shuffle))
        let time = try Clock.time { for home in group.homes { try home.syncList() } }
        guard try group.homes[1].tasks.list.count(TaskFilter(.openOrDone)) == SyncMeasurements.count
        else { throw BenchmarkFailure("tasks are missing") }
        return time
    }
}
