import Foundation
import HTTPServer
import TestSupport

/// A certificate authority and certificates of it, made in a folder.
struct TestIdentities {
    static let openssl = "/usr/bin/openssl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: openssl) }

    let folder: String

    /// Makes the authority.
    init(in folder: String) throws {
        self.folder = folder
        try run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem", "-days", "2", "-subj",
            "/CN=Test authority",
        ])
    }

    /// A certificate for this machine, with a name to know it by.
    func make(_ name: String) throws -> TLSIdentity {
        try run([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            "\(folder)/\(name).key", "-out", "\(folder)/\(name).csr", "-subj", "/CN=\(name)",
        ])
        try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(
            to: URL(filePath: "\(folder)/\(name).ext"))
        try run([
            "x509", "-req", "-in", "\(folder)/\(name).csr", "-CA", "\(folder)/ca.pem", "-CAkey",
            "\(folder)/ca.key", "-CAcreateserial", "-out", "\(folder)/\(name).pem", "-days", "2",
            "-extfile", "\(folder)/\(name).ext",
        ])
        return TLSIdentity(
            certificate: try bytes("\(name).pem"), key: RequestBody(try bytes("\(name).key")))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        try TestProgram(Self.openssl, arguments).finish()
    }
}

/// A program with text for its standard input, and its output.
final class TestProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Reads until `text` was written, and returns all until then.
    func read(until text: String) -> String {
        var all = ""
        while !all.contains(text) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            all += String(decoding: more, as: UTF8.self)
        }
        return all
    }

    /// Reads the rest.
    func finish() throws -> String {
        try input.fileHandleForWriting.close()
        let all = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: all, as: UTF8.self)
    }
}
