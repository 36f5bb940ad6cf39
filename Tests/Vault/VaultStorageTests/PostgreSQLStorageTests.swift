#if os(Linux)
    import Foundation
    import Database
    import Synchronization
    import TestSupport
    import Testing
    import VaultStorage

    @Suite(
        "A vault's storage on a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct PostgreSQLStorageTests {
        private static let lost = DatabaseError.unreachable(reason: "the connection was lost")

        @Test("says why an address is of no use, and never what is in it")
        func addresses() {
            for (address, reason) in [
                ("vault.db", "the address must have the form postgresql://user@host/database"),
                (
                    "postgresql://ada:swordfish@localhost/tasks",
                    "a password in the address would be visible to other users; put it in ~/.pgpass"
                ),
                (
                    "postgresql://ada@db.example/tasks?sslmode=require",
                    "a server that is not on a Unix socket requires sslmode=verify-full"
                ),
                (
                    "postgresql://localhost/tasks?options=x",
                    "the address may not set options"
                ),
                ("postgresql://%2Fnonexistent/tasks", "cannot connect to the server"),
            ] {
                for error in [
                    storageError { _ = try VaultDatabase.createServer(at: address) },
                    storageError {
                        _ = try VaultDatabase.openServer(at: address, mode: .readOnly)
                    },
                ] {
                    #expect(error == .unreachable(reason: reason))
                }
            }
        }

        @Test("says that the password is wrong, or missing")
        func passwords() throws {
            let server = try PostgreSQLServer()
            let administrator = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            try administrator.run(
                script: "CREATE ROLE needs_password SUPERUSER LOGIN PASSWORD 'swordfish'")
            try withTemporaryFolder { folder in
                func error(_ password: String?) throws -> DatabaseError? {
                    let file = folder + "/passwords"
                    let line = password.map { "*:*:*:needs_password:\($0)\n" } ?? ""
                    try TestFile.write(Array(line.utf8), to: file)
                    let address = server.address(user: "needs_password", "passfile=" + file)
                    return storageError {
                        try VaultDatabase.createServer(at: address).close()
                    }
                }
                let missing = try error(nil)
                #expect(
                    missing
                        == .unreachable(
                            reason: "the server requires a password, and .pgpass has none for it"))
                let wrong = try error("wrong")
                #expect(wrong == .unreachable(reason: "the password is wrong"))
                let right = try error("swordfish")
                #expect(right == nil)
            }
        }

        @Test("shows a reader one state while another client writes")
        func snapshot() async throws {
            try await StorageKind.postgresql.withTwo { first, second in
                try first.write { try $0.insertState([1]) }
                try first.read { reader in
                    #expect(try reader.state() == [1])
                    try second.write { writer in
                        _ = try writer.replaceState([1], with: [2])
                        try writer.insertItem(.sample(1))
                    }
                    #expect(try reader.state() == [1])
                    #expect(try reader.item(tag: ItemRecord.sample(1).tag) == nil)
                }
                let both = try first.stateAndItem(tag: ItemRecord.sample(1).tag)
                #expect(both.state == [2] && both.item == .sample(1))
            }
        }

        @Test("lets one client write at a time, and the others read")
        func exclusion() throws {
            try withPostgreSQLDatabase { address in
                let first = try VaultDatabase.createServer(at: address)
                let second = try VaultDatabase.createServer(
                    at: address, lockTimeout: .milliseconds(50))
                defer {
                    first.close()
                    second.close()
                }
                try first.write { writer in
                    try writer.insertState([1])
                    let error = storageError { try second.write { _ in } }
                    #expect(error == .busy)
                    let state = try second.read { try $0.state() }
                    #expect(state == nil)
                }
                let state = try second.write { try $0.state() }
                #expect(state == [1])
            }
        }

        @Test("finds rows of all sizes, page by page")
        func pages() throws {
            try StorageKind.postgresql.withStorage { storage in
                var items: [ItemRecord] = []
                for number in 0..<1_500 {
                    var item = ItemRecord.sample(UInt8(number % 3))
                    item.tag = [UInt8(number % 3), UInt8(number >> 8), UInt8(number & 0xff)]
                    item.value = [UInt8](repeating: 7, count: number % 100 == 0 ? 300_000 : number)
                    items.append(item)
                }
                try storage.put(items)
                items.sort { $0.tag.lexicographicallyPrecedes($1.tag) }
                let all = try storage.items()
                #expect(all == items)
                let bucket = try storage.items(inBucket: 1)
                #expect(bucket == items.filter { $0.tag[0] == 1 })
            }
        }

        @Test("refuses rows that a server repeats or mixes up")
        func repeating() throws {
            try withPostgreSQLDatabase { address in
                let storage = try VaultDatabase.createServer(at: address)
                defer { storage.close() }
                try storage.put([.sample(1), .sample(2)])
                let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
                try connection.run(
                    script: """
                        ALTER TABLE taskvault_vault.items DROP CONSTRAINT items_pkey;
                        INSERT INTO taskvault_vault.items SELECT * FROM taskvault_vault.items;
                        """)
                let all = storageError { _ = try storage.items() }
                #expect(all == .damaged(reason: "rows are not in the order of their keys"))
                let tag = ItemRecord.sample(1).tag
                let one = storageError { _ = try storage.stateAndItem(tag: tag) }
                #expect(
                    one == .damaged(reason: "a key has two rows"))
            }
        }

        @Test("goes on after its connection was ended between two calls")
        func reconnects() throws {
            let server = try PostgreSQLServer()
            let storage = try VaultDatabase.createServer(at: server.address())
            defer { storage.close() }
            try storage.write { try $0.insertState([1]) }
            let tag: [UInt8] = [1]
            try server.restart()
            let state = try storage.read { try $0.state() }
            #expect(state == [1])
            try server.restart()
            let both = try storage.stateAndItem(tag: tag)
            #expect(both.state == [1])
            try server.restart()
            let isReplaced = try storage.write { try $0.replaceState([1], with: [2]) }
            #expect(isReplaced)
        }

        @Test(
            "changes nothing when the server dies in the middle of a transaction",
            arguments: [true, false])
        func killed(isWhole: Bool) throws {
            let server = try PostgreSQLServer()
            let storage = try VaultDatabase.createServer(at: server.address())
            defer { storage.close() }
            try storage.write { writer in
                try writer.insertState([1])
                try writer.insertItem(.sample(1))
            }
            let before = try storage.everything()
            let other = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            let process = try other.clientProcess()
            let error = storageError {
                try storage.write { writer in
                    try writer.replaceItem(.sample(1, value: [9]))
                    #expect(try writer.replaceState([1], with: [2]))
                    kill(isWhole ? server.process : process, SIGKILL)
                    // The rest of a dead server notices a little later.
                    while true {
                        try writer.putBucket(1, bytes: [1])
                        usleep(1_000)
                    }
                }
            }
            #expect(error == Self.lost)
            if isWhole {
                // Nobody to ask.
                let down = storageError { _ = try storage.items() }
                #expect(down == .unreachable(reason: "cannot connect to the server"))
                try server.restart()
            }
            // A server that lost a process starts anew by itself, and is not there for a moment.
            let deadline = ContinuousClock.now + .seconds(60)
            while storageError({ _ = try storage.items() }) != nil, ContinuousClock.now < deadline {
                usleep(10_000)
            }
            let after = try storage.everything()
            #expect(after == before)
            let isReplaced = try storage.write { try $0.replaceState([1], with: [3]) }
            #expect(isReplaced)
        }

        @Test("does not wait without end for a server that stands still")
        func stopped() throws {
            let server = try PostgreSQLServer()
            let storage = try VaultDatabase.createServer(
                at: server.address(), timeout: .seconds(10))
            defer { storage.close() }
            try storage.write { try $0.insertState([1]) }
            let other = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            let process = try other.clientProcess()
            let late = DatabaseError.unreachable(reason: "the server did not respond in time")
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let reading = storageError { _ = try storage.items() }
            #expect(reading == late)
            // A new connection has a process of its own.
            let state = try storage.read { try $0.state() }
            #expect(state == [1])
            let main = server.process
            kill(main, SIGSTOP)
            defer { kill(main, SIGCONT) }
            let opening = storageError {
                _ = try VaultDatabase.openServer(
                    at: server.address(), mode: .readOnly, timeout: .seconds(10))
            }
            #expect(opening == late)
        }
    }

    extension PostgreSQLConnection {
        /// The server's process for the other client that it has.
        fileprivate func clientProcess() throws -> Int32 {
            let rows = try rows(
                once: """
                    SELECT pid::bigint FROM pg_stat_activity
                    WHERE application_name = 'taskvault' AND pid <> pg_backend_pid()
                    """)
            try #require(rows.count == 1)
            return Int32(try rows[0].integer(0))
        }
    }
#endif
