import Foundation
import Platform
import Testing
import TestSupport

/// Protected text on a terminal: shown after verification, taken away when they may not be seen any more, and nothing stays.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskViewTests {
    /// A home with a protected task.
    private struct Scene {
        let home: TestHome
        let secret = SecretText()
        let id: String
        let agent: pid_t

        init() throws {
            home = try TestHome.forTasks()
            agent = try home.unlock()
            id = try home.add(
                "--protected", "--notes", "-", input: secret.name + "\n" + secret.notes)
            try home.doTask("subtask", "add", id, input: secret.subtask + "\n")
        }

        /// Shows the task, and waits until all of it is there; again where the agent took longer to answer than a view waits for it.
        func view() throws -> TerminalSession {
            var tries = 0
            while true {
                let session = try TerminalSession(home, ["task", "show", id])
                tries += 1
                do {
                    try waitForAll(session)
                    return session
                } catch let failure as TerminalSession.WaitFailure
                    where tries < 60 && failure.screen.contains("shows it again")
                {}
            }
        }

        func waitForAll(_ session: TerminalSession) throws {
            try session.waitFor(secret.name)
            try session.waitFor(secret.subtask)
            try session.waitFor(secret.notes)
            try session.waitFor("q closes")
            let screen = ScreenModel(session.screen)
            #expect(screen.isAlternate)
            #expect(screen.rows.joined().contains(secret.name))
        }

        /// Waits for the end, and expects a terminal as it was, without a word.
        func expectGone(
            _ session: TerminalSession, code: Int32 = 0, mayLeaveOff: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let ended = try session.finish()
            #expect(ended == code, "\(session.screen)", sourceLocation: sourceLocation)
            #expect(session.echoes, sourceLocation: sourceLocation)
            for kind in [ScreenModel.Kind(), ScreenModel.Kind(hasAlternate: false)] {
                let screen = ScreenModel(session.screen, kind: kind)
                expectNone(
                    of: secret, in: (screen.rows + screen.scrollback).joined(separator: "\n"),
                    sourceLocation: sourceLocation)
                #expect(!screen.isAlternate, sourceLocation: sourceLocation)
                #expect(screen.cursorIsVisible, sourceLocation: sourceLocation)
                #expect(screen.wraps, sourceLocation: sourceLocation)
                #expect(screen.unknown == [], sourceLocation: sourceLocation)
            }
            try expectNowhere(secret, below: home, "shown", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: ["q", "\u{1B}", "\n"])
    func aKeyClosesIt(key: String) throws {
        let scene = try Scene()
        let session = try scene.view()
        try session.type(key)
        try scene.expectGone(session)
    }

    @Test func longLinesAreThereToTheirEnd() throws {
        let scene = try Scene()
        let long = (100..<180).map { "word\($0)" }.joined(separator: " ")
        try scene.home.doTask(
            "edit", scene.id, "--notes", "-", input: long + "\n" + scene.secret.notes)
        try scene.home.doTask(
            "subtask", "add", scene.id, input: String(repeating: "x", count: 200) + "END\n")
        let session = try scene.view()
        let rows = ScreenModel(session.screen).rows
        for word in long.split(separator: " ") { #expect(rows.contains { $0.contains(word) }) }
        #expect(rows.contains { $0.contains("END") })
        try session.type("q")
        try scene.expectGone(session)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalClearsItFirst(signal: Int32) throws {
        let scene = try Scene()
        let session = try scene.view()
        if signal == SIGINT { try session.type("\u{3}") } else { kill(session.process, signal) }
        try scene.expectGone(session, code: 130)
    }

    @Test func controlZClearsItBeforeTheShellGoesOn() throws {
        let scene = try Scene()
        // Only below a shell that controls jobs does the key stop a process.
        scene.home.launcher = [
            "/bin/sh", "-c", #"set -m; "$0" "$@"; echo "<stopped>"; fg >/dev/null"#,
        ]
        let session = try scene.view()
        scene.home.launcher = []
        try session.type("\u{1A}")
        try session.waitFor("<stopped>")
        try scene.waitForAll(session)
        try session.type("q")
        try scene.expectGone(session)
        let stopped = try #require(session.screen.firstRange(of: "<stopped>")).lowerBound
        let screen = ScreenModel(String(session.screen[..<stopped]))
        #expect(!screen.isAlternate && screen.cursorIsVisible && screen.wraps)
        expectNone(
            of: scene.secret, in: (screen.rows + screen.scrollback).joined(separator: "\n"))
    }

    @Test func theEndOfTheWindowClearsIt() throws {
        let scene = try Scene()
        let session = try scene.view()
        #expect(session.screen.contains("hidden in "))
        expect(try scene.home.ask("settings set verification-window 1s"), ends: 0)
        try session.waitFor("task show \(scene.id) shows it again")
        try scene.expectGone(session)
        #expect(try scene.home.state == "unlocked")
    }

    @Test func aLockByAnotherProcessClearsIt() throws {
        let scene = try Scene()
        let session = try scene.view()
        expect(try scene.home.ask("lock"), ends: 0)
        try session.waitFor("task show \(scene.id) shows it again")
        try scene.expectGone(session)
    }

    @Test(arguments: [SIGKILL, SIGSTOP])
    func anAgentThatAnswersNoMoreClearsIt(signal: Int32) throws {
        let scene = try Scene()
        let session = try scene.view()
        kill(scene.agent, signal)
        try session.waitFor("task show \(scene.id) shows it again")
        if signal == SIGSTOP { kill(scene.agent, SIGCONT) }
        try scene.expectGone(session)
    }

    @Test func aRevealedListIsClearedToo() throws {
        let scene = try Scene()
        let other = SecretText()
        try scene.home.doTask("add", "--protected", input: other.name + "\n")
        let session = try TerminalSession(scene.home, ["task", "list", "--reveal"])
        try session.waitFor(scene.secret.name)
        try session.waitFor("q closes")
        #expect(session.screen.contains(other.name))
        expect(try scene.home.ask("lock"), ends: 0)
        try session.waitFor("shows it again")
        try scene.expectGone(session)
        let screen = ScreenModel(session.screen)
        expectNone(of: other, in: (screen.rows + screen.scrollback).joined(separator: "\n"))
    }

    @Test(arguments: [["task", "show"], ["task", "list", "--reveal"]])
    func verificationIsAskedForOnATerminalOnly(command: [String]) throws {
        let scene = try Scene()
        try scene.home.closeWindow()
        let arguments = command.last == "show" ? command + [scene.id] : command
        let piped = try scene.home.runBare(arguments)
        #expect(piped.exitCode == 8)
        #expect(piped.output.isEmpty)
        expectNone(of: scene.secret, in: piped.errorText)
        let wrong = try TerminalSession(scene.home, arguments)
        for _ in 0..<3 { try wrong.answer("Passphrase", "not this one") }
        try scene.expectGone(wrong, code: 4)
        #expect(!wrong.screen.contains(scene.secret.name))
        let session = try TerminalSession(scene.home, arguments)
        try session.answer("Passphrase", TestHome.passphrase)
        try session.waitFor(scene.secret.name)
        try session.waitFor("q closes")
        try session.type("q")
        try scene.expectGone(session)
        #expect(!session.screen.contains(TestHome.passphrase))
        // Now in a pipe too, plainly and without steering anything.
        let plain = try scene.home.runBare(arguments)
        #expect(plain.exitCode == 0)
        #expect(plain.outputText.contains(scene.secret.name))
        #expect(!plain.outputText.contains("\u{1B}"))
    }

    @Test func anIdleTerminalIsClearedToo() throws {
        let scene = try Scene()
        let session = try TerminalSession(
            scene.home, ["task", "show", scene.id], input: "/dev/null")
        try scene.waitForAll(session)
        expect(try scene.home.ask("lock"), ends: 0)
        try scene.expectGone(session)
    }

    @Test func aTerminalThatCanOnlyPrintIsWarnedOf() throws {
        let scene = try Scene()
        scene.home.environment["TERM"] = "dumb"
        let session = try TerminalSession(scene.home, ["task", "show", scene.id])
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("stays on the screen"))
        #expect(!session.screen.contains("\u{1B}"))
        #expect(session.screen.contains(scene.secret.name))
    }

    @Test func aPlainListShowsALockAndHowToSeeMore() throws {
        let scene = try Scene()
        let session = try TerminalSession(scene.home, ["task", "list"])
        try scene.expectGone(session)
        let rows = ScreenModel(session.screen).rows
        #expect(rows.contains { $0.contains(scene.id) && $0.contains("🔒") })
        #expect(rows.contains { $0.contains("taskvault task list --reveal shows it") })
    }

    @Test func noProcessHasAWordInItsArgumentsOrEnvironment() throws {
        #if os(Linux)
            let scene = try Scene()
            let session = try scene.view()
            let search = ByteSearch(for: scene.secret.needles)
            var looked = 0
            for process in Files.names(in: "/proc") where Int32(process) != nil {
                for file in ["cmdline", "environ", "comm"] {
                    guard let bytes = try? Files.read("/proc/\(process)/\(file)") else { continue }
                    looked += 1
                    #expect(search.findings(in: bytes).isEmpty, "\(process) \(file)")
                }
            }
            #expect(looked > 3)
            try session.type("q")
            try scene.expectGone(session)
        #endif
    }
}
