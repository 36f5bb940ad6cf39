import Foundation
import Testing
import TestSupport

/// `key` and what opens the vault by a security key, with a software authenticator in the same commands and a real agent.
@Suite(.waitsForProcesses) struct SecurityKeyTests {
    private static let pin = "1234"

    /// A home whose keys of these digits are plugged in; a key of `added` has a slot.
    private func home(_ plugged: String = "1", added: String? = "blue") throws -> TestHome {
        let home = try TestHome()
        home.program = BuiltExecutable.path(of: "TestTools")
        home.environment["SOFTWARE_KEYS"] = plugged
        if let added {
            let result = try add(added, to: home)
            #expect(result.exitCode == 0, "\(result.errorText)")
        }
        return home
    }

    @discardableResult
    private func add(_ label: String, to home: TestHome, _ options: String = "") throws -> RunResult
    {
        try home.run(
            "key add --security-key --label \(label) \(options)",
            lines: [TestHome.passphrase, Self.pin])
    }

    private func keys(of home: TestHome) throws -> [[String: Any]] {
        try #require(home.ask("key list --json").object["keys"] as? [[String: Any]])
    }

    @Test func aKeyIsAddedAndOpensTheVault() throws {
        let home = try home(added: nil)
        try home.save("value")
        let added = try add("blue", to: home)
        expect(
            added, ends: 0, "touch the security key to create a credential",
            "touch the security key")
        #expect(
            added.outputLines == [
                "added the security key blue",
                "It opens the vault beside the passphrase, and does not stop programs that run as you.",
                "Keys get lost: add a second one, and keep the recovery code.",
            ])
        expect(try home.ask("lock"), ends: 0)
        let session = try TerminalSession(home, ["unlock", "--key"])
        try session.answer("PIN of the security key", Self.pin)
        try session.waitFor("Touch the security key")
        try session.waitFor("unlocked: protected secrets for 2m")
        #expect(try session.finish() == 0)
        try home.expectValue("value")
        #expect(try home.state == "verified")
        // The shipped executable has another key in no way: here none is plugged in.
        home.program = Executable.path
        expect(try home.ask("lock"), ends: 0)
        expect(
            try home.runBare(["unlock", "--key", "--passphrase-file", home.passphraseFile]),
            ends: 5,
            "error: no security key is plugged in",
            "hint: plug it in, or use the passphrase or the recovery code")
    }

    @Test func aScriptGivesThePIN() throws {
        let home = try home()
        let pin = home.folder + "/pin"
        try Files.write(Self.pin + "\n", to: pin)
        let unlocked = try home.runBare(["unlock", "--key", "--json", "--passphrase-file", pin])
        #expect(unlocked.exitCode == 0, "\(unlocked.errorText)")
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        let verified = try home.runBare(["verify", "--key", "--json", "--passphrase-file", pin])
        #expect(verified.exitCode == 0, "\(verified.errorText)")
        #expect(verified.object["verified"] as? Bool == true)
        // A new passphrase with the key, for who forgot the old one.
        let changed = try home.run(
            "passphrase change --key", lines: [Self.pin, "another passphrase entirely"])
        #expect(changed.exitCode == 0, "\(changed.errorText)")
        #expect(try home.run("doctor", lines: ["another passphrase entirely"]).exitCode == 0)
    }

    @Test func aPluggedInKeyIsOfferedFirst() throws {
        let home = try home()
        try home.save("value")
        let question = "PIN of the security key, or Enter for the passphrase"
        for words in [["unlock"], ["secret", "get", "mail.example", "ada"], ["verify"]] {
            let session = try TerminalSession(home, words)
            try session.answer(question, Self.pin)
            try session.waitFor("Touch the security key")
            #expect(try session.finish() == 0, "\(session.screen)")
            // The last one verifies in the session of the one before.
            if words == ["unlock"] { expect(try home.ask("lock"), ends: 0) }
        }
        expect(try home.ask("lock"), ends: 0)
        // Enter, or a wrong PIN, turns to the passphrase.
        let turning = try TerminalSession(home, ["secret", "get", "mail.example", "ada"])
        try turning.answer(question, "9999")
        try turning.waitFor("error: wrong PIN")
        try turning.answer(question, "")
        try turning.answer("Passphrase", TestHome.passphrase)
        try turning.waitFor("value")
        #expect(try turning.finish() == 0)
        expect(try home.ask("lock"), ends: 0)
        // A key of another vault, and none.
        for plugged in ["2", ""] {
            home.environment["SOFTWARE_KEYS"] = plugged
            let session = try TerminalSession(home, ["unlock"])
            if plugged == "2" {
                try session.answer(question, Self.pin)
                try session.waitFor("error: this security key does not open the vault")
            }
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0)
            #expect(session.screen.contains("ecurity key") == (plugged == "2"))
            expect(try home.ask("lock"), ends: 0)
        }
    }

    /// Commands that offer a key, each of which begins with a locked vault.
    private static let offering = [
        "unlock", "verify", "secret get mail.example ada", "secret get mail.example ada --no-agent",
        "doctor", "recovery show-new", "restore copy --to elsewhere",
    ]

    @Test("Enter instead of a touch turns to the passphrase", arguments: offering)
    func enterDuringATouch(_ words: String) throws {
        let home = try home()
        try home.save("value")
        #expect(try home.ask("backup copy").exitCode == 0)
        home.environment["SOFTWARE_TOUCHED"] = "none"
        let session = try TerminalSession(home, words.split(separator: " ").map(String.init))
        try session.answer("PIN of the security key, or Enter for the passphrase", Self.pin)
        try session.waitFor("Touch the security key, or Enter for the passphrase")
        #expect(!session.echoes)
        // As some do who do not look at the screen.
        try session.type("typed blindly\n")
        try session.answer(
            words.hasPrefix("restore") ? "Passphrase of the backup" : "Passphrase",
            TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(session.echoes)
        #expect(!session.screen.contains("blindly") && !session.screen.contains("error"))
        if words.contains("--no-agent") {
            #expect(try home.state == "locked")
        }
    }

    @Test func aPluggedInKeyIsOfferedWithoutAnAgent() throws {
        let home = try home()
        try home.save("value")
        let session = try TerminalSession(
            home, ["secret", "get", "mail.example", "ada", "--no-agent"])
        try session.answer("PIN of the security key, or Enter for the passphrase", Self.pin)
        try session.waitFor("Touch the security key")
        try session.waitFor("value")
        #expect(try session.finish() == 0)
        #expect(!session.screen.contains("Passphrase:"))
        #expect(home.agentProcess == nil)
    }

    @Test func controlCDuringATouchEndsTheCommand() throws {
        let home = try home()
        home.environment["SOFTWARE_TOUCHED"] = "none"
        let session = try TerminalSession(home, ["unlock"])
        try session.answer("PIN of the security key, or Enter for the passphrase", Self.pin)
        try session.waitFor("Touch the security key, or Enter for the passphrase")
        try session.type("\u{3}")
        #expect(try session.finish() == 130)
        #expect(session.echoes)
    }

    @Test func theTouchedOneOfSeveralKeysIsUsed() throws {
        let home = try home("2")
        try home.save("value")
        home.environment["SOFTWARE_KEYS"] = "12"
        let question = "PIN of the security key, or Enter for the passphrase"
        let choice = "Touch the security key to use, or Enter for the passphrase"
        func unlock(_ touched: String, _ act: (TerminalSession) throws -> Void) throws {
            home.environment["SOFTWARE_TOUCHED"] = touched
            let session = try TerminalSession(home, ["unlock"])
            try session.waitFor(choice)
            try act(session)
            #expect(try session.finish() == 0, "\(session.screen)")
            expect(try home.ask("lock"), ends: 0)
        }
        // Only the second one has a slot. The first one is asked for its PIN, as that is all it can be asked for.
        try unlock("2") { try $0.answer(question, Self.pin) }
        try unlock("1") { session in
            try session.answer(question, Self.pin)
            try session.waitFor("error: this security key does not open the vault")
            try session.answer("Passphrase", TestHome.passphrase)
        }
        try unlock("none") { session in
            try session.type("\n")
            try session.answer("Passphrase", TestHome.passphrase)
        }
        home.environment["SOFTWARE_TOUCHED"] = "2"
        #expect(
            try add("again", to: home).errorLines.contains(
                "taskvault: error: this security key opens the vault already"))
        expect(
            try home.run("key test", lines: [Self.pin]), ends: 0,
            "touch the security key to use", "touch the security key")
        home.environment["SOFTWARE_TOUCHED"] = "1"
        #expect(try home.run("key test", lines: [Self.pin]).exitCode == 4)
        expect(
            try add("first", to: home), ends: 0, "touch the security key to use",
            "touch the security key to create a credential", "touch the security key")
        let tested = try home.run("key test", lines: [Self.pin])
        #expect(tested.outputText == "the security key first opens the vault\n")
    }

    @Test func eachFaultHasItsMessage() throws {
        let home = try home(added: nil)
        try home.save("value")
        let before = try Files.read(home.vault)
        let exitCodes: [(String, Int32)] = [
            ("key_not_permitted", 8), ("key_busy", 8), ("key_removed", 8), ("no_touch", 8),
            ("key_denied", 8), ("key_without_hmac_secret", 8), ("key_without_cred_protect", 8),
            ("key_without_verification", 8), ("pin_not_set", 8), ("pin_must_change", 8),
            ("pin_paused", 8), ("pin_blocked", 8), ("finger_not_recognised", 4),
            ("reader_blocked", 8), ("key_full", 8), ("key_untrusted", 8), ("key_failed", 1),
        ]
        for (fault, exitCode) in exitCodes {
            home.environment["SOFTWARE_FAULT"] = fault
            let failed = try add("blue", to: home, "--json")
            #expect(failed.failure["code"] as? String == fault, "\(failed.errorText)")
            #expect(failed.exitCode == exitCode, "\(failed.errorText)")
            #expect(failed.failure["hint"] as? String != nil)
        }
        #expect(try Files.read(home.vault) == before)
    }

    @Test func aKeyRestoresABackup() throws {
        let home = try home()
        try home.save("value")
        #expect(try home.ask("backup copy").exitCode == 0)
        expect(try home.run("secret remove mail.example ada --yes"), ends: 0)
        // Over the vault, without a passphrase; the key of another vault is refused.
        home.environment["SOFTWARE_KEYS"] = "2"
        #expect(try home.run("restore copy --replace --key", lines: [Self.pin]).exitCode == 4)
        home.environment["SOFTWARE_KEYS"] = "1"
        let replaced = try home.run("restore copy --replace --key", lines: [Self.pin])
        #expect(replaced.exitCode == 0, "\(replaced.errorText)")
        #expect(try home.value() == "value")
        // A key that the vault has no more opens the backup only.
        expect(try home.run("key remove blue"), ends: 0)
        let both = try home.run(
            "restore copy --replace --key", lines: [Self.pin, TestHome.passphrase])
        #expect(both.exitCode == 0, "\(both.errorText)")
        #expect(try keys(of: home).isEmpty)
        // At a terminal it is offered.
        let session = try TerminalSession(home, ["restore", "copy", "--to", "elsewhere"])
        try session.answer("PIN of the security key, or Enter for the passphrase", Self.pin)
        try session.waitFor("restored 1 secret")
        #expect(try session.finish() == 0)
        // A backup without such a slot, and a copy of a vault file, whose slots are known only after opening.
        #expect(try home.ask("backup without").exitCode == 0)
        for name in ["without", "home/vault.db"] {
            expect(
                try home.run("restore \(name) --to other --key", lines: [Self.pin]), ends: 5,
                "error: no security key opens the backup",
                "hint: restore it with its passphrase or recovery code")
        }
    }

    @Test func aScriptIsOfferedNothing() throws {
        let home = try home()
        let unlocked = try home.ask("unlock --passphrase-file \(home.passphraseFile)")
        expect(unlocked, ends: 0)
    }

    @Test func refusals() throws {
        let home = try home()
        try home.save("value")
        let before = try Files.read(home.vault)
        expect(
            try home.run("key add"), ends: 2, "error: key add needs the kind of key",
            "hint: taskvault key add --security-key")
        expect(
            try add("blue", to: home), ends: 6, "error: another key has this label",
            "hint: taskvault key list shows the labels")
        for (label, reason) in [
            ("", "is empty"), (String(repeating: "x", count: 65), "is longer than 64 bytes"),
            ("a\u{1B}b", "contains a control character"),
        ] {
            let refused = try home.run(["key", "add", "--security-key", "--label", label])
            #expect(refused.exitCode == 2, "\(refused.errorText)")
            #expect(
                refused.errorText.contains("error: the label \(reason)"), "\(refused.errorText)")
            // Before the key is asked.
            let name = label + (label.count == 65 ? String(repeating: "x", count: 959) : "")
            let renamed = try home.run(["key", "rename", "blue", name])
            #expect(renamed.exitCode == 2)
            #expect(renamed.errorLines.count == 1)
            #expect(renamed.errorText.contains("error: the label \(reason)"))
        }
        home.environment["SOFTWARE_KEYS"] = "1"
        let again = try add("other", to: home)
        #expect(again.exitCode == 6)
        #expect(
            again.errorLines.suffix(2) == [
                "taskvault: error: this security key opens the vault already",
                "taskvault: hint: taskvault key list shows the keys",
            ])
        home.environment["SOFTWARE_KEYS"] = ""
        expect(
            try add("other", to: home), ends: 5, "error: no security key is plugged in",
            "hint: plug it in, or use the passphrase or the recovery code")
        home.environment["SOFTWARE_KEYS"] = "2"
        #expect(
            try home.run("key add --security-key", lines: ["wrong", Self.pin]).exitCode == 4)
        let wrongPIN = try home.run(
            "key add --security-key --json", lines: [TestHome.passphrase, "9999"])
        #expect(wrongPIN.exitCode == 4)
        #expect(wrongPIN.failure["code"] as? String == "wrong_pin")
        let wrongKey = try home.run("unlock --key --json", lines: [Self.pin])
        #expect(wrongKey.exitCode == 2, "--no-agent makes no sense there")
        let file = home.folder + "/pin"
        try Files.write(Self.pin + "\n", to: file)
        let unlocked = try home.runBare(["unlock", "--key", "--json", "--passphrase-file", file])
        #expect(unlocked.exitCode == 4)
        #expect(unlocked.failure["code"] as? String == "wrong_key")
        for words in ["test red", "rename red green", "remove red"] {
            let refused = try home.run("key \(words)")
            expect(
                refused, ends: 5, "error: there is no key red",
                "hint: taskvault key list shows the labels")
        }
        #expect(try Files.read(home.vault) == before)
    }

    @Test func thereAreAtMostEightSlots() throws {
        let home = try home()
        for digit in 2...6 {
            home.environment["SOFTWARE_KEYS"] = "\(digit)"
            #expect(try add("key\(digit)", to: home).exitCode == 0)
        }
        home.environment["SOFTWARE_KEYS"] = "7"
        expect(
            try add("ninth", to: home), ends: 8, "error: the vault already has eight key slots",
            "hint: taskvault key list shows the keys; key remove frees a slot")
    }

    @Test func withoutALabelKeysAreNumbered() throws {
        let home = try home(added: nil)
        let words = "key add --security-key"
        for (digit, label) in [("1", "1"), ("2", "2")] {
            home.environment["SOFTWARE_KEYS"] = digit
            let added = try home.run(words, lines: [TestHome.passphrase, Self.pin])
            #expect(added.outputLines.first == "added the security key \(label)")
        }
    }

    @Test func keysAreListedTestedRenamedAndRemoved() throws {
        let home = try home()
        try home.save("value")
        home.environment["SOFTWARE_KEYS"] = "2"
        try add("red", to: home)
        let listed = try home.ask("key list").outputLines
        #expect(listed.count == 3)
        #expect(
            listed[1].wholeMatch(of: /[0-9a-f]{8}  security key  -  +blue/) != nil, "\(listed)")
        // By label, and any.
        let tested = try home.run("key test red", lines: [Self.pin])
        expect(tested, ends: 0, "touch the security key")
        #expect(tested.outputText == "the security key red opens the vault\n")
        #expect(try home.run("key test", lines: [Self.pin]).outputText == tested.outputText)
        let wrong = try home.run("key test blue --json", lines: [Self.pin])
        #expect(wrong.exitCode == 4)
        #expect(wrong.failure["code"] as? String == "wrong_key")
        #expect(try home.state == "locked")

        let renamed = try home.run("key rename red office", lines: [Self.pin])
        expect(renamed, ends: 0, "touch the security key")
        #expect(renamed.outputText == "renamed the security key to office\n")
        #expect(
            try home.run("key rename office blue", lines: [Self.pin]).errorLines.first
                == "taskvault: error: another key has this label")
        #expect(try keys(of: home).map { $0["label"] as? String } == ["blue", "office"])
        let id = try #require(try keys(of: home).last?["id"] as? String)
        #expect(try home.run("key test \(id.prefix(8))", lines: [Self.pin]).exitCode == 0)

        let kept = try home.run("key remove office --keep-keys")
        expect(kept, ends: 0)
        #expect(
            kept.outputText
                == "removed the security key office: that key still opens copies of the vault file from before, and the keys in them "
                + "open what is saved here later, until taskvault rekey\n")
        try home.unlock()
        let removed = try home.run("key remove blue")
        expect(removed, ends: 0, "the agent is locked now: its keys were replaced")
        #expect(
            removed.outputText
                == "removed the security key blue, and encrypted every secret under new keys: that key opens only copies of the "
                + "vault file from before\n")
        expect(try home.ask("key list"), ends: 0, "no security key or passkey opens the vault")
        #expect(try home.value() == "value")
        expect(
            try home.run("key test", lines: [Self.pin]), ends: 5,
            "error: no security key opens the vault",
            "hint: taskvault key add --security-key adds one")
    }

    @Test func aSessionOutlivesTheLabelOfItsKey() throws {
        let home = try home()
        try home.save("value")
        let pin = home.folder + "/pin"
        try Files.write(Self.pin + "\n", to: pin)
        #expect(try home.runBare(["unlock", "--key", "--passphrase-file", pin]).exitCode == 0)
        #expect(try home.run("key rename blue office", lines: [Self.pin]).exitCode == 0)
        try home.expectValue("value")
        #expect(try home.runBare(["verify", "--key", "--passphrase-file", pin]).exitCode == 0)
        // Whatever another program writes there.
        let uses = home.folder + "/state/taskvault/slot-uses"
        #expect(Files.names(in: uses).count == 1)
        for name in Files.names(in: uses) {
            let id = try #require(try keys(of: home).first?["id"] as? String)
            try Files.write(
                "\(id) 9223372036854775807\n\(id) x\n\u{0}\n", to: uses + "/" + name)
        }
        expect(try home.ask("status"), ends: 0)
        #expect(try home.ask("key list").outputLines.count == 2)
    }

    @Test func statusAndDoctorNameEachSlotAndItsLastUse() throws {
        let home = try home()
        func slots(_ command: String) throws -> [String: String?] {
            let result = try home.run(command)
            let slots = try #require(result.object["slots"] as? [[String: Any]])
            return try Dictionary(
                uniqueKeysWithValues: slots.map { slot in
                    (try #require(slot["kind"] as? String), slot["last_used"] as? String)
                })
        }
        let first = try slots("doctor --json")
        #expect(first.keys.sorted() == ["passphrase", "recovery_code", "security_key"])
        #expect(first["passphrase"] != .some(nil))
        #expect(first["recovery_code"] == .some(nil))
        #expect(first["security_key"] == .some(nil))
        let lines = try home.ask("status").outputLines
        #expect(lines.contains("opens with: recovery code (not used on this machine)"))
        #expect(lines.contains("opens with: security key blue (not used on this machine)"))
        #expect(
            lines.contains {
                $0.wholeMatch(
                    of: /opens with: passphrase \(last used here 20[0-9-]+T[0-9:]+Z\)/) != nil
            })
        #expect(!lines.contains { $0.hasPrefix("weak point") })
        _ = try home.run("key test", lines: [Self.pin])
        let used = try #require(try home.status["slots"] as? [[String: Any]])
        #expect(used.last?["label"] as? String == "blue")
        #expect(used.last?["synced"] as? Bool == false)
        #expect(used.last?["last_used"] as? String != nil)
        #expect(try home.status["weak_points"] as? [String] == [])

        try home.run("recovery revoke")
        let weak =
            "there is no recovery code: besides the keys, only the passphrase opens the vault: "
            + "taskvault recovery show-new"
        #expect(try home.ask("status").outputLines.contains("weak point: " + weak))
        #expect(try home.run("doctor").outputLines.contains("warning: " + weak))
        #expect(try home.status["weak_points"] as? [String] == ["no_recovery_code"])
        try home.run("key remove blue")
        let single =
            "there is no recovery code, and the passphrase is the only key slot: a forgotten passphrase means lost secrets: "
            + "taskvault recovery show-new"
        #expect(try home.ask("status").outputLines.contains("weak point: " + single))
        // Without a readable vault, status goes without.
        var bytes = try Files.read(home.vault)
        bytes[try VaultBytes.header(in: bytes) + 100] ^= 1
        try Files.write(bytes, to: home.vault)
        #expect(try home.ask("status").outputLines.count == 2)
        #expect(try home.status["slots"] is NSNull)
    }

    #if os(Linux)
        /// A vault with the slot of a key, and no key: nothing is loaded for it.
        @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
        func absentHardwareCostsNothing() throws {
            let home = try home()
            let program = Executable.path
            #expect(
                ByteSearch(for: ["libfido2.so.1"]).findings(in: try Files.read(program)).contains(
                    "UTF-8"))
            home.program = program
            let file = home.folder + "/trace"
            for words in [
                "help", "status", "unlock --passphrase-file \(home.passphraseFile)", "key list",
                "verify --passphrase-file \(home.passphraseFile)", "lock",
            ] {
                let result = try home.runBare(
                    words.split(separator: " ").map(String.init),
                    beneath: [Tracer.path, "-e", "trace=openat,open", "-o", file])
                #expect(result.exitCode == 0, "\(result.errorText)")
                let trace = String(decoding: try Files.read(file), as: UTF8.self)
                #expect(trace.contains("openat("))
                #expect(!trace.contains("libfido2"), "\(words)")
            }
            home.launcher = [Tracer.path, "-e", "trace=openat,open", "-o", file]
            let terminal = try TerminalSession(home, ["unlock"])
            try terminal.answer("Passphrase", TestHome.passphrase)
            #expect(try terminal.finish() == 0)
            home.launcher = []
            let trace = String(decoding: try Files.read(file), as: UTF8.self)
            #expect(trace.contains("/sys/class/hidraw"), "it looks for one")
            #expect(!trace.contains("libfido2"))
        }
    #endif
}
