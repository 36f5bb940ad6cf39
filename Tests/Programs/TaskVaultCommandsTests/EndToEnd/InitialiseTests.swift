import Testing
import TestSupport

@Suite(.waitsForProcesses) struct InitialiseTests {
    @Test func makesAVaultAndShowsARecoveryCodeOnce() throws {
        let home = try TestHome(withVault: false)
        let made = try home.run(["init"] + TestHome.cheap)
        expect(made, ends: 0)
        #expect(made.outputLines.first == "created the vault \(home.vault)")
        let code = try TestHome.recoveryCode(in: made.outputText)
        #expect(made.outputText.contains("The recovery code opens the vault"))
        #expect(Files.mode(home.home) == 0o700)
        #expect(Files.mode(home.vault) == 0o600)
        #expect(Files.names(in: home.home) == ["vault.db"])
        let opened = try home.run("recovery show-new --recovery", lines: [code])
        expect(opened, ends: 0)
    }

    @Test func modesDoNotDependOnTheUmask() throws {
        let home = try TestHome(withVault: false)
        // The parent folder is missing as well.
        home.environment["TASKVAULT_HOME"] = home.folder + "/a/b"
        expect(try home.run(["init"] + TestHome.cheap), ends: 0)
        #expect(Files.mode(home.folder + "/a") == 0o700)
        #expect(Files.mode(home.folder + "/a/b/vault.db") == 0o600)
    }

    @Test func jsonHasPathAndCode() throws {
        let home = try TestHome(withVault: false)
        let made = try home.run(["init", "--json"] + TestHome.cheap)
        expect(made, ends: 0)
        #expect(made.object["path"] as? String == home.vault)
        let code = try #require(made.object["recovery_code"] as? String)
        #expect(try TestHome.recoveryCode(in: code) == code)
    }

    @Test func leavesAnExistingVaultAlone() throws {
        let home = try TestHome()
        let before = try Files.read(home.vault)
        expect(
            try home.run(["init"] + TestHome.cheap), ends: 6,
            "error: a vault already exists at \(home.vault)")
        #expect(try Files.read(home.vault) == before)
    }

    @Test(arguments: ["", "abc", "äöü", "e\u{301}e\u{301}e\u{301}"])
    func aShortPassphraseIsRefused(passphrase: String) throws {
        // The last one has six scalars as typed and three in normalisation form C.
        let home = try TestHome(withVault: false)
        let refused = try home.run("init --kdf-memory 19 --kdf-passes 2", lines: [passphrase])
        expect(
            refused, ends: 8, "error: the passphrase has fewer than 4 characters",
            "hint: several random words are easy to type and hard to guess")
        #expect(!Files.exists(home.home))
    }

    /// Its normal form, and so the key, may be another with the next version of Unicode.
    @Test func aPassphraseOfUnknownCharactersIsRefused() throws {
        let home = try TestHome(withVault: false)
        let refused = try home.run("init --kdf-memory 19 --kdf-passes 2", lines: ["abcd\u{378}"])
        expect(
            refused, ends: 8,
            "error: the passphrase has a character that is unknown to this machine's Unicode version",
            "hint: another version may encode it differently; choose another character")
        #expect(!Files.exists(home.home))
    }

    @Test(arguments: ["abcd", "To be, or not to be", "correct horse battery staple", "Sommer2024!"])
    func aWeakPassphraseOfAFileGetsAWarning(passphrase: String) throws {
        let home = try TestHome(withVault: false)
        let made = try home.run("init --kdf-memory 19 --kdf-passes 2", lines: [passphrase])
        #expect(made.exitCode == 0)
        #expect(
            made.errorText.hasPrefix("taskvault: warning: strength: weak (at most 10^"),
            "\(made.errorText)")
        let changed = try home.run(
            "passphrase change --json", lines: [passphrase, passphrase])
        #expect(changed.exitCode == 0)
        #expect(changed.failure["warning"] as? String == "weak_passphrase")
    }

    @Test func withoutAPassphraseNothingIsMade() throws {
        let home = try TestHome(withVault: false)
        expect(
            try home.runBare(["init"]), ends: 2,
            "error: cannot ask for the passphrase: standard input is not a terminal",
            "hint: run it in a terminal, or give --passphrase-file FILE")
        expect(
            try home.run("init", lines: []), ends: 2,
            "error: unexpected end of input: the new passphrase is missing")
        #expect(!Files.exists(home.home))
    }

    @Test(arguments: [
        (["--kdf-memory", "18"], "option '--kdf-memory' takes a number from 19 to 4096"),
        (["--kdf-passes", "1"], "option '--kdf-passes' takes a number from 2 to 64"),
    ])
    func aCostOutsideTheRangeIsRefused(options: [String], message: String) throws {
        let home = try TestHome(withVault: false)
        expect(
            try home.run(["init"] + options), ends: 2, "error: \(message)",
            "hint: taskvault init --help")
    }

    @Test func aCostBeyondTheMachineIsRefused() throws {
        let home = try TestHome(withVault: false)
        let refused = try home.run("init --kdf-memory 4096 --kdf-passes 64")
        #expect(refused.exitCode == 8)
        #expect(
            refused.errorLines.first
                == "taskvault: error: the key derivation cost is too high for this machine")
        #expect(!Files.exists(home.home))
    }

    @Test func aRelativeHomeAndXDGFoldersAreFound() throws {
        let home = try TestHome(withVault: false)
        expect(try home.run(["init", "--home", "here"] + TestHome.cheap), ends: 0)
        #expect(Files.exists(home.folder + "/here/vault.db"))
        home.environment["TASKVAULT_HOME"] = nil
        expect(try home.run(["init"] + TestHome.cheap), ends: 0)
        #expect(Files.exists(home.folder + "/.local/share/taskvault/vault.db"))
        home.environment["XDG_DATA_HOME"] = home.folder + "/data"
        expect(try home.run(["init"] + TestHome.cheap), ends: 0)
        #expect(Files.exists(home.folder + "/data/taskvault/vault.db"))
        // By its specification a relative path there is ignored.
        home.environment["XDG_DATA_HOME"] = "relative"
        #expect(try home.run("secret list").exitCode == 0)
        #expect(!Files.exists(home.folder + "/relative"))
    }

    @Test func hintsNameTheHomeThatWasGiven() throws {
        let home = try TestHome(withVault: false)
        expect(
            try home.run(["secret", "list", "--home", "my vault"]), ends: 5,
            "error: there is no vault at my vault/vault.db",
            "hint: taskvault init --home 'my vault' creates one")
    }
}
