@testable import Application
import Foundation
import Platform
import Sealing
import Tasks
import Testing
import TestSupport
import VaultCore
import VaultStorage

/// Ctrl-C during long commands: they end at once and say what they left, or say what they still complete.
@Suite(.waitsForProcesses) struct InterruptedWorkTests {
    private static let logins = "name,url,username,password\nmail,https://mail.example,ada,first\n"
    private static let key = "\u{3}"

    private func importHome(_ records: Int = 1) throws -> TestHome {
        let home = try TestHome()
        home.environment["TERM"] = "xterm"
        try home.unlock()
        let rows = (0..<records).map { "n\($0),https://n\($0).example,ada,value\n" }
        try Files.write(Self.logins + rows.joined(), to: home.folder + "/logins.csv")
        return home
    }

    /// The services of the vault's secrets.
    private func services(_ home: TestHome) throws -> Set<String> {
        let items = try home.run("secret export").object["items"] as? [[String: Any]]
        return Set(try #require(items).texts("service"))
    }

    /// A file that is never read to its end stands for each step before the vault saves.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func anImportThatReadsImportsNothing(signal: Int32) throws {
        let home = try importHome()
        let pipe = home.folder + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let session = try TerminalSession(home, ["secret", "import", pipe])
        // Opens when the command has opened it.
        let writer = try Files.open(pipe, O_WRONLY)
        defer { close(writer) }
        kill(session.process, signal)
        #expect(try session.finish() == 128 + signal)
        #expect(session.screen.contains("taskvault: interrupted; nothing was imported"))
        #expect(try services(home).isEmpty)
    }

    @Test func anImportThatSavesSaysWhatItWaitsFor() throws {
        let home = try importHome(300)
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        defer { storage.close() }
        let session = try storage.write { _ in
            let session = try TerminalSession(home, ["secret", "import", "logins.csv"])
            try session.waitFor("importing 100 %, saving")
            try session.type(Self.key)
            try session.waitFor(
                "taskvault: interrupted; waiting for the vault, which saves all imported secrets or none"
            )
            return session
        }
        #expect(try session.finish() == 130)
        // The agent may have begun the commit before the command withdrew.
        let isImported = try !services(home).isEmpty
        let outcome = isImported ? "imported 301 secrets" : " interrupted; nothing was imported"
        #expect(session.screen.contains(outcome), "\(session.screen)")
        // The agent has nothing left of it, and goes on.
        expect(try home.ask("secret import logins.csv"), ends: 0)
        #expect(try services(home).count == 301)
    }

    @Test func anImportShowsItsProgress() throws {
        let home = try importHome()
        let session = try TerminalSession(home, ["secret", "import", "logins.csv"])
        try session.waitFor("importing 100 %")
        #expect(try session.finish() == 0)
    }

