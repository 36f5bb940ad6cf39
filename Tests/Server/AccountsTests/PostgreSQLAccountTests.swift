#if os(Linux)
    import Accounts
    import Database
    import TestSupport
    import Testing

    @Suite(
        "The tables of accounts on a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct PostgreSQLAccountTests {
        /// Runs `body` with a database of two accounts, and a connection to it.
        private func withAccounts(
            _ body: (PostgreSQLAddress, AccountRepository, PostgreSQLConnection) throws -> Void
        ) throws {
            try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let repository = try AccountRepository.openOrCreate(.server(address))
                defer { repository.close() }
                try repository.fill(2)
                let server = try PostgreSQLConnection(to: address)
                defer { server.close() }
                try server.run(script: "SET search_path = taskvault_accounts")
                try body(address, repository, server)
            }
        }

        private func openError(_ address: PostgreSQLAddress) -> DatabaseError? {
            databaseError { try AccountRepository.openOrCreate(.server(address)).close() }
        }

        @Test("are those of the document")
        func document() throws {
            let script =
                ["CREATE SCHEMA taskvault_accounts", "SET search_path = taskvault_accounts"]
                + Checkout.postgreSQLStatements(under: "### accounts.db")
                + ["INSERT INTO version VALUES (11)"]
            let documented = try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let server = try PostgreSQLConnection(to: address)
                defer { server.close() }
                try server.run(script: script.joined(separator: ";\n"))
                let repository = try AccountRepository.open(.server(address))
                defer { repository.close() }
                try repository.fill(2)
                #expect(try repository.hasToken())
                return try server.tables(in: "taskvault_accounts")
            }
            try withAccounts { _, _, server in
                let made = try server.tables(in: "taskvault_accounts")
                #expect(made == documented)
                #expect(documented.count > 50)
            }
        }

        @Test("are not made by a program that expects them")
        func missing() throws {
            try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                for options in [AccountRepository.standardOptions, readOnly] {
                    #expect(throws: DatabaseError.notFound) {
                        try AccountRepository.open(.server(address), options)
                    }
                }
            }
        }

        @Test("are foreign without a version")
        func noVersion() throws {
            try withAccounts { address, _, server in
                try server.run(script: "DROP TABLE version")
                let foreign = DatabaseError.foreign(
                    reason: "the tables are not those of a user database")
                #expect(openError(address) == foreign)
                #expect(throws: foreign) { try AccountRepository.open(.server(address)) }
                let count = try server.rows("SELECT count(*) FROM accounts").first?.integer(0)
                #expect(count == 2)
            }
        }

        @Test(
            "are damaged if they have another shape",
            arguments: [
                "DROP TABLE sessions", "ALTER TABLE sessions DROP COLUMN client",
                "ALTER TABLE sessions ALTER COLUMN expires TYPE integer",
                "ALTER TABLE accounts ALTER COLUMN disabled TYPE text",
            ])
        func shape(script: String) throws {
            try withAccounts { _, repository, server in
                try server.run(script: script)
                let error = databaseError { _ = try repository.hasToken() }
                guard case .damaged = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }

        @Test("of a newer program are left alone")
        func newer() throws {
            try withAccounts { address, repository, server in
                try server.run(script: "UPDATE version SET version = 12")
                #expect(openError(address) == .newerVersion(12))
                #expect(databaseError { try repository.change { _ in } } == .newerVersion(12))
            }
        }

        @Test("of an earlier build are named, and left alone")
        func earlier() throws {
            try withAccounts { address, _, server in
                try server.run(script: "UPDATE version SET version = 1")
                #expect(openError(address) == .earlierBuild(schema: "taskvault_accounts"))
            }
            try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let server = try PostgreSQLConnection(to: address)
                defer { server.close() }
                try server.run(
                    script: """
                        CREATE SCHEMA taskvault;
                        CREATE TABLE taskvault.account_version (version bigint)
                        """)
                #expect(openError(address) == .earlierBuild(schema: "taskvault"))
                let missing = databaseError { try AccountRepository.open(.server(address)).close() }
                #expect(missing == .earlierBuild(schema: "taskvault"))
                try server.run(script: "ALTER SCHEMA taskvault RENAME TO old")
                #expect(openError(address) == nil)
            }
        }

        @Test("with blobs of version 10 get their index")
        func earlierBlobs() throws {
            try withAccounts { address, _, server in
                try server.run(
                    script: """
                        DROP INDEX sync_blobs_by_place;
                        ALTER TABLE sync_blobs ADD PRIMARY KEY (account, circle, area, name);
                        UPDATE version SET version = 10
                        """)
                #expect(openError(address) == nil)
                try server.run(script: "DROP INDEX sync_blobs_by_place")
            }
        }

        @Test("are apart from tables of the same name in other schemas")
        func otherSchemas() throws {
            try withAccounts { address, repository, server in
                try server.run(
                    script: """
                        CREATE TABLE public.accounts (anything text);
                        CREATE SCHEMA taskvault_tasks;
                        CREATE TABLE taskvault_tasks.sessions (anything text);
                        """)
                #expect(openError(address) == nil)
                #expect(try repository.hasToken())
                let again = try AccountRepository.open(.server(address))
                defer { again.close() }
                #expect(try again.hasToken())
            }
        }

        @Test(
            "are damaged by rows that this program never writes",
            arguments: [
                "accounts SET id = 'x'", "accounts SET email = 'A@example.org'",
                "accounts SET password = 'secret'", "accounts SET disabled = 2",
                "sessions SET id = '1'", "refresh_tokens SET predecessor = '\\x00'::bytea",
            ])
        func damaged(change: String) throws {
            try withAccounts { _, repository, server in
                try repository.change { try $0.remove(AccountSamples.accountID(2)) }
                try server.run(script: "UPDATE \(change)")
                let errors = [
                    databaseError {
                        _ = try repository.read { try $0.accounts(after: nil, limit: 9) }
                    },
                    databaseError {
                        _ = try repository.read { try $0.sessions(of: AccountSamples.accountID(1)) }
                    },
                    databaseError {
                        _ = try repository.read { try $0.refreshToken(TokenHash(of: "refresh 1")) }
                    },
                ]
                let expected = DatabaseError.damaged(
                    reason: "a column has an unexpected type or range")
                #expect(errors.contains(expected), "\(errors)")
                #expect(errors.allSatisfy { $0 == nil || $0 == expected })
            }
        }

        @Test("are refused in a database of another encoding than UTF-8")
        func encoding() throws {
            let server = try PostgreSQLServer.shared.get()
            let administrator = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            defer { administrator.close() }
            let name = "latin_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try administrator.run(
                script: "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'LATIN1'")
            defer { _ = try? administrator.run(script: "DROP DATABASE \(name) WITH (FORCE)") }
            let address = try PostgreSQLAddress(server.address(of: name))
            #expect(openError(address) == .foreign(reason: "the database's encoding is not UTF8"))
        }

        @Test("can be read inside a change, in the state before it", arguments: [1, 2, 4])
        func readers(connections: Int) throws {
            try withPostgreSQLDatabase { text in
                let repository = try AccountRepository.openOrCreate(
                    .server(PostgreSQLAddress(text)), DatabaseOptions(connections: connections))
                defer { repository.close() }
                try repository.fill(1)
                let before = try Everything(repository)
                try repository.change { writer in
                    try writer.remove(AccountSamples.accountID(1))
                    #expect(try Everything(repository) == before)
                    try repository.check()
                }
                #expect(try repository.hasToken() == false)
            }
        }

        @Test("are busy for a second writer after its timeout, and readable")
        func busy() throws {
            try withAccounts { address, repository, _ in
                let other = try AccountRepository.open(
                    .server(address), DatabaseOptions(lockTimeout: .milliseconds(20)))
                defer { other.close() }
                try repository.change { writer in
                    #expect(databaseError { try other.change { _ in } } == .busy)
                    let isRead = try other.hasToken()
                    #expect(isRead)
                }
                try other.change { try $0.insert(AccountSamples.account(3)) }
                #expect(try repository.read { try $0.accounts(after: nil, limit: 9) }.count == 3)
            }
        }

        @Test("are read with fewer connections if the server has no room for more")
        func noRoom() async throws {
            let server = try PostgreSQLServer(
                settings: ["max_connections=6", "superuser_reserved_connections=0"])
            defer { server.stop() }
            let address = try PostgreSQLAddress(server.address())
            // One connection writes. There is room for five more, and readers want eleven.
            let repository = try AccountRepository.openOrCreate(
                .server(address), DatabaseOptions(connections: 12))
            defer { repository.close() }
            try repository.fill(1)
            #expect(try repository.hasToken())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask { @concurrent in
                        for _ in 0..<50 {
                            let isRead = try repository.hasToken()
                            #expect(isRead)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    extension PostgreSQLConnection {
        /// The columns, constraints and indexes of the tables in a schema, as the server's catalogue describes them.
        fileprivate func tables(in schema: String) throws -> [String] {
            try rows(
                """
                SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type,
                    collation_name, is_nullable, column_default, generation_expression) COLLATE "C"
                FROM information_schema.columns WHERE table_schema = $1
                UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $1
                UNION ALL SELECT concat_ws(' ', relname, pg_get_constraintdef(pg_constraint.oid))
                FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
                JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1
                ORDER BY 1
                """, [.text(schema)]
            ).map { try $0.text(0) }
        }
    }
#endif
