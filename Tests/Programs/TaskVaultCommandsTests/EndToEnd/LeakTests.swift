import Testing
import TestSupport

/// Nothing secret where it does not belong: in no message, no argument, no environment variable and no file.
@Suite(.waitsForProcesses) struct LeakTests {
    private static let passphrase = "canary-passphrase-\(UInt64.random(in: .min ... .max))"
    private static let value = "canary-value-\(UInt64.random(in: .min ... .max))"
    private static let names = "canary-name-\(UInt64.random(in: .min ... .max))"

    private func home() throws -> TestHome {
        let home = try TestHome(withVault: false)
        try Files.write(Self.passphrase + "\n", to: home.passphraseFile)
        try home.make()
        try home.run("secret set \(Self.names) account --label \(Self.names)", input: Self.value)
        return home
    }

    @Test func noMessageHoldsASecret() throws {
        let home = try home()
        for command in [
            "secret list", "secret set \(Self.names) account", "secret update x y", "doctor",
            "secret edit \(Self.names) account --label l", "rekey", "backup b.db",
            "recovery revoke",
            "secret get x y", "secret remove --yes x y", "restore b.db --replace",
            "passphrase change",
        ] {
            for option in ["", " --json"] {
                let result = try home.run(command + option, input: Self.value)
                for text in [result.outputText, result.errorText] {
                    #expect(!text.contains(Self.value), "\(command)")
                    #expect(!text.contains(Self.passphrase), "\(command)")
                }
            }
        }
    }

    @Test func noFileHoldsASecretOrAName() throws {
        let home = try home()
        try home.run("backup copy.db")
        for path in [home.vault, home.folder + "/copy.db"] {
            let bytes = try Files.read(path)
            for canary in [Self.passphrase, Self.value, Self.names] {
                #expect(!bytes.contains(Array(canary.utf8)))
            }
        }
    }

    @Test func noOptionTakesASecret() throws {
        let home = try home()
        for option in ["--passphrase", "--password", "--value", "--code"] {
            let refused = try home.runBare([
                "--no-agent", "secret", "list", "\(option)=\(Self.passphrase)",
            ])
            #expect(refused.exitCode == 2)
            #expect(!refused.errorText.contains(Self.passphrase))
        }
    }

    #if os(Linux)
        @Test func argumentsAndEnvironmentAreFreeOfSecretsWhileItRuns() throws {
            let home = try home()
            let session = try TerminalSession(
                home, ["--no-agent", "secret", "set", "new", "account"])
            try session.answer("Passphrase", Self.passphrase)
            try session.waitFor("Value: ")
            for file in ["cmdline", "environ"] {
                // A process that cannot be traced shows these to the administrator only.
                guard let bytes = try? Files.read("/proc/\(session.process)/\(file)") else {
                    continue
                }
                #expect(!bytes.contains(Array(Self.passphrase.utf8)))
            }
            try session.type(Self.value + "\n")
            #expect(try session.finish() == 0)
        }

        @Test func theProcessLeavesNoCoreAndCannotBeTraced() throws {
            let home = try home()
            let session = try TerminalSession(home, ["--no-agent", "secret", "list"])
            try session.waitFor("Passphrase: ")
            let limits = String(
                decoding: try Files.read("/proc/\(session.process)/limits"), as: UTF8.self)
            #expect(limits.contains(/Max core file size\s+0\s+0\s/))
            let status = String(
                decoding: try Files.read("/proc/\(session.process)/status"), as: UTF8.self)
            #expect(status.contains(/NoNewPrivs:\s+1/))
        }
    #endif
}
