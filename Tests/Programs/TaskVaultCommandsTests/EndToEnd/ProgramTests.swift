import CommandLine
import Platform
@testable import TaskVaultCommands
import SecretMemory
import Testing
import TestSupport
import TextCoding

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
}
