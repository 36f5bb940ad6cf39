import Foundation
import SecureStorage
import Testing
import TestSupport
import VaultAgent

/// `secret history`, `secret restore`, `secret remove` and `secret list --removed`.
@Suite(.waitsForProcesses) struct EarlierSecretTests {
    @Test func anEarlierValueIsListedWithoutItAndBroughtBack() throws {
        let home = try TestHome()
        try home.save("first")
        #expect(try home.run("secret history mail.example ada").outputText.isEmpty)
        #expect(try home.run("secret update mail.example ada", input: "second").exitCode == 0)
        #expect(try home.run("secret update mail.example ada", input: "third").exitCode == 0)
        let history = try home.run("secret history mail.example ada")
        #expect(history.outputLines.first == "REVISION  WRITTEN               REPLACED")
        #expect(history.outputLines.dropFirst().map { $0.prefix(1) } == ["2", "1"])
        let json = try home.run("secret history --json mail.example ada")
        for word in ["first", "second", "third"] {
            #expect(!json.outputText.contains(word) && !history.outputText.contains(word))
        }
        let list = try #require(json.json as? [[String: Any]])
        #expect(list.map { $0["revision"] as? Int } == [2, 1])
        #expect(list.allSatisfy { $0["replaced"] is String && $0["field"] is String })

        let restored = try home.run("secret restore mail.example ada")
        #expect(restored.outputText == "restored mail.example ada\n")
        #expect(try home.value() == "second")
        #expect(try home.run("secret restore mail.example ada --revision 1").exitCode == 0)
        #expect(try home.value() == "first")
        let again = try home.run("secret restore --json mail.example ada --revision 3")
        #expect(again.object["revision"] as? Int == 6)
        #expect(try home.value() == "third")
        let missing = try home.run("secret restore mail.example ada --revision 17")
        expect(
            missing, ends: 5,
            "error: secret mail.example ada has no earlier value with revision 17",
            "hint: taskvault secret history mail.example ada")
        #expect(try home.run("doctor").outputText.contains("1 checked, 5 earlier values"))
    }

