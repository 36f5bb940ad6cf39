@testable import Application
import Foundation
import Platform
import Tasks
import Testing
import TestSupport

/// Commands that had begun when another one moved the list: nothing of them gets lost in the old one.
@Suite(
    .timeLimit(.minutes(60)),
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"), .waitsForProcesses)
struct MoveDatabaseTests {
    /// Commands that wait for a name, having opened the list, as they begin; ID stands for a task.
    private static let waiting = [
        ["subtask", "add", "ID"], ["edit", "ID", "--name", "-"], ["add", "--protected"],
    ]

    private func expectMoved(
        _ session: TerminalSession, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try session.type("the second text\n")
        #expect(try session.finish() == 8, "\(session.screen)", sourceLocation: sourceLocation)
        #expect(
            session.screen.contains("the to-do list was moved"), "\(session.screen)",
            sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false], waiting)
    func inputDuringAMoveDoesNotReachTheOldList(
        toServer: Bool, words: [String]
    ) throws {
        try withPostgreSQLDatabase { address in
            let home = try TestHome.forTasks()
            try home.unlock()
            if !toServer { try home.doTask("move-database", address) }
            let id = try home.add("paint")
            let session = try TerminalSession(
                home, ["task"] + words.map { $0 == "ID" ? id : $0 })
            try session.waitFor("Name: ")
            let moved = try home.doTask("move-database", toServer ? address : "sqlite")
            #expect(moved.errorText.contains("the new database") == toServer, "the file is in use")
            try expectMoved(session)
            #expect(try home.tasks("--reveal").texts("name") == ["paint"])
            #expect(try home.shown(id)["subtasks"] as? [String] == [])
            #expect(try home.ownItems().isEmpty)
            // Run again, it works.
            try home.doTask("subtask", "add", id, "step")
        }
    }

    #if os(Linux)
        @Test func theSecondOfTwoMovesIsRefused() throws {
            try withPostgreSQLDatabase { address in
                let home = try TestHome.forTasks()
                _ = try home.add("paint")
                let folders = try VaultFolders(home: home.home, EnvironmentVariables([:]))
                let old = try TaskDatabasePlace("sqlite", folders).open(.changing)
                defer { old.close() }
                let sink = try Files.open("/dev/null", O_RDWR)
                defer { close(sink) }
                var second: pid_t = 0
                // The first one holds the list, and the second one waits for it.
                try old.change { _ in
                    second = try Executable.start(
                        ["task", "move-database", address], environment: home.environment,
                        in: home.folder, .init(input: sink, output: sink, errors: sink))
                    #expect(Processes.wait { openings(of: home.tasksFile, by: second) == 2 })
                    try Files.write(
                        "database = postgresql://localhost/first\n", to: home.settingsFile)
                }
                #expect(Executable.wait(for: second) == 8)
                let setting = try home.ask("settings get database").outputText
                #expect(setting == "postgresql://localhost/first\n")
                let target = try TaskDatabasePlace(address, folders).open(.reading)
                defer { target.close() }
                #expect(try target.tasks(.init()).isEmpty)
            }
        }

        /// How often a process has a file open.
        private func openings(of path: String, by process: pid_t) -> Int {
            let folder = "/proc/\(process)/fd/"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)) == path
            }
        }
    #endif
}
