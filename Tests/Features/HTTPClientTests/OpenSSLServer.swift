import Foundation

/// `openssl s_server`, which still speaks obsolete versions of TLS.
struct OpenSSLServer {
    private let process = Process()
    let port: Int

    /// Starts a server with `server.pem` of a folder.
    init(_ folder: String, _ arguments: [String]) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", "\(folder)/server.pem", "-key",
                "\(folder)/server.key", "-www",
            ] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        var number: Int?
        while number == nil {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
            // ACCEPT 127.0.0.1:PORT
            number = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT 127") }
                .flatMap { Int($0.split(separator: ":").last ?? "") }
        }
        guard let number else { throw TestServerError() }
        port = number
    }

    func stop() {
        // Other signals it may not get: it has inherited what the threads of libdispatch block.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