    /// The list is in use by another process, so that the backup waits before it writes.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aBackupThatCopiesWritesNothing(signal: Int32) throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("buy milk")
        #expect(try home.ask("backup first").exitCode == 0)
        let folders = try VaultFolders(home: home.home, EnvironmentVariables([:]))
        let list = try TaskDatabasePlace("sqlite", folders).open(.changing)
        defer { list.close() }
        try list.change { _ in
            let session = try TerminalSession(home, ["backup", "second"])
            // The folder of its copies is there: it has begun.
            try eventually("a temporary folder") {
                Files.names(in: home.home).contains { $0.hasPrefix(".taskvault-scratch") }
            }
            kill(session.process, signal)
            #expect(try session.finish() == 128 + signal)
            #expect(session.screen.contains("taskvault: interrupted; no backup was written"))
        }
        #expect(!Files.names(in: home.home).contains { $0.hasPrefix(".") })
        #expect(!Files.exists(home.folder + "/second"))
        expect(try home.ask("backup second"), ends: 0)
    }

    /// A restore that Ctrl-C reaches says whether the vault is the old one, and that is so.
    @Test func aRestoreSaysWhatItLeft() throws {
        let home = try TestHome()
        home.environment["TERM"] = "xterm"
        try home.save("old")
        expect(try home.run("backup all"), ends: 0)
        try home.run("secret update mail.example ada", input: "new")
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        defer { storage.close() }
        let session = try storage.write { _ in
            let session = try TerminalSession(home, ["restore", "all", "--replace"])
            try session.answer("Passphrase of the backup", TestHome.passphrase)
            try session.waitFor("opening the backup 0 %")
            try session.type(Self.key)
            try session.waitFor("taskvault: interrupted; ")
            return session
        }
        #expect(try session.finish() == 130)
        if session.screen.contains("taskvault: interrupted; nothing was changed") {
            #expect(try home.value() == "new")
        } else {
            #expect(
                session.screen.contains(
                    "taskvault: interrupted; completing the restore of vault, tasks and settings"))
            #expect(session.screen.contains("restored 1 secret to "), "\(session.screen)")
            #expect(try home.value() == "old")
        }
        #expect(!Files.names(in: home.home).contains { $0.hasPrefix(".") })
    }

    @Test func aRestoreIntoANewFolderLeavesNone() throws {
        let home = try TestHome()
        try home.save("value")
        expect(try home.run("backup all"), ends: 0)
        let other = try TestHome(withVault: false)
        other.environment["TERM"] = "xterm"
        let session = try TerminalSession(other, ["restore", home.folder + "/all"])
        try session.answer("Passphrase of the backup", TestHome.passphrase)
        try session.waitFor("opening the backup 0 %")
        try session.type(Self.key)
        #expect(try session.finish() == 130)
        // The key may have come after the first change.
        let isUnchanged = session.screen.contains("taskvault: interrupted; nothing was changed")
        #expect(Files.exists(other.home) != isUnchanged)
    }

    /// A slot that takes many seconds stands for work of any length: of two restores, the interrupted one ends while the one before it still opens.
    @Test func aRestoreDoesNotWaitForItsWork() throws {
        let home = try TestHome()
        expect(try home.run("backup all"), ends: 0)
        let file = home.folder + "/all"
        try Self.makeExpensive(file)
        let homes = try (0..<2).map { _ in try TestHome(withVault: false) }
        let sessions = try homes.map { other in
            other.environment["TERM"] = "xterm"
            let session = try TerminalSession(other, ["restore", file])
            try session.answer("Passphrase of the backup", TestHome.passphrase)
            try session.waitFor("opening the backup 0 %")
            return session
        }
        try sessions[1].type(Self.key)
        #expect(try sessions[1].finish() == 130)
        #expect(sessions[1].screen.contains("taskvault: interrupted; nothing was changed"))
        #expect(Processes.isRunning(sessions[0].process))
    }

    /// Gives the slot of a backup the most passes and memory that a vault accepts, in place of the least.
    private static func makeExpensive(_ backup: String) throws {
        func cost(_ passes: UInt8, _ memory: UInt32) -> [UInt8] {
            [passes, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: memory >> (8 * $0)) }
        }
        let id = try #require(
            try LockedBackup(at: backup, VaultEnvironment(rollbackRecords: MemoryRollbackRecords()))
                .vaultID)
        var bytes = try Files.read(backup)
        let place = try #require(bytes.firstRange(of: cost(2, 19 * 1_024)))
        bytes.replaceSubrange(place, with: cost(64, 256 * 1_024))
        // The checksum follows the slot, without a key.
        let (start, end) = (place.lowerBound - 18, place.lowerBound + 380)
        let slot = Array("TVSL".utf8) + id + bytes[start..<end]
        let hash = Blake2b.hash(size: 16) { $0.feed(slot) }
        bytes.replaceSubrange(end..<end + 16, with: hash)
        try Files.write(bytes, to: backup)
    }

    /// How long a signal waits: above, the work never ends by itself.
    @Test func signalsAreLookedAtWithinASecond() {
        #expect(InterruptibleWork.pause < .seconds(1))
    }

    @Test func backupAndRestoreShowTheirProgress() throws {
        let home = try TestHome()
        home.environment["TERM"] = "xterm"
        try home.save("value")
        let backup = try TerminalSession(home, ["backup", "all"])
        try backup.waitFor("writing the backup 100 %")
        #expect(try backup.finish() == 0)
        let restore = try TerminalSession(home, ["restore", "all", "--replace"])
        try restore.answer("Passphrase of the backup", TestHome.passphrase)
        try restore.waitFor("opening the backup ")
        #expect(try restore.finish() == 0)
    }

    /// A pipe whose reader hangs: the write itself never ends.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aBackupIntoAFullPipeEnds(signal: Int32) throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(2_000_000))
        try home.doFile("add", "big")
        let pipe = home.folder + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = try Files.open(pipe, O_RDWR)
        defer { close(reader) }
        let session = try TerminalSession(home, ["backup", pipe])
        try eventually("the pipe is full") {
            var polled = pollfd(fd: reader, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&polled, 1, 0) == 0
        }
        kill(session.process, signal)
        #expect(try session.finish() == 128 + signal)
        #expect(session.screen.contains("taskvault: interrupted; no backup was written"))
    }

    /// A signal that the parent process ignores, as `nohup` does, interrupts nothing.
    @Test func anIgnoredHangUpInterruptsNothing() throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(2_000_000))
        try home.doFile("add", "big")
        let pipe = home.folder + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = try Files.open(pipe, O_RDWR)
        defer { close(reader) }
        let session = try TerminalSession(
            home, [], shell: "trap '' HUP; exec '\(home.program)' backup '\(pipe)'")
        var bytes = [UInt8](repeating: 0, count: 65_536)
        try #require(unsafe read(reader, &bytes, 1) == 1)
        kill(session.process, SIGHUP)
        let isEnded = SharedFlag()
        let drain = Foundation.Thread {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while !isEnded.isSet { _ = unsafe read(reader, &bytes, bytes.count) }
        }
        drain.start()
        #expect(try session.finish() == 0, "\(session.screen)")
        isEnded.set()
        _ = unsafe write(reader, bytes, 1)
    }
}
