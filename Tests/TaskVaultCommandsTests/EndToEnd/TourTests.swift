import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct TourTests {
    @Test func theTourDoesTheMainJobAndLeavesNothing() throws {
        let home = try TestHome(withVault: false)
        let temporary = home.folder + "/tmp"
        try #require(unsafe mkdir(temporary, 0o700) == 0)
        home.environment["TMPDIR"] = temporary
        let tour = try home.runBare(["tour"])
        expect(tour, ends: 0)
        for text in [
            "$ taskvault init", "$ printf %s swordfish-42 | taskvault secret set",
            "taskvault: error: wrong passphrase", "(exit code 4)", "   swordfish-42\n",
            "   Told nobody yet: the cake is in the attic.\n", "diary         today",
            "damaged or was tampered with", "(exit code 7)", "problem: value_seal",
            "restored 3 secrets",
            "| taskvault task add --protected --due tomorrow\n",
            "   'buy milk' is in vault/tasks.db\n",
            "   'ask Dr. Ada for the results' is in none of them\n",
            "2 tasks marked as done", "completed in the past 24 hours 2",
            "the words of 1 protected task went with it; the to-do list vault/tasks.db stays",
            "$ taskvault-authd serve --database accounts.db", "made the account; signed in as",
            "changed the password, and ended all other sessions",
            "taskvault: signed in as ada@example.org at http://127.0.0.1:",
            "   ada@example.org at http://127.0.0.1:",
        ] {
            #expect(tour.outputText.contains(text), "\(text)")
        }
        for (command, code) in [
            ("taskvault task list --reveal", 8), ("taskvault task list --reveal", 3),
        ] {
            let end = "(exit code \(code))"
            #expect(
                tour.outputText.split(separator: "$ ").contains {
                    $0.hasPrefix(command) && $0.contains(end)
                }, "\(command) \(end)")
        }
        let shown = tour.outputText.split(separator: "$ ").filter {
            $0.hasPrefix("taskvault task list")
        }
        #expect(shown.count == 5)
        #expect(shown.map { $0.contains("🔒") } == [true, true, false, true, false])
        #expect(
            shown.map { $0.contains("ask Dr. Ada") } == [false, true, false, false, false])
        #expect(Files.names(in: temporary).isEmpty)
        // Nothing of the person's was touched.
        #expect(
            Files.names(in: home.folder).filter { !$0.hasPrefix(".") } == ["passphrase", "tmp"])
    }

    @Test func anInterruptedTourLeavesNothing() throws {
        let home = try TestHome(withVault: false)
        let temporary = home.folder + "/tmp"
        try #require(unsafe mkdir(temporary, 0o700) == 0)
        home.environment["TMPDIR"] = temporary
        let session = try TerminalSession(home, ["tour"])
        try session.waitFor("saved mail.example ada")
        let folder = try #require(Files.names(in: temporary).first)
        home.environment["TASKVAULT_HOME"] = temporary + "/" + folder + "/vault"
        let agent = try #require(home.agentProcess)
        try session.type("\u{3}")
        #expect(try session.finish() == 130)
        // One that was left unlocked would make the folder anew at its end.
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(Files.names(in: temporary).isEmpty)
    }
}
