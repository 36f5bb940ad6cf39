import Foundation

/// A program that runs to its end.
enum TestProgram {
    /// The output and the status.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (output: Data, status: Int32) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let all = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (all, process.terminationStatus)
    }
}