    @Test func aRemovedSecretIsListedAndBroughtBack() throws {
        let home = try TestHome()
        try home.save("first")
        let removed = try home.run("secret remove mail.example ada")
        expect(removed, ends: 0)
        #expect(removed.outputText == "removed mail.example ada\n")
        #expect(try home.run("secret list").outputText.isEmpty)
        let lines = try home.run("secret list --removed").outputLines
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("ID        SERVICE       ACCOUNT  REMOVED"))
        let list = try #require(
            try home.run("secret list --removed --json").json as? [[String: Any]])
        let id = try #require(list.first?["id"] as? String)
        #expect(list.count == 1 && id.count == 32 && lines[1].hasPrefix(id.prefix(8)))
        #expect(list[0]["removed"] is String && list[0]["revision"] as? Int == 1)

        #expect(try home.run("secret restore mail.example ada").exitCode == 0)
        #expect(try home.value() == "first")
        #expect(try home.run("secret list --removed --json").outputText == "[]\n")
        expect(
            try home.run("secret restore other.example ada"), ends: 5,
            "error: there is no secret other.example ada, removed or not",
            "hint: taskvault secret list --removed")
    }

    @Test func anItemThatAProgramRemovedIsBroughtBackByItsLabelOrItsNames() throws {
        let home = try TestHome()
        try home.save("own")
        try home.unlock()
        let agent = try AgentClient(
            AgentPlace(vaultFile: home.vault, runtimeFolder: nil), programVersion: "test")
        let account = String(repeating: "5", count: 32)
        let name = try SecretName(service: SecretName.programService, account: account)
        try agent.save(Samples.one(), as: name, SecretAttributes(label: "Browser Safe Storage"))
        try agent.remove(name)
        for words in ["secret list --removed", "secret list --removed safe"] {
            let lines = try home.ask(words).outputLines
            #expect(lines.count == 2)
            #expect(lines.last?.contains(" taskvault.secret-service  \(account)") == true)
            #expect(lines.last?.hasSuffix(" Browser Safe Storage") == true)
        }
        #expect(!(try home.ask("secret list").outputText.contains("taskvault.")))
        let restored = "restored taskvault.secret-service \(account)\n"
        let byLabel = try home.runBare(["secret", "restore", "Browser Safe Storage"])
        #expect(byLabel.outputText == restored)
        #expect(try agent.value(of: name).isEqual(to: Samples.one()))
        try agent.remove(name)
        let byName = try home.ask("secret restore taskvault.secret-service \(account)")
        #expect(byName.outputText == restored)
        expect(
            try home.ask("secret get taskvault.secret-service \(account)"), ends: 8,
            "error: secret taskvault.secret-service \(account) belongs to a program")
        expect(
            try home.ask("secret restore taskvault.task x"), ends: 8,
            "error: secret taskvault.task x belongs to the to-do list")
    }

    @Test func aRemovedSecretWhoseNameWasTakenGetsAnotherOne() throws {
        let home = try TestHome()
        try home.save("first")
        try home.run("secret remove mail.example ada")
        try home.save("second")
        let plain = try home.run("secret restore mail.example ada")
        expect(
            plain, ends: 5, "error: secret mail.example ada has no earlier value",
            "hint: taskvault secret restore mail.example ada --account NAME")
        let id = try #require(
            (try home.run("secret list --removed --json").json as? [[String: Any]])?[0]["id"]
                as? String)
        expect(
            try home.run("secret restore mail.example ada --id \(id)"), ends: 6,
            "error: secret mail.example ada already exists",
            "hint: taskvault secret restore mail.example ada --account NAME brings the removed one back under another name"
        )
        expect(
            try home.run("secret restore mail.example ada --account ada --revision 1"), ends: 2,
            "error: an earlier value has no name of its own",
            "hint: leave out --service and --account")
        let moved = try home.run("secret restore mail.example ada --account old")
        #expect(moved.outputText == "restored mail.example old\n")
        #expect(try home.value("mail.example", "old") == "first")
        #expect(try home.value() == "second")
    }

    @Test func ofSeveralRemovedSecretsTheLastComesBackOrTheNamedOne() throws {
        let home = try TestHome()
        for value in ["first", "second", "third"] {
            try home.save(value)
            try home.run("secret remove mail.example ada")
        }
        func ids() throws -> [String] {
            let list = try home.run("secret list --removed --json").json as? [[String: Any]]
            return (list ?? []).compactMap { $0["id"] as? String }
        }
        let all = try ids()
        try #require(all.count == 3)
        #expect(try home.run("secret restore mail.example ada").exitCode == 0)
        #expect(try home.value() == "third")
        try home.run("secret remove mail.example ada --permanently --yes")
        let named = try home.run("secret restore mail.example ada --id \(all[2])")
        #expect(named.exitCode == 0)
        #expect(try home.value() == "first")
        #expect(try ids() == [all[1]])
        #expect(
            try home.run("secret restore mail.example ada --id \(all[2])").failure.isEmpty)
        #expect(try home.run("secret restore mail.example ada --id zz").exitCode == 5)
    }

    @Test func aPermanentRemovalLeavesNothing() throws {
        let home = try TestHome()
        try home.save("first")
        try home.run("secret update mail.example ada", input: "second")
        // What a script cannot take back, it confirms.
        let unasked = try home.run("secret remove --permanently mail.example ada")
        #expect(unasked.exitCode == 2)
        #expect(unasked.errorText.contains("give --yes to skip the question"))
        #expect(try home.value() == "second")
        let removed = try home.run("secret remove --permanently --yes --json mail.example ada")
        #expect(removed.object["kept_days"] as? Int == 0)
        #expect(try home.run("secret list --removed --json").outputText == "[]\n")
        #expect(try home.run("secret restore mail.example ada").exitCode == 5)
        #expect(try home.run("doctor").outputText.contains("0 checked"))
    }

    @Test func aRemovalAsksOnATerminal() throws {
        let home = try TestHome()
        try home.save("first")
        try home.unlock()
        func session(_ options: [String], _ answer: String) throws -> TerminalSession {
            let session = try TerminalSession(
                home, ["secret", "remove", "mail.example", "ada"] + options)
            try session.waitFor("[y/N]")
            try session.type(answer + "\n")
            return session
        }
        for (options, words) in [
            ([], "taskvault: cancelled"), (["--permanently"], "taskvault: cancelled"),
        ] as [([String], String)] {
            let declined = try session(options, "n")
            #expect(try declined.finish() == 8)
            #expect(declined.screen.contains(words))
        }
        try home.expectValue("first")
        let removed = try session([], "y")
        #expect(try removed.finish() == 0)
        #expect(removed.screen.contains("Remove mail.example ada? [y/N]"))
        let hint = "for 30 days it can be brought back: taskvault secret restore mail.example ada"
        #expect(removed.screen.contains("taskvault: " + hint))
        #expect(try home.ask("secret restore mail.example ada").exitCode == 0)
        let permanent = try session(["--permanently"], "yes")
        #expect(try permanent.finish() == 0)
        #expect(permanent.screen.contains("permanently, with all its earlier values? [y/N]"))
        let unasked = try TerminalSession(
            home, ["secret", "remove", "mail.example", "ada", "--yes"])
        #expect(try unasked.finish() == 5)
        #expect(!unasked.screen.contains("[y/N]"))
    }

    @Test func protectedValuesNeedVerificationToComeBack() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("first", options: "--class after-verification")
        #expect(try home.ask("secret update mail.example ada", input: "second").exitCode == 0)
        try home.ask("settings set verification-window 1s")
        try home.waitFor("unlocked")
        #expect(try home.ask("secret history mail.example ada").outputLines.count == 2)
        let refused = try home.ask("secret restore mail.example ada --json")
        #expect(refused.exitCode == 8)
        #expect(refused.failure["code"] as? String == "not_verified")
        #expect(try home.ask("secret remove mail.example ada").exitCode == 0)
        #expect(try home.ask("secret list --removed").outputLines.count == 2)
        #expect(try home.ask("secret restore mail.example ada --account b").exitCode == 8)
        #expect(try home.ask("secret restore mail.example ada").exitCode == 0)
        #expect(try home.value() == "second")
    }

    @Test func theSettingsSayHowMuchIsKept() throws {
        let home = try TestHome()
        let settings = try home.run("settings list --json").object
        #expect(settings["earlier_values"] as? Int == 10)
        #expect(settings["earlier_days"] as? Int == 90)
        #expect(settings["removed_days"] as? Int == 30)
        #expect(try home.run("settings set removed-days 0").outputText == "removed-days is 0 now\n")
        #expect(try home.run("settings get removed-days").outputText == "0\n")
        for (name, values) in [
            ("earlier-values", ["101", "-1", "many", "1d"]), ("earlier-days", ["0", "3651"]),
            ("removed-days", ["3651"]),
        ] {
            for value in values {
                let refused = try home.runBare(
                    ["settings", "set", name, value, "--no-agent", "--passphrase-file"]
                        + [home.passphraseFile])
                #expect(refused.exitCode == 2, "\(name) \(value)")
            }
        }
        try home.save("first")
        // What no command brings back is asked about, in a script, too.
        let refused = try home.run("secret remove mail.example ada")
        #expect(refused.exitCode == 2, "\(refused.errorText)")
        let removed = try home.run("secret remove mail.example ada --yes")
        #expect(removed.exitCode == 0 && removed.errorLines.isEmpty)
        #expect(try home.run("secret list --removed --json").outputText == "[]\n")
    }

    @Test func aFieldIsASecretOfItsOwn() throws {
        let home = try TestHome()
        try home.save("the password")
        let saved = try home.run("secret set mail.example ada --field pin", input: "1234")
        #expect(saved.outputText == "saved mail.example ada --field pin\n")
        #expect(try home.value() == "the password")
        #expect(try home.run("secret get mail.example ada --field pin").outputText == "1234")
        #expect(try home.run("secret get mail.example ada --field password").exitCode == 0)
        #expect(
            try home.run("secret get mail.example ada --json").object["field"] as? String
                == "password")
        let lines = try home.run("secret list").outputLines
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("SERVICE       ACCOUNT  FIELDS         CLASS"))
        #expect(lines[1].hasPrefix("mail.example  ada      password, pin  while-unlocked"))
        #expect(try home.run("secret remove mail.example ada --field password").exitCode == 0)
        #expect(try home.run("secret edit mail.example ada --account eve").exitCode == 0)
        #expect(try home.run("secret get mail.example eve --field pin").outputText == "1234")
        let missing = try home.run("secret get mail.example eve")
        expect(
            missing, ends: 5, "error: secret mail.example eve has no field password",
            "hint: taskvault secret show mail.example eve lists its fields")
        let empty = try home.runBare(
            ["secret", "get", "a", "b", "--field", "", "--no-agent", "--passphrase-file"]
                + [home.passphraseFile])
        #expect(empty.exitCode == 2)
        let removed = try home.run("secret remove mail.example eve --field pin --json")
        #expect(removed.object["fields"] as? [String] == ["pin"])
        let restored = try home.run("secret restore mail.example eve --field pin")
        #expect(restored.outputText == "restored mail.example eve --field pin\n")
        for format in ["json", "csv"] {
            let file = home.folder + "/secrets." + format
            #expect(
                try home.run("secret export --format \(format) --output \(file)").exitCode == 0)
            try home.run("secret remove mail.example eve --field pin")
            #expect(try home.run("secret import \(file)").exitCode == 0)
            #expect(try home.run("secret get mail.example eve --field pin").outputText == "1234")
        }
    }

    @Test func anEarlierTextOfAProtectedTaskIsBroughtBack() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--protected", input: "the first name")
        try home.doTask("edit", id, "--name", "-", input: "the second name")
        let history = try home.doTask("history", id)
        #expect(history.outputLines.count == 2)
        #expect(history.outputLines.last?.hasPrefix("1  ") == true)
        let json = try home.doTask("history", "--json", id)
        #expect((json.json as? [[String: Any]])?.map { $0["revision"] as? Int } == [1])
        #expect(!json.outputText.contains("name") && !json.outputText.contains("taskvault.task"))
        #expect(try home.shown(id)["name"] as? String == "the second name")
        let restored = try home.doTask("restore", id)
        #expect(restored.outputText.hasPrefix("restored the text of \(id)"))
        #expect(try home.shown(id)["name"] as? String == "the first name")
        try home.doTask("restore", id, "--revision", "2")
        #expect(try home.shown(id)["name"] as? String == "the second name")
        expect(
            try home.task("restore", id, "--revision", "99"), ends: 5,
            "error: task \(id) has no earlier value with revision 99",
            "hint: taskvault task history \(id)")
        let plain = try home.add("plain")
        expect(
            try home.task("history", plain), ends: 8, "error: task \(plain) is not protected",
            "hint: taskvault task protect \(plain)")
        // The text of a removed task is no secret of the owner's.
        try home.doTask("remove", "--yes", id)
        #expect(try home.ask("secret list --removed --json").outputText == "[]\n")
    }
}
