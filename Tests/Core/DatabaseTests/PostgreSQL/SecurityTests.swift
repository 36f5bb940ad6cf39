#if os(Linux)
    import Foundation
    @testable import Database
    import TestSupport
    import Testing

    /// A server with a certificate for 127.0.0.1 of an authority of its own, and a password.
    final class SecureServer {
        let server: PostgreSQLServer
        let port: Int
        var authority: String { server.folder + "/authority.crt" }

        init(
            settings: [String] = ["ssl=on"], names: String = "IP:127.0.0.1",
            access: [String] = ["host all all 127.0.0.1/32 scram-sha-256"]
        ) throws {
            port = try Self.freePort()
            server = try PostgreSQLServer(
                port: port,
                settings: settings + [
                    "ssl_cert_file=../server.crt", "ssl_key_file=../server.key",
                ],
                access: access,
                prepare: {
                    try Self.makeCertificates(in: $0, names)
                    try TestFile.write(
                        Array("*:*:*:vault:swordfish\n".utf8), to: $0 + "/passwords")
                })
            try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
                .run(script: "ALTER ROLE vault PASSWORD 'swordfish'")
        }

        func address(host: String = "127.0.0.1", _ parameters: String = "") -> String {
            "postgresql://vault@\(host):\(port)/postgres?passfile=\(server.folder)/passwords&\(parameters)"
        }

        static func makeCertificates(in folder: String, _ names: String) throws {
            let script = """
                cd "$1" &&
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
                    -keyout authority.key -out authority.crt &&
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server \
                    -keyout server.key -out server.csr &&
                echo "subjectAltName=$2" > names &&
                openssl x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 \
                    -extfile names -out server.crt &&
                chmod 600 server.key
                """
            try SystemTool.run("/bin/sh", "-c", script, "sh", folder, names)
        }

        /// A port that nobody uses at the moment, and that the system gives to no client: theirs begin at 32,768.
        private static func freePort() throws -> Int {
            let port = (0..<100).lazy.map { _ in UInt16.random(in: 20_000..<32_000) }
                .first(where: isFree)
            return Int(try #require(port))
        }

        private static func isFree(_ port: UInt16) -> Bool {
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return unsafe withUnsafeMutablePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    @Suite(
        "A connection by TCP",
        .enabled(
            if: PostgreSQLServer.isWanted
                && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"),
            "needs openssl and Debian's package postgresql"))
    struct SecurityTests {
        private func failure(_ address: String) -> DatabaseError? {
            DatabaseTests.failure {
                _ = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            }
        }

        @Test("is encrypted, with a trusted certificate for its name and a password on both sides")
        func verified() throws {
            let secure = try SecureServer()
            let address = secure.address("sslrootcert=" + secure.authority)
            #expect(try !PostgreSQLAddress(address).isLocal)
            let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            let encrypted = try connection.number(
                "SELECT count(*) FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()")
            #expect(encrypted == 1)
        }

        @Test(
            "is refused where nothing says that the certificate can be trusted, or it is another's")
        func untrusted() throws {
            let secure = try SecureServer()
            let other = try SecureServer(names: "DNS:other.example")
            #expect(
                failure(secure.address("sslrootcert=/nonexistent/authority")) == .notSecure)
            #expect(
                failure(secure.address("sslrootcert=" + other.authority)) == .notSecure)
            #expect(failure(other.address("sslrootcert=" + other.authority)) == .notSecure)
        }

        @Test("is refused where the server does not prove that it knows the password")
        func unproven() throws {
            let secure = try SecureServer(access: ["host all all 127.0.0.1/32 trust"])
            #expect(
                failure(secure.address("sslrootcert=" + secure.authority)) == .notAuthenticated)
        }

        @Test("asks libpq for SCRAM alone where that can refuse the other methods")
        func methods() {
            func parameters(_ isLocal: Bool, _ known: [String]) -> [String] {
                PostgreSQLAddress.authentication(isLocal: isLocal, known).map { $0.0 + "=" + $0.1 }
            }
            #expect(parameters(false, []) == ["channel_binding=require"])
            #expect(
                parameters(false, ["require_auth"])
                    == ["channel_binding=require", "require_auth=scram-sha-256"])
            #expect(
                parameters(true, ["require_auth"]) == ["channel_binding=prefer", "require_auth="])
        }

        @Test("is refused where the server has no TLS")
        func unencrypted() throws {
            let secure = try SecureServer(settings: ["ssl=off"])
            #expect(
                failure(secure.address("sslrootcert=" + secure.authority)) == .notSecure)
            #expect(failure(secure.address(host: "localhost")) == .notSecure)
        }

        @Test("is not made less safe, or elsewhere, by the environment", .endsProcess)
        func environment() async throws {
            let secure = try SecureServer(settings: ["ssl=off"])
            let remote = secure.address()
            let local = secure.server.address()
            let port = "\(secure.port)"
            await #expect(processExitsWith: .success) {
                [remote = remote as String, local = local as String, port = port as String] in
                for (name, value) in [
                    "PGSSLMODE": "disable", "PGHOSTADDR": "192.0.2.1", "PGHOST": "192.0.2.1",
                    "PGPASSWORD": "swordfish", "PGOPTIONS": "-c search_path=elsewhere",
                    "PGDATABASE": "elsewhere", "PGPORT": "1", "PGGSSENCMODE": "require",
                    "PGCLIENTENCODING": "LATIN1", "PGREQUIREPEER": "nobody-at-all",
                    "PGSSLROOTCERT": "/nonexistent/authority", "PGTARGETSESSIONATTRS": "standby",
                ] {
                    unsafe setenv(name, value, 1)
                }
                let options = PostgreSQLOptions(timeout: .seconds(120))
                #expect(throws: DatabaseError.notSecure) {
                    _ = try PostgreSQLConnection(to: PostgreSQLAddress(remote), options: options)
                }
                let connection = try PostgreSQLConnection(
                    to: PostgreSQLAddress(local), options: options)
                let found = try connection.rows(
                    """
                    SELECT current_setting('port') || current_setting('client_encoding')
                        || current_setting('search_path') || current_database()
                    """)
                #expect(try found.first?.text(0) == "\(port)UTF8pg_catalog, pg_temppostgres")
            }
        }

        @Test("does not use a password of the environment", .endsProcess)
        func environmentPassword() async throws {
            let server = try PostgreSQLServer()
            let connection = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            try connection.run(
                script: "CREATE ROLE needs_password LOGIN PASSWORD 'swordfish'")
            let address = server.address(
                user: "needs_password", "passfile=/nonexistent/file")
            await #expect(processExitsWith: .success) { [address = address as String] in
                unsafe setenv("PGPASSWORD", "swordfish", 1)
                #expect(throws: DatabaseError.passwordMissing) {
                    _ = try PostgreSQLConnection(to: PostgreSQLAddress(address))
                }
            }
        }
    }
#endif
