import Foundation

/// Certificates that sign themselves, by the program openssl.
struct Certificates {
    /// openssl did not do what it was asked.
    struct Failure: Error {
        let text: String
    }

    /// Whether there is openssl.
    static let canBeMade = (try? run(["version"])) != nil

    let certificate: String
    let key: String

    init(_ home: ServerHome) throws {
        certificate = home.folder + "/certificate.pem"
        key = home.folder + "/key.pem"
    }

    /// Makes a certificate for a name, and a key unless the one that is there is kept, which does not belong to it then.
    func make(_ name: String, keepingKey: Bool = false, keyMode: Int = 0o600) throws {
        let fresh = keepingKey ? key + ".unused" : key
        try Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", fresh, "-out", certificate, "-days", "2", "-subj", "/CN=\(name)",
        ])
        try FileManager.default.setAttributes([.posixPermissions: keyMode], ofItemAtPath: fresh)
    }

    /// The name in the certificate that a server shows.
    func subject(port: UInt16) throws -> String {
        let shown = try Self.run(["s_client", "-connect", "127.0.0.1:\(port)"])
        return shown.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init)
            ?? ""
    }

    @discardableResult
    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: text) }
        return text
    }
}
