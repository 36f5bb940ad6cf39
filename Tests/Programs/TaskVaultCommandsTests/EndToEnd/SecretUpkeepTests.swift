import CommandLine
import Foundation
import Testing
import TestSupport

/// Lists for a person, passwords that should be changed, and the tasks that remind of it.
@Suite(.waitsForProcesses) struct SecretUpkeepTests {
    /// A home with an unlocked vault at a terminal that can do what most can.
    private func home() throws -> TestHome {
        let home = try TestHome.forTasks()
        try home.unlock()
        return home
    }

    private func lines(_ home: TestHome, columns: UInt16) throws -> [String] {
        let session = try TerminalSession(home, ["secret", "list"], rows: 24, columns: columns)
        #expect(try session.finish() == 0)
        let screen = ScreenModel(session.screen, columns: Int(columns))
        return screen.rows.filter { !$0.isEmpty }
    }

    @Test func serviceAndAccountAreWholeAtAnyWidth() throws {
        let home = try home()
        let names = "a-long-service-name.example.org ada.lovelace@mail.example"
        let label = "a label that is longer than the room"
        #expect(
            try home.runBare(
                ["secret", "set"] + names.split(separator: " ").map(String.init)
                    + ["--class", "after-verification", "--label", label], input: [1]
            ).exitCode == 0)
        try home.tell("x", "short")
        let wide = try lines(home, columns: 150)
        #expect(wide[0].contains("CLASS") && wide[0].contains("MODIFIED"))
        #expect(wide[1].contains("after-verification  today "))
        #expect(wide[1].hasSuffix(label))
        // At 80 columns class and time give way.
        let narrow = try lines(home, columns: 80)
        #expect(!narrow[0].contains("CLASS") && !narrow[0].contains("MODIFIED"))
        #expect(
            narrow[1].hasPrefix("a-long-service-name.example.org  ada.lovelace@mail.example  🔒 a"))
        #expect(narrow[2].hasPrefix("short "))
        // Between, only the class does.
        let between = try lines(home, columns: 95)
        #expect(!between[0].contains("CLASS") && between[0].contains("MODIFIED"))
        #expect(between[2].contains("  today "))
        // A pipe gets everything, with exact times.
        let piped = try home.ask("secret list").outputLines
        #expect(piped[1].contains("after-verification  20"))
        #expect(piped[1].hasSuffix(label))
    }

    @Test func aLongListOpensInThePager() throws {
        let home = try home()
        for number in 10..<30 { try home.tell("x", "service\(number)") }
        let session = try TerminalSession(home, ["secret", "list"], rows: 10)
        try session.waitFor("lines 1-9 of 21 · / searches")
        try session.type("/service25\r")
        try session.waitFor("service25")
        try session.type("q")
        #expect(try session.finish() == 0)
        // The last lines stay on the screen.
        #expect(
            try #require(session.screen.split(separator: "\u{1B}[?25h").last).contains("service29"))
    }

    @Test func earlierValuesAreShownAfterAVerification() throws {
        let home = try home()
        try home.tell("first", "mail", options: "--class after-verification")
        for value in ["second", "third\u{1B}[2J"] {
            #expect(try home.ask("secret update mail ada", input: value).exitCode == 0)
        }
        #expect(try home.ask("secret update mail ada", input: "last").exitCode == 0)
        let shown = try home.ask("secret history mail ada --show")
        #expect(shown.outputLines.count == 6)
        #expect(shown.outputLines[0].hasPrefix("revision 3, written 20"))
        #expect(shown.outputLines[1] == "third\\u{1B}[2J")
        #expect([3, 5].map { shown.outputLines[$0] } == ["second", "first"])
        let json = try home.ask("secret history mail ada --show --json").json as? [[String: Any]]
        #expect(json?.compactMap { $0["value_base64"] as? String }.last == "Zmlyc3Q=")
        // Nothing has changed, and the values of now are not shown.
        #expect(try home.value("mail") == "last")
        #expect(!shown.outputText.contains("last"))
        try home.closeWindow()
        #expect(try home.ask("secret history mail ada").outputLines.count == 4)
        #expect(try home.ask("secret history mail ada --show").exitCode == 8)
        // Those of other classes, too.
        try home.tell("plain", "wiki")
        #expect(try home.ask("secret history wiki ada").exitCode == 0)
        #expect(try home.ask("secret history wiki ada --show").exitCode == 8)
        let session = try TerminalSession(home, ["secret", "history", "mail", "--show"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("first"))
        // Without an agent, too.
        #expect(try home.run("secret history mail ada --show").outputText.contains("second"))
        #expect(try home.ask("secret history mail ada --field pin --show").exitCode == 5)
    }

    @Test func aValueIsTypedTwiceOrShownOnWish() throws {
        let home = try home()
        let twice = try TerminalSession(home, ["secret", "set", "mail", "ada", "--twice"])
        try twice.answer("Value", "hunter2")
        try twice.answer("Repeat the value", "hunter3")
        try twice.waitFor("error: the two values differ")
        try twice.answer("Value", "hunter2")
        try twice.answer("Repeat the value", "hunter2")
        #expect(try twice.finish() == 0)
        try home.expectValue("hunter2", "mail")
        let visible = try TerminalSession(home, ["secret", "update", "mail", "--visible"])
        try visible.waitFor("Value: ")
        try visible.type("typed")
        try visible.waitFor("typed")
        #expect(ScreenModel(visible.screen).isAlternate)
        try visible.type("\n")
        #expect(try visible.finish() == 0)
        let screen = ScreenModel(visible.screen)
        #expect(!(screen.rows + screen.scrollback).joined().contains("typed"))
        try home.expectValue("typed", "mail")
    }

    @Test func anAuditFindsWhatShouldBeChanged() throws {
        let home = try home()
        try home.tell("xq7#Lm2%Vb9!Rt4&Kw8_", "good")
        expect(try home.ask("secret audit"), ends: 0)
        #expect(try home.ask("secret audit").outputText == "no problem in 1 entry\n")
        try home.tell("password", "weak")
        try home.tell("password", "hidden", options: "--class after-verification")
        try home.tell("http://good.example", "good", options: "--field url")
        let found = try home.ask("secret audit --json")
        #expect(found.exitCode == 1 && found.errors.isEmpty)
        let findings = try #require(found.json as? [[String: Any]])
        #expect(
            findings.map { "\($0["problem"] ?? "") \($0["service"] ?? "")" } == [
                "reused hidden", "reused weak", "weak hidden", "weak weak", "insecure good",
            ])
        #expect(!found.outputText.contains("password\""))
        let table = try home.ask("secret audit")
        #expect(table.exitCode == 1)
        #expect(table.outputLines.first?.hasPrefix("PROBLEM   SERVICE  ACCOUNT  DETAIL") == true)
        #expect(try home.ask("secret audit --older-than 5").exitCode == 2)

        // Without a verification the protected ones are left out; a person is asked.
        try home.closeWindow()
        let left = try home.ask("secret audit")
        #expect(left.exitCode == 1)
        #expect(left.errorText.contains("1 protected secret left out: taskvault verify"))
        #expect(!left.outputText.contains("hidden"))
        let session = try TerminalSession(home, ["secret", "audit"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 1)
        #expect(session.screen.contains("reused"))
    }

    @Test func aTaskRemindsOfTheNextChange() throws {
        let home = try home()
        try home.tell("first", "bank")
        #expect(try home.ask("secret edit bank ada --change-every 90d").exitCode == 0)
        func task() throws -> [String: Any] {
            let tasks = try home.tasks("--open")
            #expect(tasks.count == 1)
            return try home.shown(try #require(tasks.first?["id"] as? String))
        }
        let planned = try task()
        #expect(planned["protected"] as? Bool == true)
        #expect(planned["name"] as? String == "change the password of bank ada")
        let due = try #require(planned["due"] as? String)
        // The name of the entry is in the vault only.
        let bytes = try Files.read(home.tasksFile)
        #expect(ByteSearch(for: ["the password of bank"]).findings(in: bytes).isEmpty)
        // A change completes it, and the next one is due as long after it.
        let updated = try home.ask("secret update bank ada", input: "second")
        #expect(updated.exitCode == 0)
        #expect(updated.errorText.contains("the next change is due \(due.prefix(10))"))
        #expect(try task()["id"] as? String == planned["id"] as? String)
        #expect(try home.value("bank") == "second")
        // Another field is no password.
        try home.tell("pin", "bank", options: "--field pin")
        #expect(try !home.ask("secret audit").outputText.contains("expired"))
        // A day replaces the time, and what has passed is reported.
        #expect(try home.ask("secret edit bank ada --expires yesterday").exitCode == 0)
        #expect(try home.ask("secret audit").outputText.contains("expired  bank"))
        #expect(try home.ask("secret edit bank ada --change-every never").exitCode == 0)
        #expect(try home.tasks("--open").isEmpty)
        #expect(try !home.ask("secret audit").outputText.contains("expired"))
        #expect(try home.ask("secret edit bank ada --change-every often").exitCode == 2)
    }

    /// A day without a period is a task that ends with the change.
    @Test func aDayEndsWithTheChange() throws {
        let home = try home()
        try home.tell("first", "bank")
        #expect(try home.ask("secret edit bank ada --expires 2099-05-01").exitCode == 0)
        #expect(try home.tasks("--open").count == 1)
        #expect(try home.ask("secret update bank ada", input: "second").exitCode == 0)
        #expect(try home.tasks("--open").isEmpty)
        #expect(try home.tasks().count == 1, "done")
        #expect(try home.ask("secret update bank ada", input: "third").exitCode == 0)
        #expect(try home.tasks().count == 1)
    }
}
