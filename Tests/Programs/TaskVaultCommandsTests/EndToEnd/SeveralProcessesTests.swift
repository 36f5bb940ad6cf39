import Platform
import Testing
import TestSupport
import VaultStorage

@Suite(.waitsForProcesses) struct SeveralProcessesTests {
    private static let newPassphrase = "nine lives of another cat entirely"

    @Test func writersTakeTurns() throws {
        let home = try TestHome()
        let numbers = 0..<8
        let input = try Files.open(home.passphraseFile, O_RDONLY)
        let sink = try Files.open("/dev/null", O_WRONLY)
        defer {
            close(input)
            close(sink)
        }
        let processes = try numbers.map { number in
            try Executable.start(
                [
                    "secret", "generate", "service", "\(number)", "--no-agent", "--passphrase-file",
                    home.passphraseFile,
                ],
                environment: home.environment, in: home.folder,
                .init(input: input, output: sink, errors: sink))
        }
        #expect(processes.map { Executable.wait(for: $0) } == numbers.map { _ in 0 })
        #expect(try home.run("secret list").outputLines.count == numbers.count + 1)
        #expect(try home.run("doctor").exitCode == 0)
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test func aReaderKeepsOldBytesAliveAndThatIsSaid() throws {
        let home = try TestHome()
        try home.save("value")
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readOnly)
        defer { storage.close() }
        let changed = try storage.read { (reader) throws in
            _ = try reader.header()  // Now the snapshot is taken.
            return try home.run(
                "passphrase change", lines: [TestHome.passphrase, Self.newPassphrase])
        }
        expect(
            changed, ends: 1,
            "error: done, but the old key's bytes are still in the vault's files: another process is reading them, or writing failed",
            "hint: they are erased when the last process closes the vault; then taskvault doctor")
        #expect(changed.outputText.hasPrefix("changed the passphrase, "))
        #expect(try home.run("secret list").exitCode == 4)
        storage.close()
        #expect(try home.run("doctor", lines: [Self.newPassphrase]).exitCode == 0)
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test func aVaultInUseIsNotReplaced() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("backup backup.db")
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        defer { storage.close() }
        expect(
            try home.run("restore backup.db --replace --new-lineage"), ends: 8,
            "error: the vault is in use by another process",
            "hint: run it again when the other process is done")
        #expect(try home.value() == "value")
        // One more change of the same vault needs no other file.
        #expect(try home.run("restore backup.db --replace").exitCode == 0)
    }

    @Test func doctorReportsALogLeftBehind() throws {
        let home = try TestHome()
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        // Who has read the vault uses its log; the other process is not the last to close it then, so that the log stays.
        _ = try storage.read { (reader) throws in try reader.header() }
        try home.save("value")
        let checked = try home.run("doctor --json")
        #expect(checked.exitCode == 0)
        let warnings = try #require(checked.object["warnings"] as? [[String: String]])
        #expect(warnings.contains { $0["code"] == "log_left_behind" })
        storage.close()
        #expect(Files.names(in: home.home) == ["vault.db"])
    }
}
