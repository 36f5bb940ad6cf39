import Foundation
import Testing
import TestSupport

/// The executable `taskvault-authd`, behind a relay whose address is the issuer's.
final class AuthServer {
    /// The cheapest passwords that it takes, and no limit on the attempts of this machine.
    private static let cheap = [
        "PASSWORD_PASSES": "2", "PASSWORD_MEMORY": "19", "GUESS_NETWORK_ATTEMPTS": "0",
        "REGISTRATION": "open",
    ]

    let relay: Relay
    /// Its address as clients know it.
    let issuer: String
    let folder: String
    private let identity: CertificateAuthority.Identity?
    /// Further options of `serve`, from the next start on.
    var options: [String]
    private var process: Process?
    private var port: UInt16?
    private var starts = 0

    /// Starts one.
    ///
    /// - Parameters:
    ///   - folder: For its database and its logs.
    ///   - identity: What it shows; without it speaks plain HTTP.
    ///   - options: Further options of `serve`.
    /// - Throws: What the system refused, or why the server did not start.
    init(
        in folder: String, _ identity: CertificateAuthority.Identity? = nil,
        options: [String] = []
    ) throws {
        relay = try Relay()
        issuer = (identity == nil ? "http" : "https") + "://localhost:\(relay.port)"
        self.folder = folder
        self.identity = identity
        self.options = options
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Files.write("", to: folder + "/empty.conf")
        try start()
    }

    deinit {
        stop()
        relay.stop()
    }

    /// The variables by which its executable finds the same accounts.
    var environment: [String: String] {
        [
            "TASKVAULT_AUTHD_DATABASE": folder + "/accounts.db",
            "TASKVAULT_AUTHD_CONFIGURATION": folder + "/empty.conf",
        ].merging(Self.cheap.map { ("TASKVAULT_AUTHD_" + $0.key, $0.value) }) { $1 }
    }

    /// Its process.
    var id: pid_t { process?.processIdentifier ?? 0 }

    /// All that it said, in all its lives.
    var log: String {
        (1...starts).map { number in
            let bytes = try? Files.read("\(folder)/log-\(number)")
            return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }.joined()
    }

    /// Starts it, with other options perhaps.
    func start(_ identity: CertificateAuthority.Identity? = nil, issuer: String? = nil) throws {
        starts += 1
        let log = "\(folder)/log-\(starts)"
        try Files.write("", to: log)
        let shown = identity ?? self.identity
        let certificate = shown.map {
            ["--tls-certificate", $0.certificate, "--tls-key", $0.key]
        }
        let process = child(
            ["serve", "--listen", "127.0.0.1:0", "--issuer", issuer ?? self.issuer]
                + (certificate ?? []) + options)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        self.process = process
        var port: UInt16?
        let isThere = Processes.wait {
            let said = (try? Files.read(log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            // A whole line.
            let started = said.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.contains(#""event":"started""#) }
            port = started?.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) }
            return port != nil || !process.isRunning
        }
        try #require(isThere && port != nil, "\(self.log)")
        self.port = port
        relay.connect(to: port)
    }

    /// Lets clients reach it again.
    func reconnect() {
        relay.connect(to: port)
    }

    /// Ends it at once.
    func stop() {
        relay.connect(to: nil)
        guard let process, process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Runs a command of the server's operator, and expects success.
    @discardableResult
    func run(_ line: String, input: String = "") throws -> [String: Any] {
        let process = child(line.split(separator: " ").map(String.init) + ["--json"])
        let output = Pipe()
        let file = "\(folder)/input-\(UInt64.random(in: .min ... .max))"
        try Files.write(input, to: file)
        defer { unsafe unlink(file) }
        process.standardInput = FileHandle(forReadingAtPath: file)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(line)")
        if printed.isEmpty { return [:] }
        return try #require(try JSONSerialization.jsonObject(with: printed) as? [String: Any])
    }

    /// How many sessions an account has.
    func sessions(of account: String = AccountHome.account) throws -> Int {
        let sessions = try run("account show \(account)")["sessions"] as? [Any]
        return try #require(sessions).count
    }

    private func child(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuiltExecutable.path(of: "taskvault-authd"))
        process.arguments = arguments
        var environment = self.environment
        environment["HOME"] = folder
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        return process
    }
}
