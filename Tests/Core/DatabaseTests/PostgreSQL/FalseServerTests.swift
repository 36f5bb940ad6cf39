#if os(Linux)
    import Foundation
    @testable import Database
    import TestSupport
    import Testing

    /// A program in the place of a server: it asks for the password, and keeps what it gets.
    private struct FalseServer {
        private let process = Process()
        private let output = Pipe()
        let port: String

        /// Listens on a Unix socket in `folder`, or by TCP, with the certificate there or without TLS.
        init(_ kind: String, _ request: String, in folder: String) throws {
            process.executableURL = URL(filePath: "/usr/bin/python3")
            process.arguments = ["-c", Self.program, kind, request, folder]
            process.standardOutput = output
            try process.run()
            port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// The messages of one client, in hexadecimal digits: before it was asked for the password, and after.
        func received() throws -> [Substring] {
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return String(decoding: text, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)
        }

        private static let program = """
            import socket, ssl, struct, sys
            kind, request, folder = sys.argv[1:]
            listener = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
            listener.bind(folder + "/.s.PGSQL.5432" if kind == "unix" else ("127.0.0.1", 0))
            listener.listen()
            print("5432\\n" if kind == "unix" else f"{listener.getsockname()[1]}\\n", end="", flush=True)
            client = listener.accept()[0]
            client.settimeout(120)
            asked = {"cleartext": struct.pack("!I", 3), "md5": struct.pack("!I", 5) + b"salt",
                "scram": struct.pack("!I", 10) + b"SCRAM-SHA-256\\0\\0"}[request]
            before = after = b""
            while True:
                part = client.recv(4)
                if len(part) < 4: break
                message = client.recv(struct.unpack("!I", part)[0] - 4)
                before += message
                if message == struct.pack("!I", 80877103) and kind == "tls":
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(folder + "/server.crt", folder + "/server.key")
                    client.send(b"S")
                    client = context.wrap_socket(client, server_side=True)
                elif len(message) == 4: client.send(b"N")
                else:
                    client.send(b"R" + struct.pack("!I", len(asked) + 4) + asked)
                    try: after = client.recv(9999)
                    except OSError: pass
                    break
            print(before.hex(), after.hex(), sep="\\n", end="")
            """
    }

    @Suite(
        "A program in the place of a server",
        .enabled(
            if: PostgreSQLServer.isWanted
                && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
                && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
            "needs openssl, python3 and Debian's package postgresql"))
    struct FalseServerTests {
        @Test(
            "gets neither the password nor a part of it",
            arguments: ["unix", "tcp", "tls"], ["cleartext", "md5", "scram"])
        func password(kind: String, request: String) throws {
            try withTemporaryFolder { folder in
                try SecureServer.makeCertificates(in: folder, "IP:127.0.0.1")
                try TestFile.write(
                    Array("*:*:*:vault:swordfish\n".utf8), to: folder + "/passwords")
                let server = try FalseServer(kind, request, in: folder)
                let host = kind == "unix" ? folder : "127.0.0.1"
                let error = failure {
                    _ = try PostgreSQLConnection(
                        to: PostgreSQLAddress(
                            """
                            postgresql://vault@/tasks?host=\(host)&port=\(server.port)\
                            &passfile=\(folder)/passwords&sslrootcert=\(folder)/authority.crt
                            """))
                }
                let received = try server.received()
                switch kind {
                case "unix":
                    #expect(error == .otherUser)
                    #expect(received == ["", ""])
                case "tcp":
                    #expect(error == .notSecure)
                    #expect(received == ["04d2162f", ""])
                default:
                    #expect(error == .notAuthenticated)
                    // It was asked, within TLS, and gave no answer.
                    #expect(received.first?.contains("7661756c74") == true)
                    #expect(received.dropFirst() == [""])
                }
            }
        }
    }
#endif
