import Foundation
import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct ImportTests {
    private static let vault = #"""
        {"encrypted":false,"folders":[{"id":"f","name":"Work"}],"items":[
        {"type":1,"name":"mail.example","folderId":"f","login":{"username":"ada","password":"first",
         "totp":"JBSWY3DPEHPK3PXP","uris":[{"uri":"https://mail.example/"}]},"passwordHistory":[{"password":"old"}]},
        {"type":2,"name":"Safe","notes":"left 3","secureNote":{"type":0}},
        {"type":3,"name":"Visa","card":{"cardholderName":"Ada","number":"4111"}}]}
        """#

    @Test func aDryRunNeedsNoVaultAndShowsNamesOnly() throws {
        let home = try TestHome(withVault: false)
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        let shown = try home.runBare(["secret", "import", "vault.json", "--dry-run"])
        expect(shown, ends: 0)
        #expect(
            shown.outputText == """
                SERVICE       ACCOUNT  FIELDS          TAGS
                Safe          notes    notes
                Visa          card     holder, number
                mail.example  ada      password, totp  Work
                would import 5 secrets from Bitwarden JSON: 1 login, 1 note, 1 card
                mail.example (line 2): left out, earlier passwords

                """)
        #expect(!Files.exists(home.home))
        let json = try home.runBare(["secret", "import", "vault.json", "--dry-run", "--json"])
        let entries = json.object["entries"] as? [[String: Any]]
        #expect(entries?.map { $0["account"] as? String } == ["notes", "card", "ada"])
        #expect(entries?.last?["fields"] as? [String] == ["password", "totp"])
        #expect(json.object["imported"] as? Int == 0)
        #expect(json.object["would_import"] as? Int == 5)
        #expect(json.object["compared"] as? Bool == true)
        #expect(!json.outputText.contains("first") && !json.outputText.contains("left 3"))
    }

    @Test func theFileIsCheckedBeforeThePassphrase() throws {
        let home = try TestHome()
        try Files.write(Self.vault.dropLast(2) + "x", to: home.folder + "/broken.json")
        expect(
            try home.run("secret import broken.json", lines: ["wrong passphrase"]), ends: 2,
            "error: nothing was imported: line 5: not valid JSON of a known format",
            "hint: export it again as JSON")
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        let asked = try home.run("secret import vault.json", lines: ["wrong passphrase"])
        #expect(asked.exitCode == 4)
        try Files.write(
            #"{"encrypted":true,"passwordProtected":true}"#, to: home.folder + "/sealed.json")
        expect(
            try home.ask("secret import sealed.json"), ends: 2,
            "error: nothing was imported: the export is encrypted",
            "hint: export it again without encryption")
        // A file that is no table names the formats, too.
        for bytes in [[0xFF, 0xD8], [0x7F, 0], Array("a \"b\"\n".utf8)] as [[UInt8]] {
            try Files.write(bytes, to: home.folder + "/other")
            let other = try home.ask("secret import other")
            #expect(other.exitCode == 2)
            #expect(other.errorText.contains("hint: the known formats: TaskVault JSON, "))
        }
        try Files.write([0x03, 0xD9, 0xA2, 0x9A, 0x67], to: home.folder + "/a.kdbx")
        expect(
            try home.ask("secret import a.kdbx"), ends: 2,
            "error: nothing was imported: the file is an encrypted KeePass database, not an export",
            "hint: export it: keepassxc-cli export --format xml DATABASE > passwords.xml")
    }

    @Test func theReportCountsKindsAndEntriesWork() throws {
        let home = try TestHome()
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        let imported = try home.run("secret import vault.json --format bitwarden")
        expect(imported, ends: 0)
        #expect(
            imported.outputText == """
                imported 5 secrets from Bitwarden JSON: 1 login, 1 note, 1 card
                mail.example (line 2): left out, earlier passwords

                """)
        #expect(try home.run("secret get mail.example").outputText == "first")
        #expect(try home.run("secret get Visa --field number").outputText == "4111")
        #expect(
            try home.run("secret get mail.example --field url").outputText
                == "https://mail.example/")
        #expect(try home.run("secret code mail.example").exitCode == 0)
        #expect(try home.run("secret list Work --json").outputText.contains("mail.example"))
        let again = try home.run("secret import vault.json --json").object
        #expect(again["imported"] as? Int == 0)
        let skipped = again["skipped"] as? [[String: Any]]
        #expect(
            skipped?.map { $0["reason"] as? String }
                == [String?](repeating: "exists_same", count: 3))
        #expect((again["kinds"] as? [String: Int])?["login"] == 0)
        #expect((again["left_out"] as? [[String: Any]])?.isEmpty == true)
        #expect(again["entries"] is NSNull && again["would_import"] is NSNull)
    }

    @Test(arguments: [true, false]) func whatExistsIsSkippedInOneLineEach(usesAgent: Bool) throws {
        let home = try TestHome()
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        try home.run("secret import vault.json")
        let changed = Self.vault.replacing("left 3", with: "right 4")
            .replacing("Visa", with: "Master")
        try Files.write(changed, to: home.folder + "/vault.json")
        func run(_ words: String) throws -> RunResult {
            try usesAgent ? home.ask(words) : home.run(words)
        }
        let skips = """
            mail.example (line 2): skipped, it already exists with the same values
            Safe (line 4): skipped, it already exists with another value: --replace

            """
        if usesAgent {
            let locked = try run("secret import vault.json --dry-run")
            expect(locked, ends: 0, "the vault is locked: this list may have what exists")
            #expect(locked.outputText.contains("would import 5 secrets"))
            let json = try run("secret import vault.json --dry-run --json").object
            #expect(json["compared"] as? Bool == false)
            try home.unlock()
        }
        let shown = try run("secret import vault.json --dry-run")
        expect(shown, ends: 0)
        #expect(
            shown.outputText == """
                SERVICE  ACCOUNT  FIELDS
                Master   card     holder, number
                would import 2 secrets from Bitwarden JSON: 1 card
                \(skips)
                """)
        let replacing = try run("secret import vault.json --dry-run --replace")
        #expect(replacing.outputText.contains("would import 5 secrets"))
        #expect(try run("secret get Master card --field number").exitCode == 5)
        let imported = try run("secret import vault.json")
        expect(imported, ends: 0)
        #expect(
            imported.outputText == """
                imported 2 secrets from Bitwarden JSON: 1 card
                \(skips)
                """)
        #expect(try run("secret get Safe notes --field notes").outputText == "left 3")
        #expect(!imported.outputText.contains("right 4"))
    }

    @Test(arguments: [true, false]) func anEntryHasOneClassAndOneAddress(usesAgent: Bool) throws {
        let home = try TestHome()
        if usesAgent { try home.unlock() }
        func run(_ words: String, _ input: String = "") throws -> RunResult {
            try usesAgent ? home.ask(words, input: input) : home.run(words, input: input)
        }
        try expect(run("secret set mail.example ada", "mine"), ends: 0)
        try expect(run("secret set mail.example ada --field pin", "1234"), ends: 0)
        try expect(run("secret set mail.example ada --field url", "https://old.example/"), ends: 0)
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        try expect(
            run("secret import vault.json --replace --class after-verification"), ends: 0)
        let entry = try run("secret show mail.example ada --json").object
        #expect(entry["class"] as? String == "after-verification")
        #expect(entry["url"] as? String == "https://mail.example/")
        for field in ["password", "pin", "totp", "url"] {
            let item = try run("secret get mail.example ada --json --field \(field)").object
            #expect(item["class"] as? String == "after-verification", "\(field)")
        }
        #expect(
            try run("secret get mail.example ada --field url").outputText == "https://mail.example/"
        )
        #expect(try run("secret get mail.example ada --field pin").outputText == "1234")
    }

    @Test func aPersonUnlocksTheSessionForAnImport() throws {
        let home = try TestHome()
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        try Files.write("x" + Self.vault, to: home.folder + "/broken.json")
        let broken = try TerminalSession(home, ["secret", "import", "broken.json"])
        #expect(try broken.finish() == 2)
        #expect(!broken.screen.contains("Passphrase"))
        let session = try TerminalSession(home, ["secret", "import", "vault.json"])
        for _ in 0..<2 {
            try session.answer("Passphrase", "not this one")
            try session.waitFor("error: wrong passphrase\r\n")
        }
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("imported 5 secrets"))
        #expect(try home.state == "verified")
        try home.expectValue("first")
        // An unlocked session is verified.
        try home.closeWindow()
        let second = try TerminalSession(home, ["secret", "import", "vault.json", "--replace"])
        try second.answer("Passphrase", "not this one")
        try second.answer("Passphrase", TestHome.passphrase)
        #expect(try second.finish() == 0)
        #expect(try home.state == "verified")
    }

    @Test(arguments: [true, false]) func aFieldTakesTheClassOfItsEntry(usesAgent: Bool) throws {
        let home = try TestHome()
        try home.run("secret set mail.example ada --class after-verification", input: "mine")
        try Files.write(Self.vault, to: home.folder + "/vault.json")
        if usesAgent { try home.unlock() }
        func run(_ words: String) throws -> RunResult {
            try usesAgent ? home.ask(words) : home.run(words)
        }
        let imported = try run("secret import vault.json")
        #expect(
            imported.outputText.contains(
                "mail.example (line 2): skipped, it already exists with another value: --replace"))
        // The rest of a skipped record does not get into the entry.
        #expect(try run("secret get mail.example ada --field totp").exitCode == 5)
        #expect(
            try run("secret get Safe notes --field notes --json").object["class"] as? String
                == "while-unlocked")
        #expect(try run("secret import vault.json --replace").exitCode == 0)
        let code = try run("secret get mail.example ada --field totp --json").object
        #expect(code["class"] as? String == "after-verification")
        let password = try run("secret get mail.example ada --json").object
        #expect(password["class"] as? String == "after-verification")
        #expect(try run("secret import vault.json --replace --class while-unlocked").exitCode == 0)
        #expect(
            try run("secret get mail.example ada --json").object["class"] as? String
                == "while-unlocked")
    }

    @Test func aReportNamesEachItemAndTheTerminalTwenty() throws {
        let home = try TestHome()
        let items = (1...25).map {
            #"{"type":1,"name":"entry \#($0)","login":{"password":"1"},"attachments":[1]}"#
        }
        try Files.write(
            #"{"encrypted":false,"items":["# + items.joined(separator: ",\n") + "]}",
            to: home.folder + "/vault.json")
        let shown = try home.run("secret import vault.json --dry-run --report all.txt")
        expect(shown, ends: 0)
        #expect(shown.outputLines.filter { $0.contains("attached files") }.count == 20)
        #expect(shown.outputLines.last == "and 5 more, in all.txt")
        let lines = String(
            decoding: try Files.read(home.folder + "/all.txt"), as: UTF8.self
        ).split(separator: "\n")
        #expect(lines.count == 25)
        #expect(lines.last == "entry 25 (line 25): left out, attached files")
        let all = try home.run("secret import vault.json --dry-run --report -")
        #expect(all.outputLines.last == "entry 25 (line 25): left out, attached files")
        let taken = try home.run("secret import vault.json --report all.txt")
        #expect(taken.exitCode == 6)
        #expect(try home.run("secret list").output.isEmpty)
        #expect(
            try home.run("secret import vault.json").outputLines.last
                == "and 5 more: --report FILE writes all")
    }

    @Test func theUserNamesTheColumnsOfAnotherProgram() throws {
        let home = try TestHome()
        try Files.write(
            "site,login,secret,pin\nmail.example,ada,first,12\n", to: home.folder + "/a.csv")
        let unknown = try home.ask("secret import a.csv")
        #expect(unknown.exitCode == 2)
        #expect(unknown.errorText.contains("its columns: site, login, secret, pin"))
        #expect(unknown.errorText.contains("--map title=COLUMN,user=COLUMN,password=COLUMN"))
        expect(
            try home.ask("secret import a.csv --map user=login,word=secret"), ends: 2,
            "error: --map is not a list of NAME=COLUMN",
            "hint: each name once: title, user, password, url, notes, totp, tags")
        let imported = try home.run(
            "secret import a.csv --map title=site,user=login,password=secret")
        expect(imported, ends: 0)
        #expect(imported.outputText == "imported 2 secrets from CSV: 1 login\n")
        #expect(try home.value() == "first")
        #expect(try home.run("secret get mail.example ada --field pin").outputText == "12")
    }

    @Test(arguments: [true, false]) func theOwnExportKeepsItsTimes(usesAgent: Bool) throws {
        let home = try TestHome()
        if usesAgent { try home.unlock() }
        func run(_ words: String) throws -> RunResult {
            try usesAgent ? home.ask(words) : home.run(words)
        }
        let item = #"""
            {"format":"taskvault-export","version":1,"items":[
            {"service":"a","account":"u","field":"password","label":"a","class":"while-unlocked","created":"2020-01-02T03:04:05.678Z","modified":"2021-01-02T03:04:05.678Z","extra":[],"value_base64":"cA=="}
            ]}
            """#
        try Files.write(item, to: home.folder + "/own.json")
        expect(try run("secret import own.json"), ends: 0)
        let exported = try home.run("secret export").outputText
        #expect(exported.contains(#""created":"2020-01-02T03:04:05.678Z""#))
        #expect(exported.contains(#""modified":"2021-01-02T03:04:05.678Z""#))
    }

    // MARK: 1PUX

    /// Writes a compressed archive, and a bomb beside it.
    private static let archives = #"""
        import zipfile, struct
        data = '''{"accounts":[{"vaults":[{"attrs":{"name":"Private"},"items":[{"categoryUuid":"001","state":"active",
        "overview":{"title":"mail.example","url":"https://mail.example/"},
        "details":{"loginFields":[{"value":"ada","designation":"username"},{"value":"first","designation":"password"}]}}]}]}]}'''
        with zipfile.ZipFile("a.1pux", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("export.attributes", "{}")
            archive.writestr("export.data", data + " " * 200000)
            archive.writestr("../../../../tmp/taskvault-escaped", "x")
        def bomb(name, size):
            with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("export.data", b" " * size)
        bomb("large.1pux", 64 * 1024 * 1024 + 1)
        bomb("lying.1pux", 30000000)
        bytes = open("lying.1pux", "rb").read().replace(struct.pack("<I", 30000000), struct.pack("<I", 1000))
        open("lying.1pux", "wb").write(bytes)
        """#

    @Test(.enabled(if: Files.exists("/usr/bin/python3"), "python3 is not installed"))
    func anArchiveOf1Password() throws {
        let home = try TestHome()
        try HelpingProgram.run(["/usr/bin/python3", "-c", Self.archives], in: home)
        let imported = try home.run("secret import a.1pux --format 1password")
        expect(imported, ends: 0)
        #expect(
            imported.outputText == """
                imported 1 secret from 1Password 1PUX: 1 login
                left out 1 attached file

                """)
        #expect(try home.value() == "first")
        #expect(!Files.exists("/tmp/taskvault-escaped"))
        expect(
            try home.run("secret import large.1pux"), ends: 8,
            "error: the file is larger than 67108864 bytes")
        expect(
            try home.run("secret import lying.1pux"), ends: 2,
            "error: nothing was imported: the ZIP archive is refused: it is damaged",
            "hint: export it again from 1Password as 1PUX; unpack the archive of another program")
    }

    // MARK: pass

    @Test(.enabled(if: PasswordStoreFolder.isAvailable, "pass is not installed"))
    func aFolderOfPass() throws {
        let home = try TestHome()
        let store = try PasswordStoreFolder(home)
        try store.insert(
            "web.example", "pw1\r\nlogin: ada\nurl: https://web.example/\nPIN: 12: 3\n")
        try store.insert(
            "Work/My Mail/mail.example/bob",
            "pw2\n\nfirst note\n\nnote: http://x\nhttp://y\notpauth://totp/x?secret=JBSWY3DPEHPK3PXP\nuser: Bob\n\n"
        )
        try store.insert("code/eve", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP")
        try store.insert("empty/none", "\n")
        try store.insert("bytes/key", [0xFF, 0x0A, 0x00, 0x0A])
        try Files.write("not of pass", to: store.folder + "/README")
        try HelpingProgram.run(["/bin/mkdir", "-p", store.folder + "/.git"], in: home)
        try Files.write("x", to: store.folder + "/.git/x.gpg")
        try Files.write("damaged", to: store.folder + "/bad.gpg")
        let outside = home.folder + "/outside.gpg"
        try Files.write("x", to: outside)
        try HelpingProgram.run(["/bin/ln", "-s", outside, store.folder + "/link.gpg"], in: home)
        try HelpingProgram.run(["/bin/ln", "-s", "/", store.folder + "/root"], in: home)

        let incomplete = [
            "error: some records cannot be imported",
            "hint: the report names each with its reason; copy them by hand",
        ]
        let shown = try home.runBare(["secret", "import", store.folder, "--dry-run"])
        expect(
            shown, ends: 1, "the vault is locked: this list may have what exists", incomplete[0],
            incomplete[1])
        #expect(
            shown.outputText == """
                SERVICE       ACCOUNT  FIELDS                                 TAGS
                bytes         key      password
                code          eve      totp
                empty         none     password
                mail.example  bob      password, note, notes, totp, username  Work/My-Mail
                web.example   ada      password, PIN
                would import 10 secrets from pass: 5 logins
                bad: skipped, gpg cannot decrypt it
                link: skipped, it is a symbolic link
                root: skipped, it is a symbolic link

                """)
        let imported = try home.run(["secret", "import", store.folder, "--format", "pass"])
        expect(imported, ends: 1, incomplete[0], incomplete[1])
        #expect(try home.value("web.example", "ada") == "pw1")
        #expect(try home.run("secret get web.example ada --field PIN").outputText == "12: 3")
        #expect(
            try home.run("secret get web.example --field url").outputText == "https://web.example/")
        #expect(
            try home.run(["secret", "get", "Work/My Mail/mail.example/bob"]).outputText == "pw2")
        #expect(
            try home.run("secret get mail.example bob --field notes").outputText
                == "first note\n\nhttp://y")
        #expect(try home.run("secret get mail.example bob --field username").outputText == "Bob")
        #expect(try home.run("secret get mail.example bob --field note").outputText == "http://x")
        #expect(try home.run("secret code code eve").exitCode == 0)
        #expect(try home.run("secret get bytes key").output == [0xFF, 0x0A, 0x00, 0x0A])
        let json = try home.run(["secret", "import", store.folder, "--json"]).object
        let skipped = json["skipped"] as? [[String: Any]]
        let bad = skipped?.first { $0["title"] as? String == "bad" }
        #expect(bad?["reason"] as? String == "not_decrypted")
        #expect(skipped?.count == 8)
    }

    @Test(.enabled(if: PasswordStoreFolder.isAvailable, "pass is not installed"))
    func unusualEntriesOfPass() throws {
        let home = try TestHome()
        let store = try PasswordStoreFolder(home)
        let key = """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,00

            MIIE
            -----END RSA PRIVATE KEY-----

            """
        try store.insert("keys/host", key + "user: root\n")
        try store.insert("keys/other", "pw\n" + key + "pin: 1\n")
        try store.insert("web/tab", "pw\nlogin:\tada\npin:\t12\n")
        try store.insert(
            "web/prose", "pw\nAsk Bob for this: he knows\nsecurity question: pet\nwww: x\n")
        try store.insert("web/latin", Array("pw\nlogin: ada\nnote: caf".utf8) + [0xE9, 0x0A])
        try store.insert("web/steam", "pw\ntotp: steam://ABCDEFGH\n")
        try store.insert(
            "web/mime",
            "GOPASS-SECRET-1.0\nPassword: mimepw\nUser: Mia\nPin: 12\n\nbody text\nnote: x\n")
        let imported = try home.run(["secret", "import", store.folder])
        expect(imported, ends: 0)
        #expect(imported.outputLines.count == 2)
        #expect(
            imported.outputLines.last
                == "web/steam: left out, the codes of Steam: not supported, the seed stays a field")
        func get(_ entry: String, _ field: String = "password") throws -> RunResult {
            try home.run("secret get \(entry) --field \(field)")
        }
        #expect(try get("keys host").outputText == key)
        #expect(try get("keys host", "username").outputText == "root")
        #expect(try get("keys host", "Proc-Type").exitCode == 5)
        #expect(try get("keys other").outputText == "pw")
        #expect(try get("keys other", "notes").outputText + "\n" == key)
        #expect(try get("keys other", "pin").outputText == "1")
        #expect(try get("web tab", "username").outputText == "ada")
        #expect(try get("web mime").outputText == "mimepw")
        #expect(try get("web mime", "username").outputText == "Mia")
        #expect(try get("web mime", "Pin").outputText == "12")
        #expect(try get("web mime", "notes").outputText == "body text\nnote: x")
        #expect(try get("web tab", "pin").outputText == "12")
        #expect(
            try get("web prose", "notes").outputText
                == "Ask Bob for this: he knows\nsecurity question: pet")
        #expect(try get("web prose", "www").outputText == "x")
        #expect(try get("web latin").outputText == "pw")
        #expect(try get("web latin", "username").outputText == "ada")
        #expect(try get("web latin", "note").output == Array("caf".utf8) + [0xE9])
    }

    @Test(.enabled(if: PasswordStoreFolder.isAvailable, "pass is not installed"))
    func aFolderOfPassForAnotherKey() throws {
        let home = try TestHome()
        let store = try PasswordStoreFolder(home)
        try store.insert("mail.example/ada", "pw1\n")
        let known = home.environment["GNUPGHOME"] ?? ""
        try HelpingProgram.run(["/bin/mkdir", "-m", "700", home.folder + "/other"], in: home)
        home.environment["GNUPGHOME"] = home.folder + "/other"
        expect(
            try home.ask("secret import \(store.folder)"), ends: 2,
            "error: nothing was imported: gpg cannot decrypt any entry of the folder",
            "hint: the file .gpg-id names the key: gpg --list-secret-keys")
        home.environment["GNUPGHOME"] = known
        #expect(try home.run("secret list").output.isEmpty)
        try HelpingProgram.run(["/bin/mkdir", home.folder + "/nothing"], in: home)
        expect(
            try home.ask("secret import nothing"), ends: 2,
            "error: nothing was imported: the folder has no entries of pass",
            "hint: pass keeps them in ~/.password-store")
    }
}

/// Another program of a test.
private enum HelpingProgram {
    static func run(_ words: [String], input: [UInt8] = [], in home: TestHome) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = home.environment
        process.currentDirectoryURL = URL(fileURLWithPath: home.folder)
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try pipe.fileHandleForWriting.write(contentsOf: Data(input))
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw HarnessFailure(words.joined(separator: " "), code: process.terminationStatus)
        }
    }
}

/// A folder of the real `pass`, with a key of its own without a passphrase.
private final class PasswordStoreFolder {
    static let isAvailable = Files.exists("/usr/bin/pass") && Files.exists("/usr/bin/gpg")

    let folder: String
    private let home: TestHome

    init(_ home: TestHome) throws {
        self.home = home
        folder = home.folder + "/store"
        home.environment["GNUPGHOME"] = home.folder + "/gnupg"
        home.environment["PASSWORD_STORE_DIR"] = folder
        try HelpingProgram.run(["/bin/mkdir", "-m", "700", home.folder + "/gnupg"], in: home)
        try HelpingProgram.run(
            [
                "/usr/bin/gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase",
                "", "--quick-generate-key", "ada@mail.example", "default", "default", "never",
            ], in: home)
        try HelpingProgram.run(["/usr/bin/pass", "init", "ada@mail.example"], in: home)
    }

    deinit {
        home.environment["GNUPGHOME"] = home.folder + "/gnupg"
        try? HelpingProgram.run(["/usr/bin/gpgconf", "--kill", "gpg-agent"], in: home)
    }

    func insert(_ name: String, _ text: String) throws {
        try insert(name, Array(text.utf8))
    }

    func insert(_ name: String, _ bytes: [UInt8]) throws {
        try HelpingProgram.run(["/usr/bin/pass", "insert", "-m", name], input: bytes, in: home)
    }
}
