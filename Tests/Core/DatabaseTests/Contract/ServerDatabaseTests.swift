@testable import Database
import Foundation
import Synchronization
import Testing
import TestSupport

@Suite(
    "A database on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct ServerDatabaseTests {
    private static let lost = DatabaseError.unreachable(reason: "the connection was lost")
    private static let refusal = DatabaseError.unreachable(
        reason: "the server's user lacks a privilege in this database")

    private func with(
        _ options: DatabaseOptions = DatabaseOptions(),
        _ body: (DatabasePool, PostgreSQLAddress) throws -> Void
    ) throws {
        try Implementation.server.withPool(options) { pool, place in
            guard case .server(let address) = place else { return }
            try body(pool, address)
        }
    }

    /// Ends all other connections to the database.
    private static func kill(_ address: PostgreSQLAddress) throws {
        let connection = try PostgreSQLConnection(to: address)
        defer { connection.close() }
        _ = try connection.rows(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND backend_type = 'client backend'
            """)
    }

    @Test("is connected to again after the server ended the connection", arguments: [1, 4])
    func reconnected(connections: Int) throws {
        try with(DatabaseOptions(connections: connections)) { pool, address in
            try pool.write { try $0.insert(1) }
            #expect(try pool.ids() == [1])
            try Self.kill(address)
            try pool.write { try $0.insert(2) }
            try Self.kill(address)
            #expect(try pool.ids() == [1, 2])
            try Self.kill(address)
            #expect(try pool.single { try $0.ids() } == [1, 2])
        }
    }

    @Test("is lost inside a transaction, which commits nothing")
    func lostInside() throws {
        try with { pool, address in
            expect(Self.lost) {
                try pool.write { transaction in
                    try transaction.insert(1)
                    try Self.kill(address)
                    try transaction.insert(2)
                }
            }
            // Before the commit.
            expect(Self.lost) {
                try pool.write { transaction in
                    try transaction.insert(1)
                    try Self.kill(address)
                }
            }
            // Nothing is committed, whatever the body makes of it.
            expect(Self.lost) {
                try pool.write { transaction in
                    try Self.kill(address)
                    try? transaction.insert(2)
                    try? transaction.insert(3)
                }
            }
            expect(Self.lost) {
                try pool.read { transaction in
                    try Self.kill(address)
                    _ = try transaction.ids()
                }
            }
            #expect(try pool.ids() == [])
            try pool.write { try $0.insert(1) }
            #expect(try pool.ids() == [1])
        }
    }

    @Test("shares the connections that it gets where the server has no room for more")
    func tooManyClients() throws {
        try with { made, address in
            let role = "role_" + String(UInt64.random(in: .min ... .max), radix: 36)
            let owner = try PostgreSQLConnection(to: address)
            defer {
                _ = try? owner.run(script: "DROP OWNED BY \(role); DROP ROLE \(role)")
                owner.close()
            }
            try owner.run(
                script: """
                    CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2;
                    GRANT USAGE ON SCHEMA taskvault_notes TO \(role);
                    GRANT ALL ON ALL TABLES IN SCHEMA taskvault_notes TO \(role);
                    """)
            let place = try DatabasePlace.server(
                PostgreSQLAddress(address.text.replacing("vault@", with: role + "@")))
            let pool = try DatabasePool.open(place, .notes, DatabaseOptions(connections: 8))
            defer { pool.close() }
            onOwnThreads(8) { number in
                for _ in 0..<20 { _ = try pool.ids() }
                try pool.write { try $0.insert(Int64(number)) }
            }
            #expect(try pool.ids() == Array(0..<8))
        }
    }

    @Test("is interrupted for one pool only")
    func interrupted() throws {
        try withPostgreSQLDatabase { address in
            let place = try DatabasePlace.server(PostgreSQLAddress(address))
            let options = DatabaseOptions()
            let first = try DatabasePool.create(place, .notes, options)
            let second = try DatabasePool.open(place, .notes, options)
            defer {
                first.close()
                second.close()
            }
            first.interrupt()
            #expect(
                databaseError {
                    _ = try first.single { try $0.rows("SELECT pg_sleep(60)") { _ in } }
                } != nil)
            #expect(try second.ids() == [])
        }
    }

    @Test("finds its own tables and functions, whatever others call theirs")
    func names() throws {
        try withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            let owner = try PostgreSQLConnection(to: address)
            defer { owner.close() }
            let name = databaseName(in: text)
            try owner.run(
                script: """
                    CREATE TABLE public.notes (id text); INSERT INTO public.notes VALUES ('x');
                    CREATE TABLE public.version (version bigint); INSERT INTO public.version VALUES (9);
                    CREATE FUNCTION public.lower(text) RETURNS text LANGUAGE sql AS $$ SELECT 'evil'::text $$;
                    CREATE FUNCTION public.evil(bigint, bigint) RETURNS boolean LANGUAGE sql
                        AS $$ SELECT true $$;
                    CREATE OPERATOR public.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = public.evil);
                    ALTER DATABASE \(name) SET search_path = public, pg_catalog;
                    """)
            let pool = try DatabasePool.openOrCreate(.server(address), .notes)
            defer { pool.close() }
            try pool.write { transaction in
                try transaction.insert(1, words: "A")
                #expect(try transaction.ids() == [1])
                let found = try transaction.rows(
                    "SELECT lower(words) FROM notes WHERE id = $1", [.integer(1)]
                ) { try $0.text(0) }
                #expect(found == ["a"])
                #expect(
                    try transaction.rows("SELECT id FROM notes WHERE id = $1", [.integer(2)]) { _ in
                    }.isEmpty)
            }
            #expect(try owner.number("SELECT count(*) FROM public.notes") == 1)
            #expect(try owner.number("SELECT version FROM taskvault_notes.version") == 1)
        }
    }

    @Test("is made by a user who has the right to, and by no other")
    func rights() throws {
        try withPostgreSQLDatabase { text in
            let owner = try PostgreSQLConnection(to: PostgreSQLAddress(text))
            let role = "role_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try owner.run(script: "CREATE ROLE \(role) LOGIN")
            defer {
                _ = try? owner.run(script: "DROP OWNED BY \(role); DROP ROLE \(role)")
                owner.close()
            }
            let place = try DatabasePlace.server(
                PostgreSQLAddress(text.replacing("vault@", with: role + "@")))
            func openOrCreate() -> DatabaseError? {
                databaseError { try DatabasePool.openOrCreate(place, .notes).close() }
            }
            #expect(openOrCreate() == Self.refusal)
            // Without the right to use the schema, nothing must be made elsewhere.
            try owner.run(script: "CREATE SCHEMA taskvault_notes")
            #expect(openOrCreate() == Self.refusal)
            try owner.run(script: "GRANT USAGE ON SCHEMA taskvault_notes TO \(role)")
            #expect(openOrCreate() == Self.refusal)
            // No right to make a schema is needed where there is one.
            try owner.run(script: "GRANT CREATE ON SCHEMA taskvault_notes TO \(role)")
            #expect(openOrCreate() == nil)
            #expect(openOrCreate() == nil)
        }
    }

    @Test("is read by a user who may only read, and refused to one who may not even that")
    func readers() throws {
        try with { made, address in
            try made.write { try $0.insert(1) }
            let owner = try PostgreSQLConnection(to: address)
            let role = "role_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try owner.run(script: "CREATE ROLE \(role) LOGIN")
            defer {
                _ = try? owner.run(script: "DROP OWNED BY \(role); DROP ROLE \(role)")
                owner.close()
            }
            let place = try DatabasePlace.server(
                PostgreSQLAddress(address.text.replacing("vault@", with: role + "@")))
            expect(Self.refusal) { _ = try DatabasePool.open(place, .notes) }
            try owner.run(
                script: """
                    GRANT USAGE ON SCHEMA taskvault_notes TO \(role);
                    GRANT SELECT ON ALL TABLES IN SCHEMA taskvault_notes TO \(role)
                    """)
            let pool = try DatabasePool.open(place, .notes)
            defer { pool.close() }
            #expect(try pool.ids() == [1])
            expect(Self.refusal) { try pool.write { try $0.insert(2) } }
            #expect(try pool.ids() == [1])
        }
    }

    @Test("is not made where text cannot be kept")
    func encoding() throws {
        try withPostgreSQLDatabase { text in
            let owner = try PostgreSQLConnection(to: PostgreSQLAddress(text))
            let name = databaseName(in: text)
            let latin = "\(name)_latin"
            try owner.run(script: "CREATE DATABASE \(latin) TEMPLATE template0 ENCODING 'LATIN1'")
            defer {
                _ = try? owner.run(script: "DROP DATABASE \(latin) WITH (FORCE)")
                owner.close()
            }
            let place = try DatabasePlace.server(
                PostgreSQLAddress(text.replacing(name, with: latin)))
            expect(.foreign(reason: "the database's encoding is not UTF8")) {
                _ = try DatabasePool.openOrCreate(place, .notes)
            }
            #expect(try place.tables() == [])
        }
    }
}

#if os(Linux)
    @Suite(
        "A server that stopped answering",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct StoppedServerTests {
        @Test("costs each waiting call one time-out", arguments: [1, 4])
        func oneTimeout(connections: Int) throws {
            let server = try PostgreSQLServer()
            let address = try PostgreSQLAddress(server.address())
            // How often somebody tried to connect since the server stopped; nil before.
            let attempts = Mutex<Int?>(nil)
            var options = DatabaseOptions(connections: connections)
            options.connecting = { options in
                let isStopped = attempts.withLock { count in
                    count = count.map { $0 + 1 }
                    return count != nil
                }
                if isStopped { options.timeout = .seconds(2) }
            }
            let pool = try DatabasePool.create(.server(address), .notes, options)
            defer { pool.close() }
            #expect(try pool.ids() == [])
            let administrator = try PostgreSQLConnection(to: address)
            // The postmaster accepts no connection any more: its socket listens, and nothing answers.
            kill(server.process, SIGSTOP)
            defer { kill(server.process, SIGCONT) }
            _ = try administrator.rows(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend'
                """)
            for _ in 0..<2 {
                attempts.withLock { $0 = 0 }
                onOwnThreads(12) { number in
                    let error = databaseError {
                        if number < 9 {
                            _ = try pool.ids()
                        } else {
                            try pool.write { try $0.insert(1) }
                        }
                    }
                    guard case .unreachable = error else { throw BodyError() }
                }
                // Not one for each call: one for the writer, one for a reader, and one for a new reader. A call that begins after a
                // failure tries again.
                #expect(attempts.withLock { $0 ?? 0 } <= 6)
            }
            attempts.withLock { $0 = nil }
            kill(server.process, SIGCONT)
            #expect(try pool.ids() == [])
            try pool.write { try $0.insert(1) }
            #expect(try pool.ids() == [1])
        }
    }

    @Suite(
        "A commit that is lost on its way",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct LostCommitTests {
        /// A pool through a proxy, one past it, and the proxy.
        private func with(
            timeout: Duration = .seconds(30),
            _ body: (DatabasePool, DatabasePool, PostgreSQLProxy) throws -> Void
        ) throws {
            try withPostgreSQLProxy { direct, through, proxy in
                let direct = try DatabasePool.create(
                    .server(PostgreSQLAddress(direct)), .notes)
                let pool = try DatabasePool.open(
                    .server(PostgreSQLAddress(through)), .notes, DatabaseOptions(timeout: timeout))
                defer {
                    pool.close()
                    direct.close()
                }
                try body(pool, direct, proxy)
            }
        }

        @Test("is found out about on a new connection", arguments: [true, false])
        func known(isCommitted: Bool) throws {
            try with { pool, direct, proxy in
                proxy.set(isCommitted ? .cutAfterCommit : .cutBeforeCommit) {
                    // That others write meanwhile changes nothing.
                    try? direct.write { try $0.insert(9) }
                }
                let error = databaseError { try pool.write { try $0.insert(1) } }
                #expect(
                    error == (isCommitted ? nil : .unreachable(reason: "the connection was lost")))
                #expect(try direct.ids() == (isCommitted ? [1, 9] : [9]))
                try pool.write { try $0.insert(2) }
                #expect(try pool.ids() == (isCommitted ? [1, 2, 9] : [2, 9]))
            }
        }

        @Test("is unknown where nobody can be asked, unless nothing was changed")
        func unknown() throws {
            try with(timeout: .seconds(10)) { pool, direct, proxy in
                proxy.set(.cutAfterCommitForGood)
                expect(.outcomeUnknown) { try pool.write { try $0.insert(1) } }
                #expect(try direct.ids() == [1])
                proxy.set(.pass)
                #expect(try pool.ids() == [1])
                proxy.set(.cutAfterCommitForGood)
                let ids = try pool.write { try $0.ids() }
                #expect(ids == [1])
            }
        }
    }
#endif
