internal import Platform

/// The tables of a schema in a database of an untrusted server. See ``Database``.
///
/// All tables are in the schema ``Schema/serverName``. Its table `version` contains the version; each writer locks it first.
final class PostgreSQLDatabase: Database {
    private let connection: PostgreSQLConnection
    private let address: PostgreSQLAddress
    private let schema: Schema
    private let options: DatabaseOptions
    /// Whether the open transaction may have changed data.
    private var mayHaveChanged = false

    /// Connects, and creates or migrates tables if requested.
    init(
        _ address: PostgreSQLAddress, _ schema: Schema, _ options: DatabaseOptions,
        _ creation: TableCreation
    ) throws {
        self.address = address
        self.schema = schema
        self.options = options
        var connectionOptions = PostgreSQLOptions(
            timeout: options.timeout, lockTimeout: options.lockTimeout,
            interruption: options.interruption)
        options.connecting?(&connectionOptions)
        do {
            connection = try PostgreSQLConnection(to: address, options: connectionOptions)
            // Set the search path only now: it must find only the tables of the schema.
            try connection.run(
                script: """
                    SET search_path = \(schema.serverName), pg_temp;
                    SET default_transaction_read_only = \(options.mode == .readOnly ? "on" : "off")
                    """)
            if schema.holdsText { try requireUTF8() }
            let version = try connection.version(of: schema)
            let isOlder = version > 0 && version < schema.newestVersion
            if creation != .nothing || options.mode == .readWrite && isOlder {
                try connection.migrate(schema)
            }
            try verify()
        } catch DatabaseError.alreadyExists {
            // A table without a version has this name.
            throw schema.foreignTables
        } catch DatabaseError.earlierBuild(schema: nil) {
            throw DatabaseError.earlierBuild(schema: schema.serverName)
        }
    }

    private func requireUTF8() throws {
        let rows = try connection.rows("SELECT current_setting('server_encoding')")
        if try rows.first?.text(0) != "UTF8" {
            throw DatabaseError.foreign(reason: "the database's encoding is not UTF8")
        }
    }

    /// Requires tables of the newest version.
    private func verify() throws {
        // Read one snapshot: another machine may be creating the tables.
        try connection.begin(.reading)
        let version = try connection.version(of: schema)
        let tables = try connection.rows(
            """
            SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1
            """, [.text(schema.serverName)])
        try connection.rollback()
        guard let row = tables.first else { throw DatabaseError.mismatch }
        if try row.integer(0) == 0 {
            try connection.requireNoEarlierTables(of: schema)
            throw DatabaseError.notFound
        }
        if version == 0 { throw schema.foreignTables }
        try schema.requireNewest(version)
    }

    var isUsable: Bool { connection.isOpen }
    var wasLost: Bool { connection.wasLost }
    /// With rows of up to 8 KiB, half of the maximum answer.
    var pageSize: Int { 8_192 }
    var isInTransaction: Bool { connection.isInTransaction && !connection.isFailed }

    func begin(_ kind: TransactionKind) throws -> Bool {
        mayHaveChanged = false
        guard kind == .writing else {
            try connection.begin(.reading)
            return true
        }
        // Lock first, then take the snapshot, so that it includes the previous writer's commit.
        let rows = try connection.begin(
            .writingSnapshot, locking: "\(schema.serverName).version",
            then: "SELECT left(version::text, 20) FROM \(schema.serverName).version")
        do {
            // A newer program on another machine may have migrated the tables.
            try schema.requireNewest(try rows.first.flatMap { Int64(try $0.text(0)) } ?? 0)
        } catch {
            rollback()
            throw error
        }
        return true
    }

    func rollback() {
        do {
            try connection.rollback()
        } catch {
            // Closing the connection ends the transaction.
            connection.close()
        }
    }

    func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
    ) throws {
        switch sql.postgreSQL {
        case .literal(let text): try connection.rows(text, values).forEach(read)
        case .constant(let text): try connection.rows(text, values).forEach(read)
        case .assembled(let text): try connection.rows(once: text, values).forEach(read)
        }
    }

    func change(_ sql: SQL, _ values: [DatabaseValue], erasing: Bool) throws -> Int {
        mayHaveChanged = true
        return switch sql.postgreSQL {
        case .literal(let text): try connection.execute(text, values)
        case .constant(let text): try connection.execute(text, values)
        case .assembled(let text): try connection.execute(once: text, values)
        }
    }

    func isCurrent() throws -> Bool { true }

    func dataVersion() throws -> DataVersion? { nil }

    func leaveWALMode() throws -> Bool { true }

    /// Does nothing: the server reuses the space itself.
    func returnSpace() throws -> Bool { false }

    /// Always nil: servers keep replaced rows for a while, and logs and copies longer.
    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, lockTimeout: Duration
    ) throws -> Bool? {
        nil
    }

    func close() {
        connection.close()
    }
}

