import Foundation
import Tasks
import Testing
import TestSupport

@Suite("Other programs")
struct OtherProgramTests {
    private static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + name)
    }

    private struct Failed: Error {
        let output: String
    }

    /// Runs a program in a folder of its own and gives what it printed.
    private func run(_ program: String, _ arguments: [String], in folder: String) throws -> [UInt8]
    {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/" + program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = [
            "HOME": folder, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC0",
            "TASKRC": folder + "/taskrc", "TASKDATA": folder + "/tasks",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(output: String(decoding: data, as: UTF8.self))
        }
        return Array(data)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func taskwarrior(_ arguments: String..., in folder: String) throws -> [UInt8] {
        if !FileManager.default.fileExists(atPath: folder + "/tasks") {
            try FileManager.default.createDirectory(
                atPath: folder + "/tasks", withIntermediateDirectories: true)
            try write(
                Array("confirmation=off\nhooks=off\nverbose=nothing\n".utf8), folder + "/taskrc")
        }
        return try run("task", arguments, in: folder)
    }

    @Test(
        "Taskwarrior's export is imported",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func taskwarriorExport() throws {
        try withTemporaryFolder { folder in
            _ = try taskwarrior(
                "add", "pay rent", "due:2026-12-01T09:00:30Z", "project:home", "+money",
                "priority:H",
                in: folder)
            _ = try taskwarrior("add", "buy \"milk\" 日本 [x]", in: folder)
            _ = try taskwarrior("add", "mistake", in: folder)
            _ = try taskwarrior("add", "feed cat", "due:2037-01-01", "recur:yearly", in: folder)
            _ = try taskwarrior("1", "annotate", "by bank", in: folder)
            _ = try taskwarrior("2", "done", in: folder)
            _ = try taskwarrior("3", "delete", in: folder)
            let result = try read(taskwarrior("export", in: folder))
            #expect(result.format == .taskwarrior)
            let names = Set(result.tasks.compactMap { $0.text?.name })
            #expect(names.isSuperset(of: ["pay rent", "buy \"milk\" 日本 [x]"]))
            #expect(!names.contains("mistake"))
            #expect(result.leftOut == [.deletedTasks: 1, .recurringPatterns: 1])
            let rent = try #require(result.tasks.first { $0.text?.name == "pay rent" })
            #expect(rent.due == point("2026-12-01T09:00:30.000Z"))
            #expect(rent.text?.notes == "by bank\nPriority: H\nProject: home\nTags: money")
            let milk = try #require(result.tasks.first { $0.text?.name.hasPrefix("buy") == true })
            #expect(milk.completion != nil && rent.completion == nil)
            #expect(
                try read(taskwarrior("export", in: folder)).tasks.map(\.id)
                    == result.tasks.map(\.id))
        }
    }

    @Test(
        "Taskwarrior imports an export once, and returns it unchanged",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func taskwarriorImport() throws {
        try withTemporaryFolder { folder in
            let step = TodoSubtask(id: id("000001"), name: "a step", isDone: true)
            let tasks = [
                task(
                    "k7m2qx", "buy \"milk\" \\ é😀日本 \u{1B}[31m\tx",
                    notes: "two\n\nlines, 'quoted' \"so\"",
                    due: "2026-12-01T09:00:30.000Z", subtasks: [step]),
                task(
                    "03fz81", "done", created: "1980-01-01T00:00:00.000Z",
                    completed: "2026-11-21T10:00:00.000Z"),
                task("zzzzzz", "far", due: "9999-12-30T23:59:59.000Z"),
                task("000000", "+tag due:tomorrow project:x uuid:y  two blanks"),
            ]
            try write(written(tasks, as: .taskwarrior), folder + "/tasks.json")
            for _ in 0..<2 { _ = try taskwarrior("import", folder + "/tasks.json", in: folder) }
            let back = try read(taskwarrior("export", in: folder)).tasks
            #expect(back.count == tasks.count)
            for before in tasks {
                var after = try #require(back.first { $0.id == before.id })
                // The ids of steps have no place there.
                #expect(after.text?.subtasks.map(\.name) == before.text?.subtasks.map(\.name))
                #expect(after.text?.subtasks.map(\.isDone) == before.text?.subtasks.map(\.isDone))
                if let text = before.text, var changed = after.text {
                    changed.subtasks = text.subtasks
                    after.setText(changed)
                }
                #expect(after == before)
            }
        }
    }

    @Test(
        "todo.txt's own program reads an export, and its file is imported",
        .enabled(if: isInstalled("todo-txt"), "needs todotxt-cli"))
    func todoTxt() throws {
        try withTemporaryFolder { folder in
            let settings = ["todo.txt", "done.txt", "report.txt"].map { name in
                "export \(name.prefix(while: { $0 != "." }).uppercased())_FILE=\"\(folder)/\(name)\"\n"
            }
            try write(
                Array(("export TODO_DIR=\"\(folder)\"\n" + settings.joined()).utf8),
                folder + "/config")
            let midnight = "2026-11-20T00:00:00.000Z"
            var tasks = [
                task(
                    "k7m2qx", "(A) call mum @phone", due: "2026-12-05T18:00:00.000Z",
                    created: midnight),
                task(
                    "03fz81", "buy 日本 \"milk\"", due: "2026-12-05T23:59:00.000Z", created: midnight),
                task("000001", "x marks", created: midnight),
                task("000002", "over", created: midnight, completed: "2026-11-21T00:00:00.000Z"),
            ]
            for index in tasks.indices { tasks[index].isDayOnly = true }
            try write(written(tasks, as: .todoTxt), folder + "/todo.txt")
            func todo(_ arguments: String...) throws -> String {
                let all = ["-d", folder + "/config", "-p", "-a", "-f"] + arguments
                return String(decoding: try run("todo-txt", all, in: folder), as: UTF8.self)
            }
            func file() throws -> [ExchangedTask] {
                try read(
                    Array(Data(contentsOf: URL(filePath: folder + "/todo.txt"))), as: .todoTxt
                ).tasks
            }
            // It sees the four lines, the context, and that one is done.
            #expect(try todo("list").contains("4 of 4 tasks shown"))
            #expect(try todo("list", "@phone").contains("1 of 4 tasks shown"))
            #expect(try todo("listpri", "A").contains("1 of 4 tasks shown"))
            #expect(try file() == tasks)
            _ = try todo("-t", "add", "new one +p due:2026-12-06")
            _ = try todo("do", "1")
            _ = try todo("pri", "2", "B")
            let after = try file()
            #expect(
                after.map { $0.text?.name } == [
                    "call mum @phone", "(B) buy 日本 \"milk\"", "x marks", "over", "new one +p",
                ])
            #expect(after.map { $0.completion != nil } == [true, false, false, true, false])
            #expect(after.map(\.id).dropLast() == tasks.map(\.id)[...])
            #expect(after[0].due == tasks[0].due && after[0].created == tasks[0].created)
            #expect(after[4].due == point("2026-12-06T23:59:00.000Z"))
        }
    }
}
