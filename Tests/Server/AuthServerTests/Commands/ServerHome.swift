import Foundation
import Testing
import TestSupport

/// The result of a run of the executable.
struct RunResult {
    let exitCode: Int32
    let output: String
    let errors: String

    /// The one JSON object of standard output.
    func object() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any])
    }
}

/// A folder with all files of a server and its commands; removed at the end.
final class ServerHome {
    let folder: String
    /// The environment of all commands, without the test runner's, so that no configuration of this machine is read.
    var environment: [String: String]
    /// A program that starts the executable, and its arguments.
    var launcher: [String] = []
    /// The file of the accounts.
    var database: String { folder + "/data/accounts.db" }

    init() throws {
        folder = TemporaryFolder.base + "/taskvault-authd-test-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        environment = [
            "HOME": folder, "TASKVAULT_AUTHD_DATABASE": folder + "/data/accounts.db",
            // For root, whose default file is not below HOME.
            "TASKVAULT_AUTHD_CONFIGURATION": folder + "/authd.conf",
            "SWIFT_BACKTRACE": "enable=no",
        ]
        try write("authd.conf", "")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Writes a file into the folder.
    @discardableResult
    func write(_ name: String, _ content: String, mode: Int = 0o600) throws -> String {
        let path = folder + "/" + name
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// A process of the executable, not yet started.
    func process(_ arguments: [String]) -> Process {
        let process = Process()
        let words = launcher + [BuiltExecutable.path(of: "taskvault-authd")] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        return process
    }

    /// Runs the executable to its end.
    func run(_ arguments: [String], input: String = "") throws -> RunResult {
        let process = process(arguments)
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = FileHandle(forReadingAtPath: try write("input", input))
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // A server that should have refused to start.
        let deadline = DispatchWorkItem { [process] in
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: deadline)
        defer { deadline.cancel() }
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return RunResult(
            exitCode: process.terminationStatus,
            output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }

    /// Runs the executable with words without spaces.
    func run(_ line: String, input: String = "") throws -> RunResult {
        try run(line.split(separator: " ").map(String.init), input: input)
    }
}

/// Expects an exit code, and texts in the output.
func expect(
    _ result: RunResult, ends exitCode: Int32, _ texts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(
        result.exitCode == exitCode, "\(result.errors)", sourceLocation: sourceLocation)
    for text in texts {
        #expect(
            result.errors.contains(text) || result.output.contains(text),
            "\(text) is not in: \(result.errors)\(result.output)", sourceLocation: sourceLocation)
    }
}
