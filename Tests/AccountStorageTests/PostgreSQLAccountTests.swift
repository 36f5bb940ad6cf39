#if os(Linux)
    import AccountStorage
    import Accounts
    import Glibc
    import Database
    import TestSupport
    import Testing

    @Suite(
        "The accounts' tables on a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct PostgreSQLAccountTests {
        private static let shape = AccountRepositoryError.foreign(
            reason: "the tables are not those of a user database")

        /// Runs `body` with a database that has accounts, and a connection to it.
        private func withAccounts(
            _ body: (PostgreSQLAddress, PostgreSQLAccountRepository, PostgreSQLConnection) throws ->
                Void
        ) throws {
            try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let repository = try PostgreSQLAccountRepository.open(address)
                defer { repository.close() }
                try repository.fill(2)
                try body(address, repository, try PostgreSQLConnection(to: address))
            }
        }

        private func openError(_ address: PostgreSQLAddress) -> AccountRepositoryError? {
            accountError { try PostgreSQLAccountRepository.open(address).close() }
        }

        @Test("are those that the page tells")
        func page() throws {
            let script =
                (["CREATE SCHEMA taskvault;"]
                + Checkout.statements(under: "### The tables of accounts")
                + ["INSERT INTO taskvault.account_version VALUES (2);"])
                .joined(separator: "\n")
            let told = try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let server = try PostgreSQLConnection(to: address)
                try server.run(script: script)
                let repository = try PostgreSQLAccountRepository.open(address)
                try repository.fill(2)
                #expect(try repository.hasToken())
                repository.close()
                return try server.description(ofTablesNamed: "", in: "taskvault")
            }
            try withAccounts { _, _, server in
                let made = try server.description(ofTablesNamed: "", in: "taskvault")
                #expect(told == made)
                #expect(told.count > 60)
            }
        }

        @Test(
            "are refused when they have another shape, and left alone",
            arguments: [
                "ALTER TABLE taskvault.account_items ADD COLUMN admin bigint",
                "ALTER TABLE taskvault.account_items ALTER COLUMN email TYPE text COLLATE \"default\"",
                "DROP INDEX taskvault.account_items_by_email",
                "DROP TABLE taskvault.account_known_places",
                "ALTER TABLE taskvault.account_attempts SET UNLOGGED",
                "DROP TABLE taskvault.account_version CASCADE",
                "CREATE RULE nothing AS ON DELETE TO taskvault.account_sessions DO INSTEAD NOTHING",
            ])
        func shape(script: String) throws {
            try withAccounts { address, _, server in
                #expect(openError(address) == nil)
                try server.run(script: script)
                #expect(openError(address) == Self.shape)
                let count = try server.rows(
                    once: "SELECT count(*) FROM taskvault.account_items"
                ).first?.integer(at: 0)
                #expect(count == 2)
            }
        }

        @Test("of a newer program are left alone")
        func newer() throws {
            try withAccounts { address, repository, server in
                try server.run(script: "UPDATE taskvault.account_version SET version = 7")
                #expect(openError(address) == .newerVersion(7))
                #expect(accountError { try repository.write { _ in } } == .newerVersion(7))
            }
        }

        @Test("of version 1 are brought to version 2, with their counts")
        func older() throws {
            try withAccounts { address, repository, server in
                var account = AccountSamples.account(2)
                account.password = AccountSamples.password(passes: 12)
                try repository.write { [account] in try $0.update(account) }
                try server.run(
                    script: """
                        DROP TABLE taskvault.account_password_costs;
                        DROP TABLE taskvault.account_secrets;
                        DROP INDEX taskvault.account_access_tokens_by_session;
                        DROP INDEX taskvault.account_refresh_tokens_by_session;
                        CREATE INDEX account_access_tokens_by_session
                            ON taskvault.account_access_tokens (session);
                        CREATE INDEX account_refresh_tokens_by_session
                            ON taskvault.account_refresh_tokens (session, replaced);
                        UPDATE taskvault.account_version SET version = 1;
                        """)
                let again = try PostgreSQLAccountRepository.open(address)
                defer { again.close() }
                #expect(try again.hasToken())
                let counts = try again.write { try $0.passwordCosts() }
                #expect(
                    Set(counts)
                        == Set([
                            AccountSamples.count(passes: 3, 1), AccountSamples.count(passes: 12, 1),
                        ]))
            }
        }

        @Test("live beside those of tasks and vaults")
        func besideOthers() throws {
            try withAccounts { address, repository, server in
                try server.run(
                    script: """
                        CREATE TABLE taskvault.task_items (anything text);
                        CREATE TABLE taskvault.vault_items (anything text);
                        """)
                #expect(openError(address) == nil)
                #expect(try repository.hasToken())
            }
        }

        @Test(
            "with rows that this program never writes are damaged",
            arguments: [
                "account_items SET id = 'x'", "account_items SET email = 'A@example.org'",
                "account_items SET password = 'secret'", "account_items SET disabled = 2",
                "account_sessions SET id = '1'",
                "account_refresh_tokens SET predecessor = '\\x00'::bytea",
            ])
        func damaged(change: String) throws {
            try withAccounts { _, repository, server in
                try repository.write { try $0.remove(AccountSamples.accountID(2)) }
                try server.run(script: "UPDATE taskvault.\(change)")
                let errors = [
                    accountError { _ = try repository.accounts(after: nil, limit: 9) },
                    accountError { _ = try repository.sessions(of: AccountSamples.accountID(1)) },
                    accountError { _ = try repository.refreshToken(TokenHash(of: "refresh 1")) },
                ]
                let expected = AccountRepositoryError.damaged(
                    reason: "a column has another type or range than it should")
                #expect(errors.contains(expected), "\(errors)")
                #expect(errors.allSatisfy { $0 == nil || $0 == expected })
            }
        }

        @Test("are refused in a database that cannot hold every text")
        func encoding() throws {
            let server = try PostgreSQLServer.shared.get()
            let administrator = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            let name = "latin_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try administrator.run(
                script: "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'LATIN1'")
            defer { _ = try? administrator.run(script: "DROP DATABASE \(name) WITH (FORCE)") }
            let address = try PostgreSQLAddress(server.address(of: name))
            #expect(openError(address) == .foreign(reason: "the database's encoding is not UTF8"))
        }

        @Test("are read while they are written, as they were before", arguments: [1, 2, 4])
        func readers(connections: Int) throws {
            try withPostgreSQLDatabase { text in
                let repository = try PostgreSQLAccountRepository.open(
                    PostgreSQLAddress(text), connections: connections)
                defer { repository.close() }
                try repository.fill(1)
                let before = try Everything(repository)
                try repository.write { writer in
                    try writer.remove(AccountSamples.accountID(1))
                    #expect(try Everything(repository) == before)
                    try repository.check()
                }
                #expect(try repository.hasToken() == false)
            }
        }

        @Test("that somebody else is writing are busy after the time that was set")
        func busy() throws {
            try withAccounts { address, repository, _ in
                let other = try PostgreSQLAccountRepository.open(
                    address, lockTimeout: .milliseconds(20))
                defer { other.close() }
                try repository.write { writer in
                    #expect(accountError { try other.write { _ in } } == .busy)
                    let isRead = try other.hasToken()
                    #expect(isRead)
                }
                try other.write { try $0.insert(AccountSamples.account(3)) }
                #expect(try repository.accounts(after: nil, limit: 9).count == 3)
            }
        }

        @Test("are read with fewer connections where the server has no room for more")
        func noRoom() async throws {
            let server = try PostgreSQLServer(
                settings: ["max_connections=6", "superuser_reserved_connections=0"])
            defer { server.stop() }
            let address = try PostgreSQLAddress(server.address())
            // One connection writes and at least one reads; there is room for four more, and readers want ten.
            let repository = try PostgreSQLAccountRepository.open(address, connections: 12)
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
#endif
