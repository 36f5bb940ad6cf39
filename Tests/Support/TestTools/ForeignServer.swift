import Foundation

/// A server of `Tests/OAuth` as a process.
final class ForeignServer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()

    /// Starts it.
    init(_ arguments: [String], password: String) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try write(password)
    }

    /// The next line that it writes.
    func line() throws -> String {
        while !received.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw ProbeFailure(step: "the server ended") }
            received += more
        }
        let line = received.prefix { $0 != 0x0A }
        received = Data(received.dropFirst(line.count + 1))
        return String(decoding: line, as: UTF8.self)
    }

    /// Has it do something.
    func command(_ text: String) throws {
        try write(text)
        _ = try line()
    }

    /// Ends it.
    func stop() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Has it do something, which is answered by a line later.
    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
    }
}

/// A step did not go as it should.
struct ProbeFailure: Error {
    let step: String
}
