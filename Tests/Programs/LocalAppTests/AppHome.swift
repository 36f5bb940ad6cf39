import Foundation
import Passkeys
import Platform
import TestSupport
import Testing

/// A home with a running `taskvault-app`, and a page that is open in it, as a browser would ask.
final class AppHome {
    static let passphrase = "four words rarely mixed"

    /// An answer.
    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]

        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }
        /// The member `result`.
        var result: Any? { object["result"] }
        /// The member `result`, which is an object.
        var fields: [String: Any] { result as? [String: Any] ?? [:] }
        /// The member `result`, which is an array of objects.
        var rows: [[String: Any]] { result as? [[String: Any]] ?? [] }
        /// The code of the error.
        var code: String? { (object["error"] as? [String: Any])?["code"] as? String }
    }

    let folder: String
    let page: PageOrigin
    /// The requests of the page.
    private(set) var bearer = ""
    private(set) var key: [UInt8] = []
    private let environment: [String: String]
    private let process: Process

    var port: UInt16 { page.port }
    var host: String { page.host }
    var origin: String { page.text }

    /// Makes a home, with a cheap vault unless told otherwise, and opens a page.
    init(withVault: Bool = true, showing shown: String? = nil) throws {
        var template = Array("\(TemporaryFolder.base)/taskvault-test-XXXXXX".utf8CString)
        let isMade = unsafe mkdtemp(&template) != nil
        try #require(isMade)
        folder = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder, "TASKVAULT_HOME": folder + "/home",
            "XDG_STATE_HOME": folder + "/state", "TZ": "UTC",
        ]
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        self.environment = environment
        if withVault {
            let made = try Self.run(
                ["init", "--kdf-memory", "19", "--kdf-passes", "2", "--passphrase-file", "-"],
                environment, input: Self.passphrase + "\n")
            try #require(made == 0)
        }
        process = Process()
        process.executableURL = URL(filePath: BuiltExecutable.path(of: "taskvault"))
        process.arguments =
            ["app", "--foreground", "--print-url"] + (shown.map { ["--item", $0] } ?? [])
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        // Otherwise the processes of other tests would keep it open.
        for end in [output.fileHandleForReading, output.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
        // It closes its end when it can be asked.
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let address = String(decoding: said, as: UTF8.self)
        let match = address.firstMatch(
            of: ##/^http://(\w+)\.taskvault\.localhost:(\d+)/#token=([\w-]+)\n$/##)
        let found = try #require(match).output
        let port = try #require(UInt16(found.2))
        page = try #require(PageOrigin(label: String(found.1), port: port))
        token = String(found.3)
    }

    /// The token of the address.
    let token: String

    deinit {
        let session = try? ask("GET", "state").fields["session"] as? [String: Any]
        if let agent = session?["process_id"] as? Int { kill(pid_t(agent), SIGTERM) }
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Whether the app is running.
    var isRunning: Bool { process.isRunning }

    /// The process of the app.
    var identifier: pid_t { process.processIdentifier }

    /// Opens the page with the token of the address.
    @discardableResult
    func open() throws -> [String: Any] {
        try open(with: "token", token)
    }

    /// Opens the page with a token, or `again` with the key of its reload.
    @discardableResult
    func open(with name: String, _ text: String) throws -> [String: Any] {
        let opened = try ask("POST", "session", #"{"\#(name)":"\#(text)"}"#)
        let fields = opened.fields
        bearer = try #require(fields["bearer"] as? String)
        key = try Self.bytes(fields["key_base64"])
        return fields
    }

    /// The bytes of a member in Base64.
    static func bytes(_ member: Any?) throws -> [UInt8] {
        let text = try #require(member as? String)
        return Array(try #require(Data(base64Encoded: text)))
    }

    /// Opens the page and unlocks the vault.
    func unlock() throws {
        try open()
        let unlocked = try ask(
            "POST", "session/unlock", #"{"passphrase":"\#(Self.passphrase)"}"#)
        try #require(unlocked.fields["state"] as? String == "unlocked", "\(unlocked.object)")
    }

    /// Sends what the page would send.
    func ask(_ method: String, _ path: String, _ content: String? = nil) throws -> Answer {
        try ask(method, path, bytes: content.map { Array($0.utf8) }, "application/json")
    }

    /// Sends what the page would send, with content of any type.
    func ask(
        _ method: String, _ path: String, bytes: [UInt8]?, _ mediaType: String
    ) throws -> Answer {
        var fields = [
            ("Host", host), ("Sec-Fetch-Site", "same-origin"),
        ]
        if !bearer.isEmpty { fields.append(("Authorization", "Bearer \(bearer)")) }
        if method != "GET" { fields.append(("Origin", origin)) }
        if bytes != nil { fields.append(("Content-Type", mediaType)) }
        return try send(method, "/api/" + path, fields, bytes ?? [])
    }

    /// Sends a request as it is.
    func send(
        _ method: String, _ path: String, _ fields: [(String, String)], _ content: [UInt8] = [],
        to address: String = "127.0.0.1"
    ) throws -> Answer {
        let descriptor = try connection(to: address)
        defer { close(descriptor) }
        var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if method != "GET" { head += "Content-Length: \(content.count)\r\n" }
        try write(Array((head + "\r\n").utf8) + content, to: descriptor)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            received += buffer.prefix(count)
        }
        let end = try #require(
            String(decoding: received, as: UTF8.self).range(of: "\r\n\r\n") != nil
                ? received.indices.first { received[$0...].starts(with: Array("\r\n\r\n".utf8)) }
                : nil, "no answer")
        let text = String(decoding: received[..<end], as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Answer(
            status: try #require(status), head: text, body: Array(received[(end + 4)...]))
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Connects to the app.
    private func connection(to address: String) throws -> Int32 {
        let isLong = address.contains(":")
        let descriptor = socket(isLong ? AF_INET6 : AF_INET, platform_stream_socket(), 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var code: Int32 = -1
        if isLong {
            var place = sockaddr_in6()
            place.sin6_family = sa_family_t(AF_INET6)
            place.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, address, &place.sin6_addr)
            code = unsafe withUnsafePointer(to: &place) {
                unsafe connect(
                    descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                    socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        } else {
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, address, &place.sin_addr)
            code = unsafe withUnsafePointer(to: &place) {
                unsafe connect(
                    descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0, "connect: \(errno)")
        return descriptor
    }

    /// Runs a command of `taskvault` in this home.
    @discardableResult
    func command(_ arguments: [String], input: String = "") throws -> Int32 {
        try Self.run(arguments, environment, input: input)
    }

    private static func run(
        _ arguments: [String], _ environment: [String: String], input: String
    ) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: BuiltExecutable.path(of: "taskvault"))
        process.arguments = arguments
        process.environment = environment
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
