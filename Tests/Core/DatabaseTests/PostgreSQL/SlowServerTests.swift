#if os(Linux)
    import Foundation
    @testable import Database
    import Synchronization
    import TestSupport
    import Testing

    @Suite(
        "A server that does not answer",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct SlowServerTests {
        /// Runs `body` with an open connection that soon gives up. To connect, a busy machine may need longer.
        private func withImpatientConnection(
            _ body: (PostgreSQLConnection) throws -> Void
        ) throws {
            try withConnection { connection in
                connection.options.timeout = .seconds(1)
                try body(connection)
            }
        }

        @Test("is given up in the middle of a connection")
        func stoppedProcess() throws {
            try withImpatientConnection { connection in
                let process = connection.serverProcess
                kill(process, SIGSTOP)
                defer { kill(process, SIGCONT) }
                expectFailure(.timedOut) { try connection.run(script: "SELECT 1") }
                #expect(!connection.isOpen)
                expectFailure(.closed) { try connection.run(script: "SELECT 1") }
            }
        }

        @Test("is given up when it takes nothing more")
        func stoppedReading() throws {
            try withImpatientConnection { connection in
                let process = connection.serverProcess
                kill(process, SIGSTOP)
                defer { kill(process, SIGCONT) }
                let bytes = [UInt8](repeating: 1, count: 32_000_000)
                expectFailure(.timedOut) {
                    _ = try connection.rows(once: "SELECT $1", [.bytes(bytes)])
                }
            }
        }

        @Test("is given up before there is a connection")
        func stoppedServer() throws {
            let server = try PostgreSQLServer()
            let process = server.process
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            expectFailure(.timedOut) {
                _ = try PostgreSQLConnection(
                    to: PostgreSQLAddress(server.address()),
                    options: PostgreSQLOptions(timeout: .seconds(1)))
            }
        }

        @Test("prints nothing, whatever it has to say", .endsProcess)
        func notices() async throws {
            let server = try PostgreSQLServer()
            let address = server.address()
            let missing = server.address(of: "missing")
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                [address = address as String, missing = missing as String] in
                let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
                try connection.run(
                    script: """
                        SET client_min_messages = debug5;
                        DO $$ BEGIN RAISE NOTICE 'swordfish'; RAISE WARNING 'swordfish'; END $$;
                        """)
                _ = try? PostgreSQLConnection(to: PostgreSQLAddress(missing))
            }
            let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(!printed.contains("swordfish") && !printed.contains("NOTICE"))
        }
    }

    @Suite(
        "The tests' own server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct OwnServerTests {
        @Test("is gone with the process that started it, and its folder, too", .endsProcess)
        func killed() async throws {
            try await withTemporaryFolder { folder in
                await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
                    let server = try PostgreSQLServer()
                    try Data("\(server.process) \(server.folder)".utf8)
                        .write(to: URL(filePath: folder + "/server"))
                    kill(server.process, SIGSTOP)
                    kill(getpid(), SIGKILL)
                }
                let parts = try String(contentsOfFile: folder + "/server", encoding: .utf8)
                    .split(separator: " ")
                let process = try #require(parts.first.flatMap { Int32($0) })
                let server = String(try #require(parts.last))
                #expect(until { kill(process, 0) != 0 })
                #expect(until { !FileManager.default.fileExists(atPath: server) })
            }
        }

        @Test("is started again after a crash, with what was committed")
        func restarted() throws {
            let server = try PostgreSQLServer()
            let connection = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            try connection.run(script: "CREATE TABLE public.kept AS SELECT 7::bigint AS number")
            kill(server.process, SIGKILL)
            try server.restart()
            let later = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            let number = try later.number("SELECT number FROM public.kept")
            #expect(number == 7)
        }
    }
#endif
