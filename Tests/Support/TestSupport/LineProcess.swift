internal import Foundation

/// A process that is spoken to in lines, and ended with this object or with the tests.
package final class LineProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var hasEnded = false

    /// Starts a program.
    package init(_ program: String, _ arguments: [String], _ environment: [String: String] = [:])
        throws
    {
        // Otherwise the processes of tests that run at the same time would keep each other's input open.
        for end in [
            input.fileHandleForReading, input.fileHandleForWriting,
            output.fileHandleForReading, output.fileHandleForWriting,
        ] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit {
        end()
    }

    /// The process.
    package var identifier: Int32 { process.processIdentifier }

    /// Writes a line.
    package func write(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The next line; nil at the end.
    package func readLine() throws -> String? {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// A line, or the end of its input, ends the process.
    package func end() {
        if hasEnded { return }
        hasEnded = true
        try? write("end")
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