extension PostgreSQLDatabase {
    /// Commits. After a lost connection, a new one queries the outcome: from the tables by `isCommitted`, or else by the transaction's id.
    ///
    /// The id is weaker: a promoted replica that lacks the transaction may reuse its id.
    func commit(_ isCommitted: CommitCheck?) throws {
        // Read the id only if it is needed: it costs a round trip.
        let number = try isCommitted == nil ? connection.transactionNumber() : nil
        if options.interruption.hasHappened { throw DatabaseError.closed }
        do {
            return try connection.commit()
        } catch {
            // On a closed connection, the commit may have taken effect.
            guard connection.wasLost || !connection.isOpen else { throw error }
        }
        // Without changes, the outcome makes no difference.
        guard mayHaveChanged, isCommitted != nil || number != nil else { return }
        let found: Bool?
        do {
            let later = try reconnect()
            defer { later.close() }
            // The server process of the lost connection may still be running. Holding its lock excludes any later commit.
            _ = try later.begin(.writing)
            found =
                if let isCommitted {
                    try isCommitted(Transaction(later, .writing))
                } else {
                    try number.flatMap { try later.connection.isCommitted($0) }
                }
        } catch {
            throw DatabaseError.outcomeUnknown
        }
        guard let found else { throw DatabaseError.outcomeUnknown }
        if !found { throw DatabaseError.connectionLost }
    }

    /// Reconnects for a while, because a stopped server may be restarting.
    private func reconnect() throws -> PostgreSQLDatabase {
        connection.close()
        let deadline = BootTime.now + options.timeout
        while true {
            do {
                return try PostgreSQLDatabase(address, schema, options, .nothing)
            } catch DatabaseError.unreachable(let reason) {
                guard BootTime.now < deadline, !options.interruption.hasHappened else {
                    throw DatabaseError.unreachable(reason: reason)
                }
                usleep(UInt32.random(in: 20_000...100_000))
            }
        }
    }
}

extension PostgreSQLConnection {
    /// The id of the open transaction; nil before its first change.
    fileprivate func transactionNumber() throws -> String? {
        let rows = try rows("SELECT pg_current_xact_id_if_assigned()::text")
        guard let row = rows.first else { throw DatabaseError.mismatch }
        return try row.optionalText(0)
    }

    /// Whether the transaction with an id was committed; nil if the server does not know.
    fileprivate func isCommitted(_ number: String) throws -> Bool? {
        let rows = try rows("SELECT pg_xact_status($1::text::xid8)", [.text(number)])
        guard let row = rows.first, !row.isNull(0) else { return nil }
        switch try row.text(0) {
        case "committed": return true
        case "aborted": return false
        default: return nil
        }
    }
}

extension PostgreSQLConnection: MigratingConnection {
    func version(of schema: Schema) throws -> Int64 {
        let tables = try rows(
            """
            SELECT 1::bigint FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                JOIN pg_attribute ON attrelid = pg_class.oid
            WHERE nspname = $1 AND relname = 'version' AND relkind = 'r'
                AND attname = 'version' AND atttypid = 'bigint'::regtype
            """, [.text(schema.serverName)])
        if tables.isEmpty { return 0 }
        // Name the schema explicitly: the search path skips a schema that the user may not use.
        let rows = try rows(once: "SELECT version FROM \(schema.serverName).version")
        return try rows.first?.integer(0) ?? 0
    }

    func beginMigration(of schema: Schema) throws {
        try begin(.writing)
        // Serialises migrations, even without a table to lock.
        try execute(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(schema.serverName)])
        // `CREATE SCHEMA IF NOT EXISTS` would require the privilege to create a schema even if it exists.
        if try rows(
            "SELECT 1::bigint FROM pg_namespace WHERE nspname = $1", [.text(schema.serverName)]
        ).isEmpty {
            try run(script: "CREATE SCHEMA \(schema.serverName)")
        }
        if try version(of: schema) == 0 {
            try requireNoEarlierTables(of: schema)
            try run(
                script: """
                    CREATE TABLE \(schema.serverName).version (version bigint NOT NULL);
                    INSERT INTO \(schema.serverName).version VALUES (0);
                    """)
        }
    }

    /// Requires that the database has no tables of an earlier build, which would be ignored.
    fileprivate func requireNoEarlierTables(of schema: Schema) throws {
        guard let table = schema.earlierTable else { return }
        let rows = try rows(
            """
            SELECT 1::bigint FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = 'taskvault' AND relname = $1
            """, [.text(table)])
        if !rows.isEmpty { throw DatabaseError.earlierBuild(schema: "taskvault") }
    }

    func run(_ migration: Schema.Migration) throws { try run(script: migration.postgreSQL) }

    func setVersion(_ version: Int64, of schema: Schema) throws {
        try run(script: "UPDATE version SET version = \(version)")
    }

    func commitMigration() throws { try commit() }

    /// If the rollback fails, the connection is closed.
    func abandonMigration() { try? rollback() }
}
