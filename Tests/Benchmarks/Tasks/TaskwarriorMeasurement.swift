internal import Platform
internal import Tasks

/// A page and an addition as whole processes, against those of Taskwarrior with the same 10,000 tasks.
enum TaskwarriorMeasurement {
    private static let program = "/usr/bin/task"

    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        guard unsafe access(program, X_OK) == 0 else {
            table.add("task list and add of 10,000", skipped: "no \(program)")
            return
        }
        var shuffle = Shuffle()
        let tasks = TaskSample.tasks(0..<10_000, using: &shuffle).map { ExchangedTask($0) }
        let bytes = try TaskExport.write(
            tasks, as: .taskwarrior, in: SystemCalendar(), to: ByteBuffer()
        ).bytes
        try folder.save(bytes, as: "taskwarrior.json")
        let data = try folder.makeFolder("taskwarrior")
        try folder.save(
            Array("data.location=\(data)\nconfirmation=no\n".utf8), as: "taskrc")
        let home = try folder.makeFolder("taskwarrior-home")
        let own = [TaskVaultExecutable.path, "--home", home, "task"]
        let theirs = [program, "rc:" + folder.path(of: "taskrc")]
        let file = folder.path(of: "taskwarrior.json")
        _ = try Child.time(own + ["import", file])
        _ = try Child.time(theirs + ["import", file])
        let page = try PairedTimes.measure(rounds: effort.rounds) {
            try Child.time(own + ["list", "--limit", "50"])
        } _: {
            try Child.time(theirs + ["limit:50", "list"])
        }
        table.add("task list --limit 50 of 10,000", page, against: "Taskwarrior", aim: 0.25)
        let addition = try PairedTimes.measure(rounds: effort.rounds) {
            try Child.time(own + ["add", "call the plumber"])
        } _: {
            try Child.time(theirs + ["add", "call the plumber"])
        }
        table.add("task add to 10,000", addition, against: "Taskwarrior", aim: 0.25)
    }
}
