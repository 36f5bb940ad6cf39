import Application
import Foundation
import Platform
import Tasks
import Testing
import TestSupport

/// A to-do list that lost changes which this machine saw, in the place of the newest one.
@Suite(.waitsForProcesses) struct TaskRollbackTests {
    private let hint =
        "taskvault: hint: put the newer one back, a file with its -wal beside it, or restore a backup; "
        + "taskvault task list --accept-older accepts the one that is there"

    /// A home with two tasks, whose list was replaced by a copy from before the second one.
    private func homeWithAnOlderCopy() throws -> TestHome {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        try keep(home)
        _ = try home.add("call mum")
        try putBack(home)
        return home
    }

    /// Copies the list aside.
    private func keep(_ home: TestHome) throws {
        try Files.copy(home.tasksFile, to: home.folder + "/older.db")
    }

    /// Puts the copy in the place of the list.
    private func putBack(_ home: TestHome) throws {
        try Files.copy(home.folder + "/older.db", to: home.tasksFile)
    }

    private func names(_ home: TestHome) throws -> [String] {
        try home.tasks().texts("name").sorted()
    }

    private func expectRefused(
        _ home: TestHome, _ code: String = "list_rolled_back",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let refused = try home.task("list", "--json")
        #expect(refused.exitCode == 7, sourceLocation: sourceLocation)
        #expect(refused.failure["code"] as? String == code, sourceLocation: sourceLocation)
    }

