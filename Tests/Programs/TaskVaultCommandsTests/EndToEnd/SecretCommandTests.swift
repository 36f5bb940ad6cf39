import Foundation
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct SecretCommandTests {
    @Test func setGetUpdateRemove() throws {
        let home = try TestHome()
        let saved = try home.run("secret set mail.example ada --label Mail", input: "first")
        expect(saved, ends: 0)
        #expect(saved.outputText == "saved mail.example ada\n")
        #expect(try home.value() == "first")
        let updated = try home.run("secret update mail.example ada", input: "second")
        expect(updated, ends: 0)
        #expect(updated.outputText == "updated mail.example ada\n")
        #expect(try home.value() == "second")
        let removed = try home.run("secret remove --yes mail.example ada")
        expect(removed, ends: 0)
        #expect(removed.outputText == "removed mail.example ada\n")
        for command in ["get", "update", "remove", "edit --label x"] {
            expect(
                try home.run("secret \(command) mail.example ada", input: "x"), ends: 5,
                "error: there is no secret mail.example ada", "hint: taskvault secret list")
        }
    }

    @Test func setLeavesAnExistingSecretAlone() throws {
        let home = try TestHome()
        try home.save("first")
        expect(
            try home.run("secret set mail.example ada", input: "second"), ends: 6,
            "error: secret mail.example ada already exists",
            "hint: taskvault secret set --replace mail.example ada")
        #expect(try home.value() == "first")
    }

    @Test func replacingKeepsOmittedAttributes() throws {
        let home = try TestHome()
        try home.run("secret set a b --label Old --class after-verification", input: "first")
        let kept = try home.run("secret set a b --replace --json", input: "second")
        #expect(kept.object["label"] as? String == "Old")
        #expect(kept.object["class"] as? String == "after-verification")
        #expect(kept.object["revision"] as? Int == 2)
        let changed = try home.run(
            "secret set a b --replace --json --label New --class while-unlocked", input: "third")
        #expect(changed.object["label"] as? String == "New")
        #expect(changed.object["class"] as? String == "while-unlocked")
        #expect(changed.object["revision"] as? Int == 3)
        #expect(try home.value("a", "b") == "third")
    }

    @Test func getIsBareInAPipeAndHasADescriptionInJSON() throws {
        let home = try TestHome()
        try home.run("secret set mail.example ada --label Mail", input: "a\nb\r\n")
        #expect(try home.value() == "a\nb\r\n")
        let found = try home.run("secret get mail.example ada --json").object
        #expect(found["value_base64"] as? String == Data("a\nb\r\n".utf8).base64EncodedString())
        #expect(found["service"] as? String == "mail.example")
        #expect(found["account"] as? String == "ada")
        #expect(found["label"] as? String == "Mail")
        #expect(found["class"] as? String == "while-unlocked")
        #expect(found["revision"] as? Int == 1)
        let time = try #require(found["created"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        #expect((found["extra"] as? [Any])?.isEmpty == true)
    }

    @Test func editChangesGivenAttributesAndKeepsTheValue() throws {
        let home = try TestHome()
        try home.save("value")
        let edited = try home.run(
            "secret edit mail.example ada --account grace --label L --class after-verification --json"
        )
        expect(edited, ends: 0)
        #expect(edited.object["account"] as? String == "grace")
        let fields = edited.object["fields"] as? [[String: Any]]
        #expect(fields?.first?["revision"] as? Int == 2)
        #expect(try home.value("mail.example", "grace") == "value")
        try home.save("other")
        expect(
            try home.run("secret edit mail.example ada --account grace"), ends: 6,
            "error: secret mail.example grace already exists",
            "hint: taskvault secret update mail.example grace replaces its value")
        expect(
            try home.run("secret edit mail.example ada"), ends: 2, "error: nothing to change",
            "hint: give --service, --account, --label, --tag, --untag, --class, --change-every or --expires; a new value: "
                + "taskvault secret update mail.example ada")
    }

    @Test func listIsATableInAPipeAndAnArrayInJSON() throws {
        let home = try TestHome()
        let empty = try home.run("secret list")
        expect(empty, ends: 0)
        #expect(empty.output.isEmpty)
        #expect((try home.run("secret list --json").json as? [Any])?.isEmpty == true)
        try home.save("1", "b.example", "zoe")
        try home.save("2", "a.example", "x")
        let lines = try home.run("secret list").outputLines
        #expect(lines.count == 3)
        #expect(
            lines[0].split(separator: " ") == ["SERVICE", "ACCOUNT", "CLASS", "MODIFIED", "LABEL"])
        #expect(lines[1].hasPrefix("a.example  x        while-unlocked  20"))
        #expect(lines[2].hasPrefix("b.example  zoe      while-unlocked  20"))
        let items = try #require(
            try home.run("secret list --json").json as? [[String: Any]])
        #expect(items.map { $0["service"] as? String } == ["a.example", "b.example"])
        #expect(items.allSatisfy { $0["value_base64"] == nil })
    }

    @Test func generatedSecretsAreShownAndSaved() throws {
        let home = try TestHome()
        let made = try home.run("secret generate wifi home")
        expect(made, ends: 0)
        #expect(made.output.count == 24)
        #expect(try home.value("wifi", "home") == made.outputText)
        #expect(try home.run("secret generate a short --length 4").output.count == 4)
        let words = try home.run("secret generate a words --words 5").outputText
        #expect(words.split(separator: "-").count == 5)
        let json = try home.run("secret generate a json --json").object
        #expect(json["account"] as? String == "json")
        #expect((json["value_base64"] as? String)?.isEmpty == false)
        expect(
            try home.run("secret generate wifi home"), ends: 6,
            "error: secret wifi home already exists",
            "hint: taskvault secret generate --replace wifi home")
        let replaced = try home.run("secret generate --replace wifi home")
        #expect(replaced.outputText != made.outputText)
        #expect(try home.value("wifi", "home") == replaced.outputText)
        expect(
            try home.run("secret generate a b --length 9 --words 3"), ends: 2,
            "error: options '--length' and '--words' exclude each other",
            "hint: leave one of them out")
    }

    @Test func namesAreQuotedInHintsAndEscapedInLists() throws {
        let home = try TestHome()
        // A right-to-left override could make one service look like another.
        let trap = "bank\u{202E}elpmaxe"
        try home.run(["secret", "set", trap, "it's me"], input: [1])
        let list = try home.run("secret list").outputText
        #expect(list.contains("bank\\u{202E}elpmaxe"))
        #expect(!list.unicodeScalars.contains("\u{202E}"))
        let again = try home.run(["secret", "set", trap, "it's me"], input: [1])
        #expect(
            again.errorLines.first
                == "taskvault: error: secret 'bank\\u{202E}elpmaxe' 'it'\\''s me' already exists"
        )
        let json = try #require(try home.run("secret list --json").json as? [[String: Any]])
        #expect(json.first?["service"] as? String == trap)
    }

    @Test func itemsOfTasksAndOfTheSignInAreLeftToTheirCommands() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("--protected", input: "words\n")
        try home.tell("value")
        let account = try #require(try home.ownItems().first?["account"] as? String)
        #expect(try home.ask("secret list").outputLines.count == 2)
        #expect((try home.ask("secret list --json").json as? [Any])?.count == 1)
        let names = [
            "taskvault.task \(account)": (
                "belongs to the to-do list",
                "taskvault task show ID shows it; task edit and task remove change it"
            ),
            "taskvault.session:https://a.example m": (
                "belongs to the sign-in", "taskvault login and taskvault logout change it"
            ),
            "taskvault.sign-in settings": (
                "belongs to the sign-in", "taskvault login and taskvault logout change it"
            ),
            "taskvault.secret-service \(account)": (
                "belongs to a program",
                "taskvault secret list --removed shows those that secret restore brings back"
            ),
            "taskvault.x y": (
                "is reserved",
                "services that begin with taskvault. are TaskVault's: give another"
            ),
        ]
        for (name, (error, hint)) in names {
            for command in [
                "get", "set", "set --replace", "update", "edit --label x", "remove", "generate",
                "generate --replace",
            ] {
                expect(
                    try home.ask("secret \(command) \(name)", input: "x"), ends: 8,
                    "error: secret \(name) \(error)", "hint: \(hint)")
            }
        }
        expect(
            try home.ask("secret edit mail.example ada --service taskvault.task"), ends: 8,
            "error: secret taskvault.task ada belongs to the to-do list",
            "hint: taskvault task show ID shows it; task edit and task remove change it")
        try Files.write(
            "name,url,username,password\ntaskvault.task,,\(account),x\nmail,,ada,x\n",
            to: home.folder + "/passwords.csv")
        let imported = try home.run("secret import passwords.csv --replace")
        #expect(
            imported.outputText == """
                imported 1 secret from Chrome, Edge or Brave: 1 login
                taskvault.task (line 2): skipped, it belongs to tasks or to the sign-in

                """)
        #expect(try home.tasks("--reveal").texts("name") == ["words"])
    }

    @Test func nfcAndNfdAreDifferentNames() throws {
        let home = try TestHome()
        try home.run(["secret", "set", "caf\u{E9}", "a"], input: Array("composed".utf8))
        try home.run(["secret", "set", "cafe\u{301}", "a"], input: Array("decomposed".utf8))
        #expect(try home.run(["secret", "get", "caf\u{E9}", "a"]).outputText == "composed")
        #expect(try home.run(["secret", "get", "cafe\u{301}", "a"]).outputText == "decomposed")
    }
}
