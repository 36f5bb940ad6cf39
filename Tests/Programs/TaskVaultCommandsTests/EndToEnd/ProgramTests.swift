import CommandLine
import Platform
@testable import TaskVaultCommands
import Testing
import TestSupport

/// The program in this process, with surroundings that are handed in.
@Suite(.waitsForProcesses) struct ProgramTests {
    @Test func everyCommandOfTheTableIsRunByAType() {
        #expect(Commands.all.map { $0.description } == CommandTable.taskvault.commands)
    }

    @Test func commandsTakeEverythingFromTheirSurroundings() throws {
        let home = try TestHome()
        try home.save("value")
        let path = home.folder + "/printed"
        let output = try Files.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        let input = try Files.open(home.passphraseFile, O_RDONLY)
        defer {
            close(output)
            close(input)
        }
        let surroundings = Surroundings(
            environment: EnvironmentVariables(home.environment),
            standardInput: SecretInput(descriptor: input), output: output, errors: output,
            openTerminal: { throw InputError.noTerminal })
        let arguments = ["--no-agent", "secret", "get", "mail.example", "ada"]
        #expect(Program(surroundings).run(arguments) == ExitCode.usage.rawValue)
        #expect(
            Program(surroundings).run(arguments + ["--passphrase-file", "-"])
                == ExitCode.done.rawValue)
        #expect(
            String(decoding: try Files.read(path), as: UTF8.self) == """
                taskvault: error: cannot ask for the passphrase: standard input is not a terminal
                taskvault: hint: run it in a terminal, or give --passphrase-file FILE
                value
                """)
    }

    @Test func emptyVariablesAreNotSet() throws {
        let folders = try VaultFolders(
            home: nil,
            EnvironmentVariables(["TASKVAULT_HOME": "", "HOME": "/h", "XDG_DATA_HOME": ""]))
        #expect(folders.file == "/h/.local/share/taskvault/vault.db")
        #expect(folders.rollbackRecords == "/h/.local/state/taskvault/rollback")
    }

    @Test(arguments: [
        ("plain-1.2/x@y", "plain-1.2/x@y"), ("", "''"), ("a b", "'a b'"), ("$x", "'$x'"),
        ("it's", "'it'\\''s'"), ("'\u{301}", "''\\''\u{301}'"), ("~", "'~'"), ("é", "é"),
    ])
    func textIsQuotedForAShell(text: String, quoted: String) {
        #expect(ShellText.quote(text) == quoted)
    }
}
