import Platform
import Testing
import TestSupport

/// `status` and `doctor` in one screen of 24 rows and 80 columns, with the next step.
@Suite(.waitsForProcesses) struct ScreenTests {
    /// The rows that a command fills on a screen, without trailing empty ones.
    private func rows(of words: String, in home: TestHome, ends code: Int32 = 0) throws -> [String]
    {
        let session = try TerminalSession(
            home, words.split(separator: " ").map(String.init), rows: 24, columns: 80)
        #expect(try session.finish() == code, "\(session.screen)")
        let lines = session.screen.replacing("\r\n", with: "\n").split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().flatMap { line -> [String] in
            stride(from: 0, to: max(line.count, 1), by: 80).map { start in
                String(line.dropFirst(start).prefix(80))
            }
        }
    }

    private func expectOneScreen(
        _ rows: [String], next: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        // One row remains for the prompt of the shell.
        #expect(rows.count <= 23, "\(rows)", sourceLocation: sourceLocation)
        #expect(rows.last == "next: " + next, sourceLocation: sourceLocation)
    }

    @Test func status() throws {
        let home = try TestHome(withVault: false)
        expectOneScreen(try rows(of: "status", in: home), next: "taskvault init")
        try home.make()
        expectOneScreen(try rows(of: "status", in: home), next: "taskvault unlock")
        let option = "--home \(home.home)"
        expectOneScreen(
            try rows(of: "status \(option)", in: home), next: "taskvault unlock \(option)")
        try home.unlock()
        expectOneScreen(try rows(of: "status", in: home), next: "taskvault backup FILE")
        expect(try home.ask("backup copy.db"), ends: 0)
        expectOneScreen(try rows(of: "status", in: home), next: "nothing")
    }

    @Test(.enabled(if: Files.exists("/usr/bin/prlimit"), "prlimit is not installed"))
    func doctor() throws {
        let home = try TestHome()
        try home.save("value")
        let doctor = "doctor --passphrase-file \(home.passphraseFile)"
        let first = try rows(of: doctor, in: home)
        expectOneScreen(first, next: "taskvault backup FILE")
        #expect(
            first.prefix(5).map { String($0.prefix(17)) } == [
                "file             ", "keys and state   ", "memory           ",
                "rollback record  ", "secrets          ",
            ])
        expect(try home.run("backup copy.db"), ends: 0)
        let cheap = "taskvault passphrase change --kdf-memory 256 --kdf-passes 3"
        expectOneScreen(try rows(of: doctor, in: home), next: cheap)
        // With every warning at once.
        expect(try home.run("recovery revoke"), ends: 0)
        home.launcher = ["/usr/bin/prlimit", "--memlock=0"]
        let all = try rows(of: doctor, in: home)
        expectOneScreen(all, next: "taskvault recovery show-new")
        home.launcher = []
    }

    @Test func doctorNamesThePartThatIsDamaged() throws {
        let home = try TestHome()
        try home.save("value")
        try VaultBytes.flipFirstValue(of: home.vault)
        let found = try home.run("doctor").outputLines
        #expect(found.first == "file             ok")
        #expect(found.contains("secrets          0 checked, 2 problems"))
        #expect(found.count { $0.hasPrefix("problem: ") } == 2)
        #expect(
            !found.contains { $0.hasPrefix("next: ") }, "the hint of the error is the next step")
        let state = try TestHome()
        try VaultBytes.flipState(of: state.vault)
        let lines = try state.run("doctor").outputLines
        #expect(
            lines.contains { $0.hasPrefix("keys and state   passphrase, recovery code, 1 problem") }
        )
        #expect(lines.contains("secrets          not checked"))
    }
}