    @Test func anOlderCopyIsRefusedByEachCommand() throws {
        let home = try homeWithAnOlderCopy()
        let before = try Files.read(home.tasksFile)
        let refused = try home.task("add", "pay rent")
        #expect(refused.exitCode == 7)
        #expect(
            refused.errorLines == [
                "taskvault: error: the to-do list \(home.tasksFile) is older than the state last seen on this machine: change 1, last seen 2",
                hint,
            ])
        for command in [
            "task list", "task done milk", "task stats", "task clear", "task export", "task undo",
            "task move-database postgresql://localhost/x", "backup all",
        ] {
            let refused = try home.run(command + " --json")
            #expect(refused.exitCode == 7, "\(command): \(refused.errorText)")
            #expect(refused.failure["code"] as? String == "list_rolled_back", "\(command)")
        }
        let doctor = try home.run("doctor")
        #expect(doctor.exitCode == 7)
        #expect(doctor.outputText.contains("problem: list_rolled_back: "))
        #expect(doctor.errorLines.last == hint)
        let status = try home.ask("status")
        #expect(status.exitCode == 0)
        #expect(status.errorText.contains("warning: the to-do list \(home.tasksFile) is older"))
        #expect(try Files.read(home.tasksFile) == before)
        #expect(Files.names(in: home.home) == ["tasks.db", "vault.db"])
        // Accepted once, it is the newest that this machine knows.
        #expect(try home.task("list", "--accept-older").outputText.contains("buy milk"))
        expect(try home.ask("status"), ends: 0)
        _ = try home.add("pay rent")
        #expect(try names(home) == ["buy milk", "pay rent"])
        try putBack(home)
        try expectRefused(home)
    }

    @Test func withoutItsRecordAnOlderCopyOpens() throws {
        let home = try homeWithAnOlderCopy()
        try expectRefused(home)
        let records = home.folder + "/state/taskvault/rollback"
        for name in Files.names(in: records) where name.hasSuffix(".list") {
            unsafe unlink(records + "/" + name)
        }
        #expect(try names(home) == ["buy milk"])
        Attack.report(control: "without its record the older list opens")
    }

    @Test func doctorAcceptsBothStores() throws {
        let home = try homeWithAnOlderCopy()
        let accepted = try home.run("doctor --accept-older")
        #expect(accepted.exitCode == 0, "\(accepted.errorText)")
        #expect(try names(home) == ["buy milk"])
    }

    /// As a kill or a copy without the log leaves it.
    @Test(arguments: ["removed", "emptied", "random"])
    func aLostLogIsRefused(change: String) throws {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        do {
            // The log stays as long as a program has the list open.
            let folders = try VaultFolders(home: home.home, EnvironmentVariables([:]))
            let holder = try TaskDatabasePlace("sqlite", folders).open(.reading)
            defer { holder.close() }
            _ = try home.add("call mum")
            for suffix in ["", "-wal"] {
                try Files.copy(home.tasksFile + suffix, to: home.folder + "/left" + suffix)
            }
        }
        func putLeft() throws {
            for suffix in ["-wal", "-shm"] { unsafe unlink(home.tasksFile + suffix) }
            for suffix in ["", "-wal"] {
                try Files.copy(home.folder + "/left" + suffix, to: home.tasksFile + suffix)
                Files.setMode(home.tasksFile + suffix, 0o600)
            }
        }
        try putLeft()
        #expect(try names(home) == ["buy milk", "call mum"])
        try putLeft()
        let log = home.tasksFile + "-wal"
        switch change {
        case "removed": unsafe unlink(log)
        case "emptied": try Files.write("", to: log)
        default: try Files.write(try Files.read(log).map { _ in .random(in: 0...255) }, to: log)
        }
        try expectRefused(home)
        #expect(try home.task("add", "pay rent").exitCode == 7)
    }

    @Test func aListThatIsGoneIsNotBegunAnew() throws {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        unsafe unlink(home.tasksFile)
        for command in ["task list", "task add x", "doctor"] {
            let refused = try home.run(command)
            #expect(refused.exitCode == 7, "\(command)")
            #expect(refused.errorText.contains("change 0, last seen 1"), "\(command)")
        }
        #expect(!Files.exists(home.tasksFile))
        #expect(try home.ask("task list --accept-older").exitCode == 0)
        _ = try home.add("call mum")
        #expect(try names(home) == ["call mum"])
    }

    @Test func twoMachinesOnACopiedFolder() throws {
        let here = try TestHome.forTasks()
        _ = try here.add("buy milk")
        // Another machine takes what is there.
        let there = try TestHome.forTasks()
        try Files.copy(here.tasksFile, to: there.tasksFile)
        Files.setMode(there.tasksFile, 0o600)
        #expect(try names(there) == ["buy milk"])
        _ = try there.add("call mum")
        // It went on from what this machine has.
        try Files.copy(there.tasksFile, to: here.tasksFile)
        #expect(try names(here) == ["buy milk", "call mum"])
        // Both go on: the copy, although newer, lacks the change of this machine.
        _ = try here.add("pay rent")
        _ = try there.add("read")
        _ = try there.add("write")
        try Files.copy(there.tasksFile, to: here.tasksFile)
        try expectRefused(here, "list_forked")
        expect(
            try here.ask("task list"), ends: 7,
            "error: the to-do list \(here.tasksFile) was forked: change 3, which this machine saw, is not in it",
            "hint: an older copy was put back and changed: compare the other machines and the backups; taskvault task list --accept-older accepts the one that is there"
        )
        expect(try here.ask("task list --accept-older --json"), ends: 0)
        #expect(try names(here) == ["buy milk", "call mum", "read", "write"])
    }

    @Test func homesHaveRecordsOfTheirOwn() throws {
        let home = try homeWithAnOlderCopy()
        let other = home.folder + "/other"
        try FileManager.default.copyItem(atPath: home.home, toPath: other)
        for command in ["task list", "task add x"] {
            expect(try home.ask("\(command) --json --home \(other)"), ends: 0)
        }
        try expectRefused(home)
        // A link leads to the same list, and to the same record.
        try #require(unsafe symlink(home.home, home.folder + "/link") == 0)
        #expect(try home.ask("task list --home \(home.folder)/link").exitCode == 7)
    }

    @Test func aRestoredBackupNeedsNoWord() throws {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        expect(try home.run("backup all"), ends: 0)
        try keep(home)
        _ = try home.add("call mum")
        try putBack(home)
        try expectRefused(home)
        expect(try home.run("restore --replace all"), ends: 0)
        #expect(try names(home) == ["buy milk"])
        _ = try home.add("pay rent")
        // In the place of one that is gone, damaged, or was never there.
        unsafe unlink(home.tasksFile)
        expect(try home.run("restore --replace all"), ends: 0)
        #expect(try names(home) == ["buy milk"])
        try Files.write("no database", to: home.tasksFile)
        expect(try home.run("restore --replace all"), ends: 0)
        #expect(try names(home) == ["buy milk"])
        expect(try home.run("restore --to look all"), ends: 0)
        expect(try home.ask("task add more --json --home look"), ends: 0)
        try FileManager.default.removeItem(atPath: home.folder + "/look")
        expect(try home.run("restore --to look all"), ends: 0)
        expect(try home.ask("task add again --json --home look"), ends: 0)
    }

    @Test(arguments: ["", "short", "much longer than a record of a list may ever be, by far"])
    func aDamagedRecordIsRefused(content: String) throws {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        let records = home.folder + "/state/taskvault/rollback"
        let name = try #require(Files.names(in: records).first { $0.hasSuffix(".list") })
        try Files.write(content, to: records + "/" + name)
        if content.isEmpty {
            // As a crash leaves it before its first use.
            #expect(try names(home) == ["buy milk"])
            try keep(home)
            _ = try home.add("call mum")
            try putBack(home)
            return try expectRefused(home)
        }
        try expectRefused(home, "list_record_damaged")
        expect(try home.ask("task list --accept-older --json"), ends: 0)
        #expect(Files.names(in: records).contains(name))
        #expect(try Files.read(records + "/" + name).count == 40)
        #expect(try names(home) == ["buy milk"])
    }

    @Test func aMachineThatCanKeepNoRecordSaysSo() throws {
        let home = try TestHome.forTasks()
        try Files.write("", to: home.folder + "/file")
        home.environment["XDG_STATE_HOME"] = home.folder + "/file"
        let added = try home.task("add", "buy milk")
        #expect(added.exitCode == 0)
        #expect(
            added.errorLines == [
                "taskvault: warning: cannot keep this machine's rollback record "
                    + "(\(home.folder)/file/taskvault/rollback: not a directory): "
                    + "an older copy would not be detected"
            ])
        #expect(try home.task("list").exitCode == 0)
        // Nothing is taken from a folder that others can change.
        home.environment["XDG_STATE_HOME"] = home.folder + "/open"
        try FileManager.default.createDirectory(
            atPath: home.folder + "/open/taskvault/rollback", withIntermediateDirectories: true)
        Files.setMode(home.folder + "/open", 0o777)
        #expect(try home.task("list").exitCode == 8)
    }

    @Test func severalProcessesAtOnce() throws {
        let home = try TestHome.forTasks()
        _ = try home.add("first")
        let sink = try Files.open("/dev/null", O_RDWR)
        defer { close(sink) }
        let processes = try (0..<8).map { number in
            try Executable.start(
                ["task", "add", "task \(number)"], environment: home.environment, in: home.folder,
                .init(input: sink, output: sink, errors: sink))
        }
        for process in processes { #expect(Executable.wait(for: process) == 0) }
        #expect(try names(home).count == 9)
        try keep(home)
        _ = try home.add("last")
        try putBack(home)
        let refused = try home.task("list")
        #expect(refused.errorText.contains("change 9, last seen 10"), "\(refused.errorText)")
    }

    #if os(Linux)
        /// A change is in the list before it is in the record, so a kill leaves a list that opens.
        @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
        func aKillBeforeTheRecordLeavesAGoodList() throws {
            let home = try TestHome.forTasks()
            _ = try home.add("buy milk")
            let records = home.folder + "/state/taskvault/rollback"
            let name = try #require(Files.names(in: records).first { $0.hasSuffix(".list") })
            let record = try Files.read(records + "/" + name)
            let killed = try home.runBare(
                ["task", "add", "call mum"],
                beneath: [
                    Tracer.path, "-f", "-qq", "-P", records + "/" + name, "-e", "trace=pwrite64",
                    "-e", "inject=pwrite64:signal=KILL:when=1", "-o", home.folder + "/trace",
                ])
            #expect(killed.exitCode != 0)
            #expect(killed.output.isEmpty, "nothing is acknowledged")
            // The signal comes with the call, which may write; a kill just before it does not.
            try Files.write(record, to: records + "/" + name)
            #expect(try names(home) == ["buy milk", "call mum"])
            // Now the machine knows it.
            #expect(try Files.read(records + "/" + name) != record)
        }
    #endif
}
