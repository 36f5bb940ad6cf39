import Foundation
import Platform
import Testing
import TestSupport

/// An agent with another runtime folder than that of its clients.
@Suite(.waitsForProcesses) struct AgentElsewhereTests {
    private struct Place {
        let home: TestHome
        let here: [String: String]
        let there: [String: String]

        var folder: String { home.folder + "/data/taskvault" }
        var note: String { folder + "/agent.place" }

        /// A vault and two runtime folders, of which `here` is in use.
        init() throws {
            home = try TestHome(withVault: false)
            home.environment["TASKVAULT_HOME"] = nil
            home.environment["XDG_DATA_HOME"] = home.folder + "/data"
            var environments: [[String: String]] = []
            for name in ["here", "there"] {
                let runtime = home.folder + "/" + name
                #expect(unsafe mkdir(runtime, 0o700) == 0)
                home.environment["XDG_RUNTIME_DIR"] = runtime
                environments.append(home.environment)
            }
            (here, there) = (environments[0], environments[1])
            home.environment = here
            try home.make()
        }

        static let hint =
            "taskvault: hint: in a container, share the folder of its socket, or give --no-agent; otherwise end its process, which ps -u \(geteuid()) -f shows"

        /// Expects that none of the commands takes the vault for locked.
        func expectUnreachable(
            _ commands: [String] = ["lock", "status"],
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            for command in commands {
                let failed = try home.ask(command)
                #expect(failed.exitCode == 1, sourceLocation: sourceLocation)
                let lines = failed.errorLines
                // A note may name a socket.
                #expect(
                    lines.first?.hasPrefix(
                        "taskvault: error: an agent is running for this vault, but cannot be reached"
                    ) == true, sourceLocation: sourceLocation)
                #expect(lines.dropFirst() == [Self.hint], sourceLocation: sourceLocation)
            }
            #expect(Files.exists(folder + "/vault.db"))
        }
    }

    @Test func isFoundByEveryCommand() throws {
        let place = try Place()
        let home = place.home
        let agent = try home.unlock()
        home.environment = place.there
        #expect(try home.status["process_id"] as? Int == Int(agent))
        #expect(try home.state == "verified")
        try home.tell("value")
        try home.expectValue("value")
        #expect(try home.unlock() == agent, "there is one for a vault")
        expect(
            try home.ask("agent"), ends: 6, "error: an agent is already running for this vault",
            "hint: taskvault status")
        expect(try home.ask("lock"), ends: 0)
        home.environment = place.here
        #expect(try home.state == "locked")
    }

    @Test func isEndedBeforeTheVaultIsDestroyed() throws {
        let place = try Place()
        let agent = try place.home.unlock()
        place.home.environment = place.there
        expect(try place.home.ask("destroy --yes"), ends: 0)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(Files.names(in: place.folder).isEmpty)
    }

    @Test func leavesANoteThatDoesNoHarmWhenItIsKilled() throws {
        let place = try Place()
        let home = place.home
        let agent = try home.unlock()
        kill(agent, SIGKILL)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(Files.exists(place.note))
        home.environment = place.there
        let locked = try home.ask("lock")
        #expect(locked.exitCode == 0)
        #expect(locked.outputText == "locked\n")
        let next = try home.unlock()
        home.environment = place.here
        #expect(try home.status["process_id"] as? Int == Int(next))
        kill(next, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(next) })
        #expect(Files.names(in: place.folder) == ["vault.db"])
    }

    enum Note: CaseIterable {
        case none, empty, relative, elsewhere, long, notText, lineEnd, zero, link, fifo, folder
        case shared, fileForSocket, otherVault
    }

    @Test(arguments: Note.allCases)
    func isNotTakenForLockedByItsNote(kind: Note) throws {
        let place = try Place()
        let home = place.home
        try home.unlock()
        let right = try Files.read(place.note)
        let socket = String(decoding: right, as: UTF8.self)
        let name = socket.dropFirst((home.folder + "/here").count)
        #expect(unsafe unlink(place.note) == 0)
        let copy = home.folder + "/copy"
        try Files.write(right, to: copy)
        switch kind {
        case .none: break
        case .empty: try Files.write("", to: place.note)
        case .relative: try Files.write("here\(name)", to: place.note)
        case .elsewhere: try Files.write("\(home.folder)/nowhere\(name)", to: place.note)
        case .long:
            let slashes = String(repeating: "/", count: 1_000_000)
            try Files.write(slashes + socket, to: place.note)
        case .notText: try Files.write([0x2F, 0xFF] + right, to: place.note)
        case .lineEnd: try Files.write(socket + "\n", to: place.note)
        case .zero: try Files.write(socket + "\0" + name, to: place.note)
        case .link: #expect(unsafe symlink(copy, place.note) == 0)
        case .fifo: #expect(unsafe mkfifo(place.note, 0o600) == 0)
        case .folder: #expect(unsafe mkdir(place.note, 0o700) == 0)
        case .shared:
            try Files.write(right, to: place.note)
            Files.setMode(place.note, 0o644)
        case .fileForSocket:
            let folder = home.folder + "/there" + name.dropLast("/agent.sock".count)
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Files.write("", to: folder + "/agent.sock")
            try Files.write(folder + "/agent.sock", to: place.note)
        case .otherVault:
            let other = try TestHome()
            try other.unlock()
            try Files.write(other.home + "/agent.sock", to: place.note)
            home.environment = place.there
            try place.expectUnreachable()
            #expect(try other.state == "verified")
        }
        home.environment = place.there
        try place.expectUnreachable()
        home.environment = place.here
        #expect(try home.state == "verified")
        try? FileManager.default.removeItem(atPath: place.note)
        try Files.write(right, to: place.note)
        home.environment = place.there
        #expect(try home.state == "verified")
    }

    #if os(Linux)
        @Test(.enabled(if: Bubblewrap.isUsable, Bubblewrap.reason))
        func isNamedInAContainerThatSharesTheHome() throws {
            let place = try Place()
            let home = place.home
            try home.unlock()
            let socket = String(decoding: try Files.read(place.note), as: UTF8.self)
            home.launcher = Bubblewrap.launcher(["--tmpfs", home.folder + "/here"])
            let failed = try home.ask("secret list")
            #expect(failed.exitCode == 1)
            #expect(
                failed.errorLines == [
                    "taskvault: error: an agent is running for this vault, but cannot be reached at \(socket)",
                    Place.hint,
                ])
            // With the socket's folder the vault is open there, too.
            home.launcher = Bubblewrap.launcher([
                "--tmpfs", home.folder + "/here", "--bind", home.folder + "/here/taskvault",
                home.folder + "/here/taskvault",
            ])
            expect(try home.ask("secret list"), ends: 0)
            home.launcher = []
        }
    #endif

    /// As that of an agent whose runtime folder is in another namespace.
    @Test func isSeenByItsLockAlone() throws {
        let place = try Place()
        let folder = try Files.open(place.folder, O_RDONLY)
        defer { close(folder) }
        #expect(flock(folder, LOCK_EX) == 0)
        try place.expectUnreachable([
            "lock", "status", "secret list", "destroy --yes",
            "unlock --passphrase-file \(place.home.passphraseFile)",
        ])
        #expect(flock(folder, LOCK_UN) == 0)
        #expect(try place.home.ask("lock").outputText == "locked\n")
        // As a client that looks for an agent holds it, for a moment.
        #expect(flock(folder, LOCK_SH) == 0)
        let release = Thread {
            usleep(20_000)
            flock(folder, LOCK_UN)
        }
        release.start()
        try place.home.unlock()
    }
}
