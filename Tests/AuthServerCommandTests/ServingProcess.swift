import Foundation
import Testing

/// A server that runs, and its log.
final class ServingProcess {
    /// It ended before it said what was waited for.
    struct Ended: Error {
        let log: String
    }

    let port: UInt16
    private let process: Process
    private let errors = Pipe()
    private(set) var log = ""

    /// Starts a server at a port that the system chooses, and waits until it listens.
    init(_ home: ServerHome, _ arguments: [String] = []) throws {
        process = home.process(
            ["serve", "--listen", "127.0.0.1:0", "--issuer", "https://auth.example.org"] + arguments
        )
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // Two phases: the port is known when the log says it.
        var port: UInt16?
        let handle = errors.fileHandleForReading
        var lines = ""
        while port == nil {
            let data = handle.availableData
            if data.isEmpty {
                process.waitUntilExit()
                throw Ended(log: lines)
            }
            lines += String(decoding: data, as: UTF8.self)
            if let line = lines.split(separator: "\n").first(where: { $0.contains("\"started\"") }),
                lines.hasSuffix("\n")
            {
                port = UInt16(line.split(separator: ":").last?.prefix { $0.isNumber } ?? "")
            }
        }
        self.port = port ?? 0
        log = lines
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Reads the log until a text is in it.
    func waitFor(_ text: String) throws {
        try waitFor(1, of: text)
    }

    /// Reads the log until a text is in it so many times.
    func waitFor(_ count: Int, of text: String) throws {
        while log.ranges(of: text).count < count {
            let data = errors.fileHandleForReading.availableData
            if data.isEmpty { throw Ended(log: log) }
            log += String(decoding: data, as: UTF8.self)
        }
    }

    /// Waits for the end, and reads the rest of the log.
    ///
    /// - Returns: The exit code; the number of the signal, as a negative number, if one ended it.
    func finish() -> Int32 {
        while case let data = errors.fileHandleForReading.availableData, !data.isEmpty {
            log += String(decoding: data, as: UTF8.self)
        }
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }
}
