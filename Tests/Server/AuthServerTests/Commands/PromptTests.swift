@testable import AuthServer
import CommandLine
import Foundation
import Platform
import SecretMemory
import Testing
import TestSupport
import TextCoding

/// Prompts, in this process.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct PromptTests {
    /// Runs a command whose standard input is a terminal.
    private func run(
        _ home: ServerHome, _ terminal: PseudoTerminal, _ line: String,
        person: @escaping @Sendable (PseudoTerminal) -> Void
    ) -> Int32 {
        let nothing = unsafe open("/dev/null", O_WRONLY)
        defer { close(nothing) }
        let surroundings = Surroundings(
            environment: EnvironmentVariables(home.environment),
            standardInput: SecretInput(descriptor: terminal.device), output: nothing,
            errors: nothing,
            openTerminal: {
                try TerminalPrompt(descriptor: terminal.device)
            })
        return terminal.whilePerson(person) {
            ServerProgram(surroundings).run(line.split(separator: " ").map(String.init))
        }
    }

    @Test func removingAsksForConfirmation() throws {
        let home = try ServerHome()
        _ = try home.run("account invite ada@example.org")
        let question =
            "Remove ada@example.org and all its data? This cannot be undone [y/N]: "
        for (answer, code) in [("\n", 8), ("no\n", 8), ("y\n", 0)] {
            let ended = run(home, try PseudoTerminal(), "account remove ada@example.org") {
                $0.waitFor(question)
                $0.type(answer)
            }
            #expect(ended == Int32(code), "\(answer)")
        }
        #expect(try home.run("account list").output == "")
    }

    @Test func aPasswordIsAskedForUntilBothTextsAreEqual() throws {
        let home = try ServerHome()
        home.environment["TASKVAULT_AUTHD_PASSWORD_MEMORY"] = "19"
        home.environment["TASKVAULT_AUTHD_PASSWORD_PASSES"] = "2"
        let server = try ServingProcess(home, ["--registration", "open"])
        let made = Connection.request(
            "POST /account", port: server.port, fields: ["Content-Type: application/json"],
            body: #"{"email":"ada@example.org","password":"first password"}"#)
        #expect(made.hasPrefix("HTTP/1.1 201"), "\(made)")
        let terminal = try PseudoTerminal()
        let code = run(home, terminal, "account reset-password ada@example.org") { person in
            person.waitFor("New password: ")
            person.type("short\n")
            for second in ["other password", "second password"] {
                person.waitFor("New password: ")
                person.type("second password\n")
                person.waitFor("Repeat the password: ")
                person.type(second + "\n")
            }
        }
        #expect(code == 0)
        let screen = terminal.wholeScreen()
        #expect(screen.contains("error: the password has fewer than 8 characters"))
        #expect(screen.contains("error: the two passwords differ"))
        #expect(!screen.contains("second"))
        let answer = Connection.form(
            "/oauth/token",
            "grant_type=password&client_id=taskvault&username=ada%40example.org&password=second+password",
            port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }

    @Test func anUnknownNameIsReportedBeforeThePrompt() throws {
        let home = try ServerHome()
        _ = try home.run("account invite ada@example.org")
        let terminal = try PseudoTerminal()
        #expect(run(home, terminal, "account reset-password ada@example.org") { _ in } == 5)
        #expect(terminal.wholeScreen() == "<end>")
    }
}
