import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct BadVaultTests {
    /// Commands that open the vault; the last one needs no passphrase.
    private static let commands = [
        "secret get a b", "secret set a b", "secret list", "secret export", "passphrase change",
        "rekey", "doctor", "backup copy.db",
    ]

    @Test(arguments: commands) func noVault(command: String) throws {
        let home = try TestHome(withVault: false)
        expect(
            try home.runBare(command.split(separator: " ").map(String.init)), ends: 5,
            "error: there is no vault at \(home.vault)", "hint: taskvault init creates one")
        #expect(!Files.exists(home.home))
    }

    @Test(arguments: commands) func anEmptyFile(command: String) throws {
        let home = try TestHome()
        try Files.write([], to: home.vault)
        expect(
            try home.run(command), ends: 7,
            "error: \(home.vault) is not a vault: the file is empty",
            "hint: taskvault restore --replace BACKUP restores a backup and keeps that file")
        #expect(try Files.read(home.vault).isEmpty)
    }

    @Test(arguments: commands) func aForeignFile(command: String) throws {
        let home = try TestHome()
        let content = Array(repeating: "no database at all\n", count: 1_000).joined()
        try Files.write(content, to: home.vault)
        expect(
            try home.run(command), ends: 7,
            "error: \(home.vault) is not a vault: not an SQLite database",
            "hint: taskvault restore --replace BACKUP restores a backup and keeps that file")
        #expect(try Files.read(home.vault) == Array(content.utf8))
    }

    @Test func aDatabaseOfAnotherProgram() throws {
        let home = try TestHome()
        // The field application_id of SQLite's header.
        try Files.flip(home.vault, at: 71)
        expect(
            try home.run("secret list"), ends: 7,
            "error: \(home.vault) is not a vault: not a vault file",
            "hint: taskvault restore --replace BACKUP restores a backup and keeps that file")
    }

    @Test func aNewerVersion() throws {
        let home = try TestHome()
        // The field user_version of SQLite's header.
        var bytes = try Files.read(home.vault)
        bytes[63] = 9
        try Files.write(bytes, to: home.vault)
        expect(
            try home.run("secret list"), ends: 7,
            "error: \(home.vault) was written by a newer version of TaskVault (storage 9)",
            "hint: install that version")
    }

    @Test(arguments: (0..<20).map { $0 * 1_024 })
    func aTruncatedFile(size: Int) throws {
        let home = try TestHome()
        try home.save("value")
        let whole = try Files.read(home.vault)
        try Files.write(Array(whole.prefix(size)), to: home.vault)
        let result = try home.run("secret get mail.example ada")
        #expect(result.exitCode == 7, "\(result.errorText)")
        #expect(result.output.isEmpty)
        #expect(try home.run("doctor").exitCode == 7)
    }

    @Test(arguments: [
        "secret get a b", "secret set a b", "backup copy.db",
    ])
    func aSymbolicLinkIsRefused(command: String) throws {
        let home = try TestHome()
        let real = home.folder + "/real.db"
        try Files.copy(home.vault, to: real)
        unsafe unlink(home.vault)
        unsafe symlink(real, home.vault)
        let before = try Files.read(real)
        expect(
            try home.run(command), ends: 8,
            "error: \(home.vault) is not safe to use: a symbolic link",
            "hint: put the file itself there, or give its folder with --home")
        #expect(try Files.read(real) == before)
    }

    @Test func aFileOrFolderThatOthersCanReadIsRefused() throws {
        let home = try TestHome()
        Files.setMode(home.vault, 0o640)
        expect(
            try home.run("secret list"), ends: 8,
            "error: \(home.vault) is not safe to use: accessible to other users",
            "hint: chmod go= \(home.vault), unless other users need it")
        Files.setMode(home.vault, 0o600)
        Files.setMode(home.home, 0o755)
        expect(
            try home.run("secret list"), ends: 8,
            "error: \(home.home) is not safe to use: accessible to other users",
            "hint: chmod go= \(home.home), unless other users need it")
        Files.setMode(home.home, 0o700)
        #expect(try home.run("secret list").exitCode == 0)
    }

    @Test func aFolderOrPipeInTheFilesPlaceIsRefused() throws {
        let home = try TestHome()
        unsafe unlink(home.vault)
        unsafe mkfifo(home.vault, 0o600)
        expect(
            try home.run("secret list"), ends: 8,
            "error: \(home.vault) is not safe to use: not a regular file")
        unsafe unlink(home.vault)
        unsafe mkdir(home.vault, 0o700)
        expect(
            try home.run("secret list"), ends: 8,
            "error: \(home.vault) is not safe to use: not a regular file")
    }

    @Test func aHeaderThatAsksForTooMuchIsRefusedBeforeItIsSpent() throws {
        let home = try TestHome()
        var bytes = try Files.read(home.vault)
        try VaultBytes.setCost(passes: 3, memoryKiB: .max, in: &bytes)
        try Files.write(bytes, to: home.vault)
        // With so much memory a derivation fails, and says something else.
        let refused = try home.run("secret list")
        #expect(refused.exitCode == 7)
        #expect(
            refused.errorLines.first
                == "taskvault: error: the vault is damaged or was tampered with: "
                + "the key derivation cost of a slot is too high for this machine")
        let json = try home.run("secret list --json")
        #expect(json.failure["code"] as? String == "slot_kdf_excessive")
    }

    @Test(.enabled(if: geteuid() != 0, "the administrator may write everywhere"))
    func aReadOnlyVaultCanBeRead() throws {
        let home = try TestHome()
        try home.save("value")
        Files.setMode(home.vault, 0o400)
        Files.setMode(home.home, 0o500)
        defer { Files.setMode(home.home, 0o700) }
        #expect(try home.value() == "value")
        expect(
            try home.run("secret set c d", input: "x"), ends: 1,
            "error: \(home.vault) cannot be written",
            "hint: reading still works; check file, folder and medium")
    }
}
