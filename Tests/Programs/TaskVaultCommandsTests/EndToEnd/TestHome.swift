import CommandLine
import Foundation
import Platform
@testable import TaskVaultCommands
import Testing
import TestSupport

/// How a run of the executable ended, and what it printed.
struct RunResult {
    let exitCode: Int32
    let output: [UInt8]
    let errors: [UInt8]

    var outputText: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
    var outputLines: [String] { outputText.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }

    /// Standard output as one JSON value.
    var json: Any? {
        try? JSONSerialization.jsonObject(with: Data(output), options: .fragmentsAllowed)
    }
    /// Standard output as a JSON object.
    var object: [String: Any] { json as? [String: Any] ?? [:] }
    /// Standard error as one JSON object.
    var failure: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(errors))) as? [String: Any] ?? [:]
    }
}

/// A home of its own for each test: vault, rollback records and passphrase files, far from the person's.
final class TestHome {
    static let passphrase = "four words rarely mixed"
    /// The cheapest derivation that a vault accepts.
    static let cheap = ["--kdf-memory", "19", "--kdf-passes", "2"]

    /// The folder of everything.
    let folder: String
    var environment: [String: String]
    /// The program with the commands.
    var program = Executable.path
    /// Words before the command line, such as those of setpriv(1).
    var launcher: [String] = []
    /// Whether a command that starts an agent was run.
    private(set) var mayHaveAgent = false

    var home: String { folder + "/home" }
    var vault: String { home + "/vault.db" }
    var passphraseFile: String { folder + "/passphrase" }

    /// Makes a home; unless told otherwise with an empty vault, a copy of ``PreparedVault``.
    init(withVault: Bool = true, in base: String = TemporaryFolder.base) throws {
        var template = Array("\(base)/taskvault-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw HarnessFailure("mkdtemp") }
        folder = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder, "TASKVAULT_HOME": folder + "/home",
            "XDG_STATE_HOME": folder + "/state",
        ]
        // Where the Swift runtime is found when it is not beside the compiler.
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        try Files.write(Self.passphrase + "\n", to: passphraseFile)
        if withVault { try PreparedVault.shared.get().copy(to: self) }
    }

    deinit {
        let agent = mayHaveAgent ? agentProcess : nil
        if let agent {
            kill(agent, SIGTERM)
            // One that a test has stopped, or made deaf.
            if !Processes.wait(until: { !Processes.isRunning(agent) }) { kill(agent, SIGKILL) }
        }
        // Last: one that is about to end still writes there.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The process of the vault's agent, if there is one.
    var agentProcess: pid_t? {
        let status = try? runBare(["status", "--json"]).object
        return (status?["process_id"] as? Int).flatMap { pid_t(exactly: $0) }
    }

    /// Notes what is about to be run, so that no agent outlives the home.
    func note(_ arguments: [String], atTerminal: Bool = false) {
        if atTerminal || !Set(arguments).isDisjoint(with: ["unlock", "agent"]) {
            mayHaveAgent = true
        }
    }

    /// Makes a vault by `init`: one of its own, for an environment or a passphrase of its own, or for a test with two different vaults.
    func make() throws {
        let made = try run(["init"] + Self.cheap)
        guard made.exitCode == 0 else { throw HarnessFailure(made.errorText, code: made.exitCode) }
    }

    /// Runs a command with the passphrase from the file.
    @discardableResult
    func run(_ arguments: [String], input: [UInt8] = []) throws -> RunResult {
        try runBare(
            arguments + ["--no-agent", "--passphrase-file", passphraseFile], input: input)
    }

    /// Runs a command, its words parted by blanks, with the passphrase from the file.
    @discardableResult
    func run(_ words: String, input: String = "") throws -> RunResult {
        try run(words.split(separator: " ").map(String.init), input: Array(input.utf8))
    }

    /// Runs a command with these lines as `--passphrase-file -`.
    @discardableResult
    func run(_ words: String, lines: [String]) throws -> RunResult {
        try runBare(
            words.split(separator: " ").map(String.init) + [
                "--no-agent", "--passphrase-file", "-",
            ],
            input: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Runs a command as it is; beneath another program, if `wrapper` has that one's path and arguments.
    @discardableResult
    func runBare(
        _ arguments: [String], input: [UInt8] = [], beneath wrapper: [String] = []
    ) throws -> RunResult {
        note(arguments)
        let number = UInt64.random(in: .min ... .max)
        let paths = ["in", "out", "err"].map { "\(folder)/.\($0)-\(number)" }
        try Files.write(input, to: paths[0])
        let flags = [O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_TRUNC]
        let opened = try zip(paths, flags).map { try Files.open($0, $1) }
        defer {
            opened.forEach { close($0) }
            paths.forEach { unsafe unlink($0) }
        }
        let process = try Executable.start(
            arguments, environment: environment, in: folder,
            .init(input: opened[0], output: opened[1], errors: opened[2]),
            beneath: wrapper + launcher, program: program)
        let exitCode = Executable.wait(for: process)
        // Another program may keep it from starting at all.
        if wrapper.isEmpty { expectDocumented(exitCode, arguments) }
        return RunResult(
            exitCode: exitCode, output: try Files.read(paths[1]), errors: try Files.read(paths[2]))
    }

    /// Expects an exit code that the documents name for the command.
    private func expectDocumented(_ exitCode: Int32, _ arguments: [String]) {
        guard case .run(let invocation) = try? CommandParser(.taskvault).parse(arguments) else {
            return
        }
        let codes = invocation.command.allExitCodes.map(\.rawValue)
        #expect(codes.contains(exitCode), "\(invocation.command.name)")
    }

    /// Saves a secret, and expects that to work.
    func save(_ value: String, _ service: String = "mail.example", _ account: String = "ada") throws
    {
        let saved = try run(["secret", "set", service, account], input: Array(value.utf8))
        #expect(saved.exitCode == 0, "\(saved.errorText)")
    }

    /// Reads a value, and expects that to work.
    func value(_ service: String = "mail.example", _ account: String = "ada") throws -> String {
        let found = try run(["secret", "get", service, account])
        #expect(found.exitCode == 0, "\(found.errorText)")
        return found.outputText
    }

    /// TaskVault's own items, which only a whole export shows: the text of tasks, and the sign-in.
    func ownItems() throws -> [[String: Any]] {
        let exported = try run("secret export --all").object["items"] as? [[String: Any]]
        return try #require(exported).filter {
            ($0["service"] as? String)?.hasPrefix("taskvault.") == true
        }
    }

    /// The recovery code that a command printed, in text or JSON.
    static func recoveryCode(in text: String) throws -> String {
        let match = text.firstMatch(of: /[A-Z2-7]{4}(-[A-Z2-7]{4}){13}/)
        return String(try #require(match).output.0)
    }
}

/// Expects an exit code and the lines of standard error.
func expect(
    _ result: RunResult, ends code: Int32, _ lines: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.exitCode == code, sourceLocation: sourceLocation)
    #expect(result.errorLines == lines.map { "taskvault: \($0)" }, sourceLocation: sourceLocation)
}
