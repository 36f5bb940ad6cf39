import Testing
import TestSupport

/// A vault file that a build before the release left: it is refused with plain words, and stays as it is.
@Suite(.waitsForProcesses) struct OldFilesTests {
    private static let file = Checkout.path("Tests/Vectors/Files/0.1.0/vault.db")

    @Test(arguments: ["secret list", "secret set a b", "rekey", "doctor"])
    func areRefused(command: String) throws {
        let home = try TestHome()
        let bytes = try Files.read(Self.file)
        try Files.write(bytes, to: home.vault)
        expect(
            try home.run(command), ends: 7,
            "error: \(home.vault) was written by a build of TaskVault before the release, and is not read",
            "hint: export the secrets with that build; rename the file, and a file of the same name with -wal if there is one; "
                + "a new one is then created")
        let failure = try home.run("\(command) --json").failure
        #expect(failure["code"] as? String == "earlier_build")
        #expect(try Files.read(home.vault) == bytes)
    }

    @Test func areNotRestored() throws {
        let home = try TestHome(withVault: false)
        let backup = home.folder + "/backup.db"
        try Files.write(Files.read(Self.file), to: backup)
        expect(
            try home.run("restore \(backup)"), ends: 7,
            "error: \(backup) was written by a build of TaskVault before the release, and is not read",
            "hint: export the secrets with that build")
        #expect(!Files.exists(home.vault))
    }
}
