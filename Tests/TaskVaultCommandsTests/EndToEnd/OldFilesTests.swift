import Foundation
import Testing
import TestSupport

/// Files that released versions left: each opens for ever, with everything that was in it.
@Suite(.waitsForProcesses) struct OldFilesTests {
    private static let folder = Checkout.path("Tests/Vectors/Files")
    /// A folder for each version that was the first to write another format.
    private static let versions = Files.names(in: folder).filter { !$0.contains(".md") }

    @Test func thereAreSome() {
        #expect(Self.versions.contains("0.1.0"))
    }

    @Test(arguments: versions) func areReadAsTheyWereWritten(version: String) throws {
        let home = try Self.home(of: version)
        let secrets = try home.run("secret export --all")
        #expect(secrets.exitCode == 0)
        try #expect(secrets.output == Files.read("\(Self.folder)/\(version)/secrets.json"))
        let tasks = try home.run("task export --reveal")
        #expect(tasks.exitCode == 0)
        try #expect(tasks.output == Files.read("\(Self.folder)/\(version)/tasks.json"))
        #expect(try home.run("doctor").exitCode == 0)
    }

    @Test(arguments: versions) func openWithTheirRecoveryCode(version: String) throws {
        let home = try Self.home(of: version)
        try Files.write(
            Files.read("\(Self.folder)/\(version)/recovery-code"), to: home.passphraseFile)
        #expect(try home.run("doctor --recovery").exitCode == 0)
    }

    @Test(arguments: versions) func areWrittenOn(version: String) throws {
        let home = try Self.home(of: version)
        try home.save("new", "mail.example", "another")
        #expect(try home.run("rekey").exitCode == 0)
        #expect(try home.value("mail.example", "another") == "new")
        #expect(try home.value("long", "value") == String(repeating: "x", count: 9_000))
    }

    /// A home with copies, because opening writes.
    private static func home(of version: String) throws -> TestHome {
        let home = try TestHome(withVault: false)
        try FileManager.default.createDirectory(
            atPath: home.home, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        for (name, target) in [
            ("vault.db", home.vault), ("tasks.db", home.home + "/tasks.db"),
            ("passphrase", home.passphraseFile),
        ] {
            try Files.write(Files.read("\(folder)/\(version)/\(name)"), to: target)
        }
        return home
    }
}
