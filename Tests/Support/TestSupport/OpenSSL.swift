internal import Foundation

/// The program openssl.
package enum OpenSSL {
    /// A failed run.
    package struct Failure: Error {
        /// The output.
        package let text: String
    }

    /// Whether the program is installed.
    package static let isAvailable = (try? run(["version"])) != nil

    /// Runs the program to its end.
    ///
    /// - Returns: The output.
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

    /// Arguments that create an elliptic-curve key, which is fast, and a certificate or request for it.
    package static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
}
