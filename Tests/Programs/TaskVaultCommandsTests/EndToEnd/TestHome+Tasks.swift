import Foundation
import Tasks
import Testing
import TestSupport

extension TestHome {
    /// A home with a vault, in which every folder of a person is below ``folder``, and whose terminal can do what most can.
    static func forTasks(withVault: Bool = true) throws -> TestHome {
        let home = try TestHome(withVault: withVault)
        try home.surround()
        return home
    }

    /// Keeps all files of commands below ``folder``.
    func surround() throws {
        for (variable, name) in [
            ("TMPDIR", "tmp"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            let path = folder + "/" + name
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            environment[variable] = path
        }
        environment["TERM"] = "xterm-256color"
        environment["LC_ALL"] = "C.UTF-8"
        environment["TZ"] = "UTC"
    }

    /// The database of the tasks.
    var tasksFile: String { home + "/tasks.db" }
    /// The settings that are no secret.
    var settingsFile: String { home + "/settings" }

    /// Runs a command of the to-do list through the agent, if one runs.
    @discardableResult
    func task(_ words: String..., input: String = "") throws -> RunResult {
        try runBare(["task"] + words, input: Array(input.utf8))
    }

    /// Runs a command that must work.
    @discardableResult
    func doTask(
        _ words: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunResult {
        let result = try runBare(["task"] + words, input: Array(input.utf8))
        #expect(
            result.exitCode == 0, "\(words): \(result.errorText)", sourceLocation: sourceLocation)
        return result
    }

    /// Adds a task.
    ///
    /// - Returns: Its id.
    func add(
        _ words: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let added = try runBare(["task", "add", "--json"] + words, input: Array(input.utf8))
        #expect(added.exitCode == 0, "\(added.errorText)", sourceLocation: sourceLocation)
        return try #require(added.object["id"] as? String, sourceLocation: sourceLocation)
    }

    /// The tasks as `task list --json` shows them.
    func tasks(
        _ options: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: Any]] {
        let listed = try runBare(["task", "list", "--json"] + options)
        #expect(listed.exitCode == 0, "\(listed.errorText)", sourceLocation: sourceLocation)
        return try #require(listed.json as? [[String: Any]], sourceLocation: sourceLocation)
    }

    /// A task as `task show --json` shows it.
    func shown(
        _ id: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String: Any] {
        let shown = try task("show", "--json", id)
        #expect(shown.exitCode == 0, "\(shown.errorText)", sourceLocation: sourceLocation)
        return shown.object
    }

    /// Takes in tasks as the list's own format has them, so that a test chooses ids and times.
    func importTasks(
        _ tasks: [ImportedTask], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = try TaskExport.write(
            tasks.map { ExchangedTask(try $0.task) }, as: .taskVault, in: SystemCalendar(),
            to: CollectedBytes())
        let imported = try runBare(["task", "import", "-"], input: file.bytes)
        #expect(imported.exitCode == 0, "\(imported.errorText)", sourceLocation: sourceLocation)
    }

    #if os(Linux)
        /// Runs `body`, whose commands believe that it is so much later, such as `+25h`; an agent that runs already does not.
        func later<Result>(_ offset: String, _ body: () throws -> Result) throws -> Result {
            let before = environment
            defer { environment = before }
            environment["LD_PRELOAD"] = WallClock.library
            environment["FAKETIME"] = offset
            environment["DONT_FAKE_MONOTONIC"] = "1"
            environment["FAKETIME_SHARED"] = "none none"
            return try body()
        }
    #endif

    /// Makes the agent ask for the passphrase before it shows protected text, without locking.
    func closeWindow() throws {
        #expect(try ask("settings set verification-window 1s").exitCode == 0)
        try waitFor("unlocked")
        #expect(try run("settings set verification-window 1h").exitCode == 0)
    }
}

/// A task of a file in the list's own format.
struct ImportedTask {
    var id: String
    var name = "a task"
    var due: String?
    var created = "2026-01-01T00:00:00.000Z"
    var completed: String?
    var cleared: String?

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    var task: TodoTask {
        get throws {
            func time(_ text: String) throws -> PointInTime {
                let seconds = try Self.style.parse(text).timeIntervalSince1970
                return PointInTime(milliseconds: Int64((seconds * 1_000).rounded()))
            }
            let completion = try completed.map {
                TaskCompletion(time: try time($0), cleared: try cleared.map(time))
            }
            return TodoTask(
                id: try #require(TaskID(id)), content: .plain(TaskText(name: name)),
                due: try due.map { .moment(try time($0)) }, created: try time(created),
                completion: completion)
        }
    }

    /// So many hours before now, as the format writes times.
    static func hoursAgo(_ hours: Double) -> String {
        Date(timeIntervalSinceNow: -3_600 * hours).formatted(style)
    }
}

extension [[String: Any]] {
    /// The member of each that is a text; an empty one where it is null.
    func texts(_ member: String) -> [String] { map { $0[member] as? String ?? "" } }
}
