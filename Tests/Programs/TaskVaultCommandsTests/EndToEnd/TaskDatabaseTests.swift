import Foundation
import Platform
import Testing
import TestSupport

/// A database that is newer, foreign, damaged, of another user, or read-only.
@Suite(.waitsForProcesses) struct TaskDatabaseTests {
    private func home() throws -> TestHome {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        return home
    }

    /// Expects every command to end so, and nothing in the home to change.
    private func expectRefused(
        _ home: TestHome, _ code: Int32, _ name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = (try? Files.read(home.tasksFile)) ?? []
        for command in [
            "list", "add x", "done k7m", "stats", "clear", "export", "list --search x", "show k7m",
        ] {
            let refused = try home.ask("task \(command) --json")
            #expect(
                refused.exitCode == code, "\(command): \(refused.errorText)",
                sourceLocation: sourceLocation)
            #expect(refused.failure["code"] as? String == name, sourceLocation: sourceLocation)
            #expect(refused.output.isEmpty, sourceLocation: sourceLocation)
        }
        #expect(
            (try? Files.read(home.tasksFile)) ?? [] == before, "it is left alone",
            sourceLocation: sourceLocation)
    }

    /// Changes bytes of the database.
    private func patch(_ home: TestHome, at offset: Int, _ bytes: [UInt8]) throws {
        var file = try Files.read(home.tasksFile)
        file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        try Files.write(file, to: home.tasksFile)
    }

    @Test func oneOfANewerVersion() throws {
        let home = try home()
        // The user version of SQLite's header.
        let version = Array(try Files.read(home.tasksFile)[60..<64])
        try patch(home, at: 60, [0, 0, 0, 99])
        try expectRefused(home, 7, "newer_version")
        try patch(home, at: 60, version)
        #expect(try home.tasks().count == 1)
    }

    @Test func oneOfAnotherProgram() throws {
        let home = try home()
        // The application id.
        try patch(home, at: 68, [1, 2, 3, 4])
        try expectRefused(home, 7, "database_foreign")
        try Files.copy(home.vault, to: home.tasksFile)
        try expectRefused(home, 7, "database_foreign")
        try Files.write("no database at all, only a text that lies there", to: home.tasksFile)
        try expectRefused(home, 7, "database_foreign")
    }

    @Test func oneThatIsDamaged() throws {
        let home = try home()
        let file = try Files.read(home.tasksFile)
        try Files.write(Array(file.prefix(file.count / 2)), to: home.tasksFile)
        try expectRefused(home, 7, "database_damaged")
        try patch(home, at: 100, [UInt8](repeating: 0xAA, count: file.count / 2 - 100))
        let refused = try home.task("list")
        #expect(refused.exitCode == 7, "\(refused.errorText)")
    }

    @Test func oneThatOthersCouldHaveMade() throws {
        let home = try home()
        Files.setMode(home.tasksFile, 0o666)
        try expectRefused(home, 8, "unsafe_location")
        Files.setMode(home.tasksFile, 0o600)
        #expect(try home.tasks().count == 1)
        let other = home.folder + "/other.db"
        try FileManager.default.moveItem(atPath: home.tasksFile, toPath: other)
        try #require(unsafe symlink(other, home.tasksFile) == 0)
        #expect(try home.task("list").exitCode == 8)
        unsafe unlink(home.tasksFile)
        try #require(unsafe mkfifo(home.tasksFile, 0o600) == 0)
        #expect(try home.task("list").exitCode == 8)
        unsafe unlink(home.tasksFile)
        try #require(unsafe mkdir(home.tasksFile, 0o700) == 0)
        #expect(try home.task("list").exitCode == 8)
    }

    @Test(.enabled(if: geteuid() == 0, "only the administrator gives files away"))
    func oneOfAnotherOwner() throws {
        let home = try home()
        try #require(unsafe chown(home.tasksFile, 65_534, 65_534) == 0)
        try expectRefused(home, 8, "unsafe_location")
    }

    #if os(Linux)
        @Test(.enabled(if: OtherUser.isAvailable, "setpriv is not installed"))
        func aHomeThatCanOnlyBeRead() throws {
            let home = try OtherUser.home()
            let id = try home.add("buy milk")
            Files.setMode(home.tasksFile, 0o400)
            Files.setMode(home.home, 0o500)
            defer { Files.setMode(home.home, 0o700) }
            let listed = try home.task("list")
            #expect(listed.exitCode == 0, "\(listed.errorText)")
            #expect(listed.outputText.contains("buy milk"))
            #expect(try home.task("show", id).exitCode == 0)
            #expect(try home.task("export").exitCode == 0)
            for command in [
                "task add x", "task done \(id)", "task clear", "task remove --yes \(id)",
            ] {
                let refused = try home.ask(command + " --json")
                #expect(refused.exitCode == 1, "\(command): \(refused.errorText)")
                #expect(refused.failure["code"] as? String == "read_only", "\(command)")
            }
            #expect(Files.names(in: home.home) == ["tasks.db", "vault.db"])
            Files.setMode(home.tasksFile, 0)
            for command in ["task list", "task add x"] {
                expect(
                    try home.ask(command), ends: 1,
                    "error: cannot read \(home.tasksFile): permission denied",
                    "hint: check the permissions of the file and its folder")
            }
        }
    #endif
}
