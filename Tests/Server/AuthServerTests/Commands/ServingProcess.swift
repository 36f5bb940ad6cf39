import Foundation
import Testing

/// A running server, and its log.
final class ServingProcess {
    /// The server ended, or wrote nothing for a long time, before the expected text.
    struct Silence: Error {
        let awaited: String
        let log: String
    }

    /// The longest wait before a server counts as hung, in milliseconds.
    private static let patience: Int32 = 60_000

    private(set) var port: UInt16 = 0
    private(set) var log = ""
    private let process: Process
    private let errors = Pipe()

    /// Starts a server at a port that the system chooses, and waits until it listens.
    init(
        _ home: ServerHome, _ arguments: [String] = [],
        issuer: String = "https://auth.example.org"
    ) throws {
        process = home.process(
            ["serve", "--listen", "127.0.0.1:0", "--issuer", issuer] + arguments
        )
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        try waitFor(#""event":"started""#)
        // The whole line; others may follow it.
        while log.last != "\n" { try #require(readMore(), "\(log)") }
        let line = log.split(separator: "\n").first { $0.contains(#""event":"started""#) }
        port = UInt16(line?.split(separator: ":").last?.prefix { $0.isNumber } ?? "") ?? 0
        try #require(port > 0, "\(log)")
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The process ID.
    var id: Int32 { process.processIdentifier }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Reads the log until a text has occurred `count` times.
    func waitFor(_ count: Int = 1, of text: String) throws {
        while log.ranges(of: text).count < count {
            guard readMore() else { throw Silence(awaited: text, log: log) }
        }
    }

    /// Reads the log until a text is in it.
    func waitFor(_ text: String) throws {
        try waitFor(of: text)
    }

    /// Waits for the end, and reads the rest of the log.
    ///
    /// - Returns: The exit code; the number of the signal, as a negative number, if one ended it.
    func finish() -> Int32 {
        while readMore() {}
        // A hung server is killed, which its exit code shows.
        if process.isRunning, !isEnded() { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }

    /// Whether the log is closed.
    private func isEnded() -> Bool {
        var request = pollfd(
            fd: errors.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    /// Reads available bytes, or waits for more; false at the end, and after the longest wait.
    private func readMore() -> Bool {
        let handle = errors.fileHandleForReading
        var request = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, Self.patience) == 1 else { return false }
        let data = handle.availableData
        log += String(decoding: data, as: UTF8.self)
        return !data.isEmpty
    }
}
