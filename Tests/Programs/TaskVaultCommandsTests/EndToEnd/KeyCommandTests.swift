import Testing
import TestSupport

@Suite(.waitsForProcesses) struct KeyCommandTests {
    private static let newPassphrase = "another passphrase entirely"

    @Test func changingThePassphrase() throws {
        let home = try TestHome()
        try home.save("value")
        let changed = try home.run(
            "passphrase change", lines: [TestHome.passphrase, Self.newPassphrase])
        expect(changed, ends: 0)
        #expect(
            changed.outputText == """
                changed the passphrase, and encrypted every secret under new keys: the old one opens only copies of the \
                vault file from before

                """)
        #expect(try keyEpoch(of: home) == 2)
        expect(
            try home.run("secret list"), ends: 4, "error: wrong passphrase",
            "hint: if you forgot it: taskvault passphrase change --recovery")
        let read = try home.run("secret get mail.example ada", lines: [Self.newPassphrase])
        #expect(read.outputText == "value")
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test func keepingTheKeysSaysWhatThatMeans() throws {
        let home = try TestHome()
        try home.save("value")
        let stays = """
            %@ still opens copies of the vault file from before, and the keys in them open what is saved here later, until taskvault rekey

            """
        let changed = try home.run(
            "passphrase change --keep-keys", lines: [TestHome.passphrase, Self.newPassphrase])
        expect(changed, ends: 0)
        #expect(
            changed.outputText == "changed the passphrase: "
                + stays.replacing("%@", with: "the old one"))
        #expect(try home.run("secret list").exitCode == 4)
        let revoked = try home.run("recovery revoke --keep-keys", lines: [Self.newPassphrase])
        expect(revoked, ends: 0)
        #expect(
            revoked.outputText == "removed the recovery code: "
                + stays.replacing("%@", with: "the code"))
        #expect(try keyEpoch(of: home) == 1)
        let read = try home.run("secret get mail.example ada", lines: [Self.newPassphrase])
        #expect(read.outputText == "value")
    }

    /// The key epoch in a vault's header.
    private func keyEpoch(of home: TestHome) throws -> UInt8 {
        let bytes = try Files.read(home.vault)
        return bytes[try VaultBytes.header(in: bytes) + 24]
    }

    @Test func theOldSlotLeavesTheFile() throws {
        let home = try TestHome()
        let before = try Files.read(home.vault)
        let header = try VaultBytes.header(in: before)
        // From the public key to the proof of the first slot.
        let old = before[header + 29 + 46..<header + 29 + 398]
        try home.run("passphrase change", lines: [TestHome.passphrase, Self.newPassphrase])
        let after = try Files.read(home.vault)
        #expect(!after.contains(old.prefix(16)))
        #expect(!after.contains(old.suffix(16)))
    }

    @Test func changingWithTheWrongPassphraseChangesNothing() throws {
        let home = try TestHome()
        try home.save("value")  // The first write also turns SQLite's log on in the file.
        let before = try Files.read(home.vault)
        let refused = try home.run(
            "passphrase change --json", lines: ["wrong", Self.newPassphrase])
        #expect(refused.exitCode == 4)
        #expect(refused.failure["code"] as? String == "wrong_passphrase")
        expect(
            try home.run("passphrase change", lines: [TestHome.passphrase, "abc"]), ends: 8,
            "error: the passphrase has fewer than 4 characters",
            "hint: several random words are easy to type and hard to guess")
        expect(
            try home.run("passphrase change", lines: [TestHome.passphrase]), ends: 2,
            "error: unexpected end of input: the new passphrase is missing")
        #expect(try Files.read(home.vault) == before)
    }

    @Test func theCostStaysUnlessItIsChanged() throws {
        let home = try TestHome()
        let passphrases = [TestHome.passphrase, TestHome.passphrase]
        func cost() throws -> [UInt8] {
            let bytes = try Files.read(home.vault)
            // The new slot stands last: passes and memory in KiB.
            let slot = try VaultBytes.header(in: bytes) + 29 + 414
            return Array(bytes[slot + 18..<slot + 26])
        }
        try home.run("passphrase change", lines: passphrases)
        #expect(try cost() == [2, 0, 0, 0, 0, 76, 0, 0])
        let raised = try home.run(
            "passphrase change --kdf-memory 20 --kdf-passes 3 --json", lines: passphrases)
        #expect(raised.object["old_bytes_erased"] as? Bool == true)
        #expect(try cost() == [3, 0, 0, 0, 0, 80, 0, 0])
    }

    @Test func theRecoveryCodeTakesThePassphrasesPlace() throws {
        let home = try TestHome(withVault: false)
        let made = try home.run(["init"] + TestHome.cheap).outputText
        let code = try TestHome.recoveryCode(in: made)
        try home.save("value")
        // As a person types it: lower case, without separators.
        let typed = code.lowercased().split(separator: "-").joined()
        expect(
            try home.run("passphrase change --recovery", lines: [typed, Self.newPassphrase]),
            ends: 0)
        #expect(try home.run("secret list").exitCode == 4)
        #expect(try home.run("secret list", lines: [Self.newPassphrase]).exitCode == 0)
        // The code stays, also under the new keys.
        #expect(try home.run("doctor --recovery", lines: [code]).exitCode == 0)
    }

    @Test func wrongRecoveryCodes() throws {
        let home = try TestHome()
        let other = try TestHome(withVault: false)
        let code = try TestHome.recoveryCode(
            in: try other.run(["init"] + TestHome.cheap).outputText)
        expect(
            try home.run("passphrase change --recovery", lines: [code, Self.newPassphrase]),
            ends: 4, "error: wrong recovery code",
            "hint: only the newest code is valid")
        let mistyped = (code.first == "A" ? "B" : "A") + code.dropFirst()
        expect(
            try home.run("passphrase change --recovery", lines: [mistyped, Self.newPassphrase]),
            ends: 4, "error: the recovery code is mistyped: its checksum does not match",
            "hint: compare it with your copy; it never contains 0, 1, 8 or 9")
        expect(
            try home.run("passphrase change --recovery", lines: ["no code", Self.newPassphrase]),
            ends: 4,
            "error: this is not a recovery code: expected 14 groups of four letters and digits")
    }

    @Test func aNewRecoveryCodeEndsTheOldOne() throws {
        let home = try TestHome(withVault: false)
        let first = try TestHome.recoveryCode(
            in: try home.run(["init"] + TestHome.cheap).outputText)
        let shown = try home.run("recovery show-new")
        expect(shown, ends: 0)
        #expect(
            shown.outputLines.first
                == "created a new recovery code: the old one still opens copies of the vault file from before, and the keys in them "
                + "open what is saved here later, until taskvault rekey"
        )
        let second = try TestHome.recoveryCode(in: shown.outputText)
        #expect(try home.run("recovery show-new --recovery", lines: [first]).exitCode == 4)
        let third = try home.run("recovery show-new --recovery --json", lines: [second])
        expect(third, ends: 0)
        #expect(third.object["recovery_code"] as? String != nil)
    }

    @Test func revokingTheRecoveryCode() throws {
        let home = try TestHome()
        try home.save("value")
        let revoked = try home.run("recovery revoke")
        expect(revoked, ends: 0)
        #expect(
            revoked.outputText
                == "removed the recovery code, and encrypted every secret under new keys: the code opens only copies of the vault "
                + "file from before\n")
        #expect(try keyEpoch(of: home) == 2)
        #expect(try home.value() == "value")
        expect(
            try home.run("recovery revoke"), ends: 5, "error: the vault has no recovery code",
            "hint: taskvault recovery show-new creates one")
    }

    @Test func rekeyMakesNewKeysAndKeepsPassphraseAndCode() throws {
        let home = try TestHome(withVault: false)
        let made = try home.run(["init"] + TestHome.cheap).outputText
        let code = try TestHome.recoveryCode(in: made)
        try home.save("one", "a", "1")
        try home.run("secret set a 2 --class after-verification", input: "two")
        for (option, secret) in [("", TestHome.passphrase), (" --recovery", code)] {
            let rekeyed = try home.run("rekey" + option, lines: [secret])
            expect(rekeyed, ends: 0)
            #expect(
                rekeyed.outputText == """
                    created new keys and encrypted every secret again: the passphrase and the recovery code stay; keys of older copies \
                    no longer open this file, but such a copy still shows its own content

                    """)
        }
        let json = try home.run("rekey --json")
        #expect(json.object.keys.sorted() == ["old_bytes_erased"])
        #expect(try home.value("a", "1") == "one")
        #expect(try home.value("a", "2") == "two")
        #expect(try home.run("doctor").exitCode == 0)
        #expect(try home.run("doctor --recovery", lines: [code]).exitCode == 0)
    }

    @Test func passphrasesAreComparedInNormalisationFormC() throws {
        let home = try TestHome(withVault: false)
        try home.run("init --kdf-memory 19 --kdf-passes 2", lines: ["caf\u{E9} au lait"])
        #expect(try home.run("secret list", lines: ["cafe\u{301} au lait"]).exitCode == 0)
        #expect(try home.run("secret list", lines: ["cafe au lait"]).exitCode == 4)
        #expect(try home.run("secret list", lines: [""]).exitCode == 4)
    }

    @Test func aPassphraseThatIsNoTextIsRefused() throws {
        let home = try TestHome()
        let refused = try home.runBare(
            ["--no-agent", "secret", "list", "--passphrase-file", "-"],
            input: [0xFF, 0x41, 0x42, 0x43, 0x0A])
        expect(refused, ends: 8, "error: the passphrase is not valid UTF-8")
    }

    @Test func errorsOfAPassphraseFile() throws {
        let home = try TestHome()
        expect(
            try home.runBare(["--no-agent", "secret", "list", "--passphrase-file", "missing"]),
            ends: 2,
            "error: cannot read the passphrase file: no such file or directory")
        expect(
            try home.runBare(["--no-agent", "secret", "list", "--passphrase-file", "."]), ends: 2,
            "error: the passphrase file is a folder, not a file")
        Files.setMode(home.passphraseFile, 0o644)
        expect(
            try home.run("secret list"), ends: 0,
            "warning: other users can read the passphrase file: chmod 600 \(home.passphraseFile)")
    }

    @Test func theFileIsIgnoredWhereNoPassphraseIsNeeded() throws {
        let home = try TestHome()
        let made = try home.runBare(["backup", "copy.db", "--passphrase-file", "missing"])
        expect(made, ends: 0)
    }
}
