import Foundation
import Testing
import TestSupport

/// Entries: the fields of one service and account, their label, tags and class.
@Suite(.waitsForProcesses) struct EntryTests {
    /// A home with the entry `github ada` of four fields.
    private func homeWithEntry() throws -> TestHome {
        let home = try TestHome()
        expect(
            try home.run(
                "secret set github ada --label Work --tag code --tag Team", input: "password"),
            ends: 0)
        expect(
            try home.run("secret set github ada --field notes", input: "line one\nline two\n"),
            ends: 0)
        expect(try home.run("secret set github ada --field totp", input: "seed"), ends: 0)
        expect(
            try home.run(["secret", "set", "github", "ada", "--field", "pin code"], input: [49]),
            ends: 0)
        return home
    }

    private func entries(_ home: TestHome, _ words: String = "") throws -> [[String: Any]] {
        try #require(try home.run("secret list --json " + words).json as? [[String: Any]])
    }

    private func fields(_ entry: [String: Any]) -> [String] {
        (entry["fields"] as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
    }

    @Test func fieldsOfOneServiceAndAccountAreOneEntry() throws {
        let home = try homeWithEntry()
        try home.save("other", "bank", "bob")
        let lines = try home.run("secret list").outputLines
        try #require(lines.count == 3)
        let titles = ["SERVICE", "ACCOUNT", "FIELDS", "CLASS", "MODIFIED", "TAGS", "LABEL"]
        #expect(lines[0].split(separator: " ").map(String.init) == titles)
        #expect(lines[2].contains("password, notes, pin code, totp"))
        #expect(lines[2].hasSuffix("  code Team  Work"))
        let entry = try #require(try entries(home).last)
        #expect(fields(entry) == ["password", "notes", "pin code", "totp"])
        #expect(entry["tags"] as? [String] == ["code", "Team"])
        #expect(entry["label"] as? String == "Work")
        #expect(entry["url"] is NSNull)
        let notes = try home.run("secret get github ada --field notes")
        #expect(notes.outputText == "line one\nline two\n")
        #expect(try home.value("github", "ada") == "password")
        let item = try home.run("secret get github ada --field totp --json").object
        #expect(item["label"] as? String == "Work", "a new field has the label of its entry")
    }

    @Test func showHidesTheValuesUnlessTheyAreRevealed() throws {
        let home = try homeWithEntry()
        let hidden = try home.run("secret show github ada")
        expect(hidden, ends: 0)
        let lines = hidden.outputLines
        #expect(lines.first == "github ada")
        #expect(lines.contains("  label     Work"))
        #expect(lines.contains("  tags      code Team"))
        for field in ["password", "notes   ", "totp    ", "pin code"] {
            #expect(lines.contains("  \(field)  (hidden)"))
        }
        let json = try home.run("secret show github ada --json")
        for value in ["line one", "seed", Data("seed".utf8).base64EncodedString()] {
            #expect(!hidden.outputText.contains(value) && !json.outputText.contains(value))
        }
        let values = json.object["fields"] as? [[String: Any]] ?? []
        #expect(values.count == 4 && values.allSatisfy { $0["value_base64"] is NSNull })

        let revealed = try home.run("secret show --reveal github ada").outputText
        #expect(revealed.contains("  totp      seed\n"))
        #expect(revealed.contains("  notes     line one\nline two\n"))
        let all = try home.run("secret show github ada --json --reveal").object["fields"]
        let encoded = (all as? [[String: Any]])?.last?["value_base64"] as? String
        #expect(encoded == Data("seed".utf8).base64EncodedString())
        expect(
            try home.run("secret show github bob"), ends: 5,
            "error: there is no secret github bob", "hint: taskvault secret list")
    }

    @Test func anEditIsOneOfAllFields() throws {
        let home = try homeWithEntry()
        let edited = try home.run(
            "secret edit github ada --label New --tag home --untag CODE --account eve --json")
        expect(edited, ends: 0)
        #expect(edited.object["account"] as? String == "eve")
        let entry = try #require(try entries(home).first)
        #expect(fields(entry).count == 4)
        #expect(entry["tags"] as? [String] == ["Team", "home"])
        #expect(entry["label"] as? String == "New")
        #expect(try home.run("secret get github eve --field totp").outputText == "seed")
        for field in ["password", "notes", "totp"] {
            let item = try home.run("secret get github eve --json --field \(field)").object
            #expect(item["label"] as? String == "New" && item["revision"] as? Int == 2)
        }
        // An entry never gets the fields of another one.
        try home.run("secret set bank bob --field pin", input: "1")
        expect(
            try home.run("secret edit github eve --service bank --account bob"), ends: 6,
            "error: secret bank bob --field pin already exists",
            "hint: taskvault secret update bank bob --field pin replaces its value")
        #expect(try entries(home).count == 2)
    }

    @Test(arguments: ["", "a b", "a\u{7}"]) func aTagIsOneWord(tag: String) throws {
        let home = try TestHome()
        try home.save("value")
        for command in ["set", "edit", "generate"] {
            expect(
                try home.run(["secret", command, "mail.example", "ada", "--tag", tag], input: [1]),
                ends: 2, "error: a tag is one word, without blanks and control characters",
                "hint: give --tag several times for several tags")
        }
        #expect(try home.value() == "value")
    }

    @Test func theClassIsThatOfTheWholeEntry() throws {
        let home = try homeWithEntry()
        func classes() throws -> [String] {
            try ["password", "notes", "totp"].map { field in
                let item = try home.run("secret get github ada --json --field \(field)").object
                return item["class"] as? String ?? ""
            }
        }
        let protected = "after-verification"
        expect(
            try home.run("secret set github ada --field puk --class \(protected)", input: "p"),
            ends: 0)
        #expect(try classes() == [protected, protected, protected])
        #expect(try entries(home).first?["class"] as? String == protected)
        try home.run("secret set github ada --field late", input: "l")
        let late = try home.run("secret get github ada --field late --json").object
        #expect(late["class"] as? String == protected, "a new field is protected as its entry")
        expect(try home.run("secret edit github ada --class while-unlocked"), ends: 0)
        #expect(try classes() == Array(repeating: "while-unlocked", count: 3))
    }

    @Test func anEntryIsRemovedAndBroughtBackAsAWhole() throws {
        let home = try homeWithEntry()
        let removed = try home.run("secret remove github ada --json")
        #expect((removed.object["fields"] as? [String])?.count == 4)
        #expect(try entries(home).isEmpty)
        #expect(try home.run("secret list --removed").outputLines.count == 5)
        let restored = try home.run("secret restore github ada")
        #expect(restored.outputText == "restored github ada\n")
        #expect(try fields(#require(entries(home).first)).count == 4)
        #expect(try home.value("github", "ada") == "password")

        #expect(
            try home.run("secret remove github ada --field notes").outputText
                == "removed github ada --field notes\n")
        #expect(try fields(#require(entries(home).first)) == ["password", "pin code", "totp"])
        expect(
            try home.run("secret get github ada --field notes"), ends: 5,
            "error: secret github ada has no field notes",
            "hint: taskvault secret show github ada lists its fields")
        for command in ["remove", "update", "history"] {
            #expect(
                try home.run("secret \(command) github ada --field notes", input: "x").errorLines
                    .first == "taskvault: error: secret github ada has no field notes")
        }
        expect(try home.run("secret restore github ada --field notes"), ends: 0)
        // What was removed at another time stays removed.
        try home.run("secret remove github ada --field totp")
        try home.run("secret remove github ada")
        try home.run("secret restore github ada")
        #expect(try fields(#require(entries(home).first)) == ["password", "notes", "pin code"])
        try home.run("secret remove github ada --permanently --yes")
        #expect(try home.run("secret list --removed").outputLines.count == 2)
    }

    @Test func anAddressIsSearchedUnlessItIsSecret() throws {
        let home = try TestHome()
        try home.save("value", "bank", "bob")
        let address = "https://login.bank.example/a?b"
        expect(try home.run("secret set bank bob --field url", input: address + "\n"), ends: 0)
        #expect(try entries(home, "LOGIN.bank").first?["url"] as? String == address)
        let shown = try home.run("secret show bank bob").outputLines
        #expect(shown.contains("  url       \(address)"))
        #expect(!shown.contains { $0.contains("hidden") && $0.contains("url") })
        // With a password inside it is as secret as any field.
        let secret = "https://bob:canary@bank.example/"
        expect(try home.run("secret update bank bob --field url", input: secret), ends: 0)
        for command in ["list --json", "list canary --json", "show bank bob", "list"] {
            #expect(try !home.run("secret " + command).outputText.contains("canary"))
        }
        #expect(try home.run("secret get bank bob --field url").outputText == secret)
        #expect(try entries(home, "login.bank").isEmpty)
    }

    @Test func theAddressesOfAnEntryHaveOnePlace() throws {
        let home = try TestHome()
        try Files.write(
            "title,url,username,password,notes,otpauth\nbank,https://old.example/,bob,p,n,t\n",
            to: home.folder + "/logins.csv")
        expect(try home.run("secret import logins.csv"), ends: 0)
        // An address is replaced only on request, as any field.
        let new = "https://new.example/\nhttps://more.example/\n"
        expect(
            try home.run("secret set bank bob --field url", input: new), ends: 6,
            "error: secret bank bob --field url already exists",
            "hint: taskvault secret set --replace bank bob --field url")
        func requireOnly(_ addresses: [String], not others: [String]) throws {
            let entry = try #require(try entries(home).first)
            #expect(entry["urls"] as? [String] == addresses)
            #expect(entry["url"] as? String == addresses.first)
            for address in addresses { #expect(try entries(home, address).count == 1) }
            let export = try home.run("secret export").outputText
            for other in others {
                #expect(try entries(home, other).isEmpty)
                #expect(!export.contains(other))
            }
        }
        for words in ["set --replace", "update"] {
            expect(try home.run("secret \(words) bank bob --field url", input: new), ends: 0)
            try requireOnly(
                ["https://new.example/", "https://more.example/"], not: ["old.example"])
            expect(try home.run("secret restore bank bob --field url"), ends: 0)
            try requireOnly(["https://old.example/"], not: ["new.example", "more.example"])
        }
        let shown = try home.run("secret show bank bob").outputLines
        #expect(shown.contains("  url       https://old.example/"))
        expect(try home.run("secret set bank bob --field pin", input: "1"), ends: 0)
        expect(try home.run("secret update bank bob --field url", input: "new.example"), ends: 0)
        try requireOnly(["new.example"], not: ["old.example"])
        expect(try home.run("secret remove bank bob --field url"), ends: 0)
        try requireOnly([], not: ["new.example", "old.example"])
        expect(try home.run("secret restore bank bob --field url"), ends: 0)
        try requireOnly(["new.example"], not: ["old.example"])
    }

    @Test func anImportedAddressIsAFieldForReferences() throws {
        let home = try TestHome()
        try Files.write(
            "title,url,username,password,notes,otpauth\nbank,https://bank.example/,bob,p,n,t\n",
            to: home.folder + "/logins.csv")
        expect(try home.run("secret import logins.csv"), ends: 0)
        let filled = try home.run("inject", input: "at {{ taskvault://bank/bob/url }}.")
        #expect(filled.outputText == "at https://bank.example/.")
    }

    @Test func anImportedLoginIsOneEntryWithItsAddress() throws {
        let home = try TestHome()
        try Files.write(
            "title,url,username,password,notes,otpauth\nbank,https://bank.example/,bob,p,n,t\n",
            to: home.folder + "/logins.csv")
        let imported = try home.run("secret import logins.csv")
        #expect(imported.outputText.hasPrefix("imported 3 secrets from Safari"))
        let entry = try #require(try entries(home).first)
        #expect(fields(entry) == ["password", "notes", "totp"])
        #expect(try home.run("secret get bank bob --field totp").outputText == "t")
        let address = try home.run("secret get bank bob --field url")
        #expect(address.outputText == "https://bank.example/")
        expect(try home.run("secret remove bank bob --field url"), ends: 0)
        #expect(try home.run("secret get bank bob --field url").exitCode == 5)
        #expect(try entries(home).first?["url"] is NSNull)
        #expect(try home.value("bank", "bob") == "p")
    }

    @Test(arguments: ["json", "csv"]) func anExportKeepsFieldsTagsLabelAndClass(
        format: String
    ) throws {
        let home = try homeWithEntry()
        try home.run(
            "secret set diary d --tag deep --class after-verification --field page", input: "dear")
        try home.run("secret set github ada --field url", input: "https://github.com/")
        try Files.write(
            try home.run("secret export --format \(format)").output, to: home.folder + "/export")
        let other = try TestHome(withVault: false)
        try other.make()
        expect(try other.run("secret import \(home.folder)/export"), ends: 0)
        func shown(_ home: TestHome) throws -> [[String: Any]] {
            try ["github ada", "diary d"].map {
                var entry = try home.run("secret show --reveal --json \($0)").object
                for key in ["created", "modified"] { entry[key] = nil }
                entry["fields"] = (entry["fields"] as? [[String: Any]])?.map { field in
                    field.filter { ["field", "value_base64"].contains($0.key) }
                }
                return entry
            }
        }
        #expect(try shown(other) as NSArray == shown(home) as NSArray)
        #expect(try shown(other)[1]["class"] as? String == "after-verification")
    }
}
