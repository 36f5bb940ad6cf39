internal import Foundation

/// The program openssl.
package enum OpenSSL {
    /// It did not do what it was asked.
    package struct Failure: Error {
        /// What it printed.
        package let text: String
    }

    /// Whether there is one.
    package static let isAvailable = (try? run(["version"])) != nil

    /// Runs it to its end.
    ///
    /// - Returns: What it printed.
    @discardableResult
    package static func run(_ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = Array(try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: String(decoding: printed, as: UTF8.self))
        }
        return printed
    }

    /// Makes a key of a curve that is quickly made, and something for it.
    package static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
}
