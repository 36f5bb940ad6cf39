import Foundation
import Platform
import Testing
import TestSupport

/// The script Docs/tour, with the executables that were built beside the tests.
@Suite(.waitsForProcesses) struct TourTests {
    private static let script = Checkout.path("Docs/tour")
    private static let programs = URL(fileURLWithPath: Executable.path)
        .deletingLastPathComponent().path

    /// Words that start the tour. The path of the executable follows; the tour does not read it.
    private static func launcher(programs: String) -> [String] {
        ["/usr/bin/env", "bash", script, programs]
    }

    /// A home in which `runBare([])` runs the tour.
    private struct TourHome {
        let home: TestHome
        var temporary: String { home.folder + "/tmp" }

        /// Makes one; `user` and `launcher` start the tour as another user.
        init(as user: uid_t? = nil, launcher: [String] = []) throws {
            home = try TestHome(withVault: false)
            home.environment["TMPDIR"] = home.folder + "/tmp"
            home.launcher = launcher + TourTests.launcher(programs: TourTests.programs)
            try #require(unsafe mkdir(temporary, 0o700) == 0)
            for path in [home.folder, temporary] where user != nil {
                try #require(unsafe chown(path, user ?? 0, user ?? 0) == 0)
            }
        }

        /// Expects no file of the tour, in the temporary folder and beside it.
        func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(Files.names(in: temporary).isEmpty, sourceLocation: sourceLocation)
            let names = Files.names(in: home.folder).filter { !$0.hasPrefix(".") }
            #expect(names == ["passphrase", "tmp"], sourceLocation: sourceLocation)
        }
    }

    private func expectEveryStep(of text: String) {
        let steps = text.split(separator: "\n").compactMap {
            $0.firstMatch(of: /^(\d+)\. [A-Z]/).flatMap { Int($0.1) }
        }
        #expect(steps == Array(1...12))
        for command in [
            "init", "unlock", "secret set", "task add --protected", "backup", "restore", "lock",
            "settings set idle-limit", "account create", "login", "whoami",
        ] {
            #expect(text.contains("taskvault \(command)"), "\(command)")
        }
        for code in [1, 3, 4, 7, 8] { #expect(text.contains("(exit code \(code))"), "\(code)") }
        let lists = text.split(separator: "$ ").filter { $0.hasPrefix("taskvault task list") }
        #expect(lists.map { $0.contains("🔒") } == [true, true])
        #expect(lists.map { $0.contains("ask Dr. Ada") } == [false, true])
    }

    /// Waits for a text; where it does not come, ends the tour, which then ends its server.
    private func wait(for text: String, in session: TerminalSession) throws {
        do {
            try session.waitFor(text)
        } catch {
            kill(session.process, SIGTERM)
            _ = try? session.finish()
            throw error
        }
    }

    @Test func theTourDoesTheMainJobAndLeavesNothing() throws {
        let tour = try TourHome()
        let result = try tour.home.runBare([])
        expect(result, ends: 0)
        expectEveryStep(of: result.outputText)
        tour.expectNothingLeft()
    }

    #if os(Linux)
        @Test(.enabled(if: OtherUser.isAvailable, "setpriv is missing"))
        func anotherUserCanTakeTheTour() throws {
            let tour = try TourHome(as: OtherUser.id, launcher: OtherUser.launcher)
            let readable = try Process.run(
                URL(fileURLWithPath: OtherUser.launcher[0]),
                arguments: OtherUser.launcher.dropFirst() + [
                    "/usr/bin/test", "-r", Self.script, "-a", "-x", Self.programs + "/taskvault",
                ])
            readable.waitUntilExit()
            if readable.terminationStatus != 0 {
                try Test.cancel("not run: other users cannot reach the executable")
            }
            let result = try tour.home.runBare([])
            expect(result, ends: 0)
            expectEveryStep(of: result.outputText)
            tour.expectNothingLeft()
        }
    #endif

    @Test func atATerminalItPausesBetweenTheSteps() throws {
        let tour = try TourHome()
        let session = try TerminalSession(tour.home, [])
        for step in 1..<12 {
            try wait(for: "\(step). ", in: session)
            try wait(for: "Press Enter to continue", in: session)
            try session.type("\n")
        }
        #expect(try session.finish() == 0)
        expectEveryStep(of: session.screen.replacing("\r\n", with: "\n"))
        tour.expectNothingLeft()
    }

    @Test(
        arguments: [
            ("$ taskvault init", nil), ("$ taskvault unlock", nil),
            ("$ taskvault secret get", nil), ("$ taskvault secret get", SIGTERM),
            ("$ taskvault settings set idle-limit", SIGHUP), ("$ taskvault-authd serve", nil),
            ("taskvault account create", nil), ("taskvault account create", SIGTERM),
        ] as [(String, Int32?)])
    func anInterruptedTourLeavesNothing(moment: String, signal: Int32?) throws {
        let tour = try TourHome()
        let session = try TerminalSession(tour.home, [])
        // For each pause but the last, so that the tour is not at its end yet.
        try session.type(String(repeating: "\n", count: 10))
        try wait(for: moment, in: session)
        // As long as the tour runs, its agent can be asked.
        let folder = try #require(Files.names(in: tour.temporary).first)
        tour.home.environment["TASKVAULT_HOME"] = tour.temporary + "/" + folder + "/vault"
        // There the status notes what it sees of the list.
        tour.home.environment["XDG_STATE_HOME"] = tour.temporary + "/" + folder + "/state"
        tour.home.launcher = []
        let agent = tour.home.agentProcess
        if moment.hasSuffix("secret get") { #expect(agent != nil) }
        if let signal { kill(session.process, signal) } else { try session.type("\u{3}") }
        // Not before the server has ended as well, which inherited a descriptor. Bash can lose a signal that comes in the moment in
        // which a command ends; then a person presses the key again.
        #expect(try session.finish(pressing: signal == nil ? "\u{3}" : nil) == 130)
        if let agent { #expect(Processes.wait { !Processes.isRunning(agent) }) }
        tour.expectNothingLeft()
    }

    @Test(arguments: [
        (
            "secret list --json",
            "step 2 failed: exit code 0 instead of 3: taskvault secret list --json"
        ),
        ("whoami", "step 12 failed: no 'ada@example.org' in the output: taskvault whoami"),
    ])
    func aWrongOutcomeEndsTheTour(command: String, message: String) throws {
        let tour = try TourHome()
        let folder = tour.home.folder + "/.programs"
        try #require(unsafe mkdir(folder, 0o700) == 0)
        try Files.write(
            """
            #!/bin/sh
            [ "$*" != "\(command)" ] && exec '\(Executable.path)' "$@"
            exit 0
            """, to: folder + "/taskvault", mode: 0o700)
        let server = Self.programs + "/taskvault-authd"
        try #require(unsafe symlink(server, folder + "/taskvault-authd") == 0)
        tour.home.launcher = Self.launcher(programs: folder)
        let result = try tour.home.runBare([])
        #expect(result.exitCode == 1)
        #expect(result.errorLines == ["tour: " + message])
        tour.expectNothingLeft()
    }

    @Test func withoutExecutablesTheTourSaysSo() throws {
        let tour = try TourHome()
        tour.home.launcher = Self.launcher(programs: "/nowhere")
        let result = try tour.home.runBare([])
        #expect(result.exitCode == 1)
        #expect(result.errorText.hasPrefix("tour: no executable /nowhere/taskvault"))
        tour.expectNothingLeft()
    }
}
