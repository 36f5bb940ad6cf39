internal import Platform
internal import Synchronization

/// The location of a database.
public enum DatabasePlace: Sendable {
    /// A file, by its path.
    case file(String)
    /// A server.
    case server(PostgreSQLAddress)
    /// A database in memory, discarded when it is closed.
    case memory
}

/// The size and the free space of a file system, in bytes.
public struct DiskUse: Sendable, Hashable {
    /// The size.
    public let total: UInt64
    /// The free space for this user.
    public let free: UInt64

    /// Creates a description.
    public init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }

    /// Whether more than 80 % are in use.
    public var isNearlyFull: Bool { free < total / 5 }
}

/// A pool of connections to the tables of a schema. Connections are opened on demand, and reopened after a failure, with all checks.
///
/// Thread-safe: writers wait for each other, readers wait for a free connection. A nested call in the function of ``write(_:)`` on the same
/// object deadlocks; with a single connection, so does one in ``read(_:)``.
package final class DatabasePool: Sendable {
    /// The location of the database.
    package let place: DatabasePlace
    private let schema: Schema
    private let options: DatabaseOptions
    private let writer: Member
    private let readers: LockedValue<Readers>
    /// Serialises the opening of additional readers.
    private let opening = Member()
    /// Serialises closing: if two connections closed at the same moment, neither would remove the log of a file.
    private let closing = CallLock()
    /// Increases when the path may name another file. Connections of an older generation are then reopened.
    private let generation = Atomic<UInt64>(0)
    /// The counter of a file's commits, which is opened when it is first needed.
    private let counter = LockedValue<CommitCounter?>(nil)
    private let counterShares = ThreadShares(CommitCounterShare())

    /// A pooled connection and its lock.
    ///
    /// Unchecked, because the connection is used only under the lock.
    private final class Member: @unchecked Sendable {
        private let lock = CallLock()
        /// Used only under the lock.
        var database: (any Database)?
        /// The generation of the connection's file. Used only under the lock.
        var generation: UInt64 = 0
        /// Used only under the lock.
        var isClosed = false
        /// Whether the connection was usable at the end of the last call.
        let isOpen: Atomic<Bool>
        /// The number of readers that use the connection or wait for it. Used under the lock of ``Readers``.
        var users = 0
        private let failures = Atomic<Int>(0)
        private var lastFailure: (any Error)?

        init(_ database: (any Database)? = nil) {
            self.database = database
            isOpen = Atomic(database != nil)
        }

        /// Runs `body` under the lock.
        ///
        /// - Throws: If another thread failed to connect meanwhile, its error, without running `body`: another attempt would double the
        ///   wait.
        func withLock<Result>(_ body: () throws -> Result) throws -> Result {
            let before = failures.load(ordering: .acquiring)
            return try lock.withLock {
                defer { isOpen.store(database?.isUsable ?? false, ordering: .releasing) }
                if !isClosed, database == nil, let lastFailure,
                    failures.load(ordering: .acquiring) > before
                {
                    throw lastFailure
                }
                return try body()
            }
        }

        /// Runs `body`, which connects, under the lock. Waiting calls get its error.
        func connecting<Result>(_ body: () throws -> Result) throws -> Result {
            do {
                return try body()
            } catch {
                lastFailure = error
                failures.add(1, ordering: .releasing)
                throw error
            }
        }

        func close() {
            lock.withLock {
                isClosed = true
                isOpen.store(false, ordering: .releasing)
                database?.close()
                database = nil
            }
        }
    }

    private struct Readers: Sendable {
        var members: [Member] = []
        var isClosed = false

        /// Acquires an idle connection, or at the limit the one with the fewest users; nil if a connection may be added.
        mutating func acquire(limit: Int) throws -> Member? {
            if isClosed { throw DatabaseError.closed }
            guard let member = members.min(by: { $0.users < $1.users }),
                member.users == 0 || members.count >= limit
            else { return nil }
            member.users += 1
            return member
        }

        /// Acquires the open connection with the fewest users.
        mutating func acquireOpen() -> Member? {
            let member = members.filter { $0.isOpen.load(ordering: .acquiring) }
                .min { $0.users < $1.users }
            member?.users += 1
            return member
        }
    }

    private init(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions,
        _ creation: TableCreation
    ) throws {
        var options = options
        options.interruption = Interruption()
        // Another connection would have other tables.
        if case .memory = place { options.connections = 1 }
        // Resolve the path once: a symbolic link that changes later must not lead connections to different files.
        self.place =
            if case .file(let path) = place { .file(try VaultLocation(path: path).path) } else {
                place
            }
        self.schema = schema
        self.options = options
        writer = Member(try Self.connect(self.place, schema, options, creation))
        readers = LockedValue(Readers(members: options.mode == .readOnly ? [writer] : []))
    }

    /// Opens a connection to a location (S2).
    private static func connect(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions,
        _ creation: TableCreation
    ) throws -> any Database {
        let database: any Database =
            switch place {
            case .server(let address): try PostgreSQLDatabase(address, schema, options, creation)
            case .file(let path): try SQLiteDatabase.connect(path, schema, options, creation)
            case .memory: try SQLiteDatabase.inMemory(schema)
            }
        return options.wrap?(database) ?? database
    }

    /// Opens existing tables.
    ///
    /// - Throws: ``DatabaseError/notFound``, ``DatabaseError/unsafeLocation(path:reason:)``; ``DatabaseError/foreign(reason:)``,
    ///   ``DatabaseError/newerVersion(_:)`` or ``DatabaseError/damaged(reason:)`` for other content; ``DatabaseError/readOnly``;
    ///   ``DatabaseError/unreachable(reason:)``.
    package static func open(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions = DatabaseOptions()
    ) throws -> DatabasePool {
        try DatabasePool(place, schema, options, .nothing)
    }

    /// Creates tables without rows: in a file of mode 0600, or in a schema of a server.
    ///
    /// - Throws: ``DatabaseError/alreadyExists`` if the path exists; otherwise as ``open(_:_:_:)``.
    package static func create(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions = DatabaseOptions()
    ) throws -> DatabasePool {
        try DatabasePool(place, schema, options, .new)
    }

    /// Opens tables, and creates them if there are none.
    package static func openOrCreate(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions = DatabaseOptions()
    ) throws -> DatabasePool {
        try DatabasePool(place, schema, options, .missing)
    }

    /// Makes calls fail soon that wait for a server or a lock, or run a statement. After it, only ``close()`` is allowed.
    package func interrupt() {
        options.interruption.interrupt()
    }

    /// Closes all connections. The last connection to a file removes its log files. A second call does nothing.
    package func close() {
        let members = readers.withLock { readers in
            readers.isClosed = true
            return readers.members
        }
        counterShares.forEach { $0.close() }
        counter.withLock { $0 = nil }
        closing.withLock {
            for member in members { member.close() }
            writer.close()
        }
    }
}

/// The tables to create when a database is opened.
enum TableCreation {
    /// No tables.
    case nothing
    /// The missing tables.
    case missing
    /// All tables; none may exist.
    case new
}

extension DatabasePool {
    /// Runs `body` on one snapshot.
    package func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        try withReader { member in
            let database = try usable(member) { database in
                _ = try database.begin(.reading)
                return database
            }
            return try finish(Transaction(database, .reading), body) {
                database.rollback()
            } undo: {
                database.rollback()
            }
        }
    }

    /// Runs `body` without a transaction. Each of its statements sees one snapshot.
    ///
    /// - Parameters:
    ///   - isFollowing: Whether to open a replaced file first.
    ///   - body: Runs the statements. It runs twice if a server closed the connection.
    /// - Returns: The result of `body`.
    /// - Throws: ``DatabaseError``, and the errors of `body`.
    package func single<Result>(
        following isFollowing: Bool = false, _ body: (Transaction) throws -> Result
    ) throws -> Result {
        try withReader { member in
            try usable(member) { database in
                let isReplaced = try isFollowing && !database.isCurrent()
                let current = try isReplaced ? reopen(member, isReplaced: true) : database
                let transaction = Transaction(current, nil)
                defer { transaction.end() }
                return try body(transaction)
            }
        }
    }

    /// Runs `body` in a transaction that excludes other writers, and commits it durably. An error of `body` rolls it back.
    ///
    /// - Throws: The errors of `body`; ``DatabaseError/readOnly`` in that mode; ``DatabaseError/outcomeUnknown`` if the connection to a
    ///   server was lost during the commit and the outcome cannot be queried.
    package func write<Result>(
        _ body: (Transaction) throws -> Result, isCommitted: CommitCheck? = nil
    ) throws -> Result {
        guard options.mode == .readWrite else { throw DatabaseError.readOnly }
        return try writer.withLock {
            let database = try usable(writer) { database in
                if try database.begin(.writing) { return database }
                // The file was replaced: changes to the old file would be lost.
                let reopened = try reopen(writer, isReplaced: true)
                guard try reopened.begin(.writing) else { throw DatabaseError.busy }
                return reopened
            }
            return try finish(Transaction(database, .writing), body) {
                try database.commit(isCommitted)
            } undo: {
                database.rollback()
            }
        }
    }

    private func finish<Result>(
        _ transaction: Transaction, _ body: (Transaction) throws -> Result,
        end: () throws -> Void, undo: () -> Void
    ) throws -> Result {
        defer { transaction.end() }
        do {
            let result = try body(transaction)
            // Even if `body` caught an error, a partial change must not be committed.
            if let failure = transaction.failure { throw failure }
            try end()
            return result
        } catch {
            undo()
            throw error
        }
    }

    /// Erases copies of overwritten bytes; see ``Database``.
    package func eraseOldBytes(
        rewriting isRewriting: Bool = false, attempts: Int = 4,
        lockTimeout: Duration = .milliseconds(500)
    ) throws -> Bool? {
        guard options.mode == .readWrite else { throw DatabaseError.readOnly }
        return try writer.withLock {
            // A server keeps copies, so no connection is needed.
            if case .server = place, !writer.isClosed { return nil }
            return try usable(writer) { database in
                do {
                    return try database.eraseOldBytes(
                        rewriting: isRewriting, attempts: attempts, lockTimeout: lockTimeout)
                } catch DatabaseError.busy {
                    return false
                }
            }
        }
    }

    /// Returns unused space to the file system. A file keeps its size if readers prevent the change. Does nothing on a server.
    package func returnSpace() throws {
        guard options.mode == .readWrite else { throw DatabaseError.readOnly }
        if case .server = place { return }
        // One short transaction at a time, so that other threads can use the connection in between.
        while try writer.withLock({ try usable(writer) { try $0.returnSpace() } }) {}
        // The file becomes shorter when its log is checkpointed.
        _ = try eraseOldBytes(attempts: 1, lockTimeout: .milliseconds(100))
    }

    /// The size and the free space of a file's file system; nil on a server and in memory.
    package func diskUse() throws -> DiskUse? {
        guard case .file(let path) = place else { return nil }
        let (total, free) = try FileSystem.space(SafeFolder.split(path).folder)
        return DiskUse(total: total, free: free)
    }

    /// Checkpoints the log and leaves WAL mode; see ``Database``.
    package func leaveWALMode() throws -> Bool {
        try writer.withLock { try usable(writer) { try $0.leaveWALMode() } }
    }

    /// Whether SQLite finds all pages and rows well-formed. Reads the whole file; `true` on a server.
    package func isWellFormed() throws -> Bool {
        do {
            return try writer.withLock { try usable(writer) { try $0.isWellFormed() } }
        } catch DatabaseError.damaged {
            return false
        }
    }

    /// Closes the connection if the path now names another file, or none. The next call opens the new file with all checks.
    ///
    /// Writing calls make this check themselves.
    package func followPath() throws {
        try writer.withLock {
            guard let database = writer.database, database.isUsable, try !database.isCurrent()
            else { return }
            generation.add(1, ordering: .releasing)
            database.close()
            writer.database = nil
        }
    }

    /// A counter that changes with each commit to a file, of any connection of any process: no thread waits for another one, and nothing is read from the file.
    /// Read it before the statements whose results are right as long as it stays. A file that was replaced is noticed within a second.
    ///
    /// - Returns: nil on a server and in memory, and while a commit is under way.
    package func commitCount() -> CommitCount? {
        guard case .file(let path) = place, options.mode == .readWrite else { return nil }
        return counterShares.withOwn { share in
            share.read {
                counter.withLock { counter in
                    if let counter, counter.isCurrent { return counter }
                    counter = try? openCounter(path)
                    return counter
                }
            }
        }
    }

    private func openCounter(_ path: String) throws -> CommitCounter? {
        var options = options
        options.mode = .readOnly
        return try CommitCounter(
            SQLiteDatabase.connect(path, schema, options, .nothing), path: path)
    }

    /// Copies one snapshot of a file or of memory into a new file at `path`, mode 0600, durably. Other processes may write concurrently.
    ///
    /// - Throws: ``DatabaseError/alreadyExists`` if the path exists.
    package func backup(to path: String) throws {
        try writer.withLock {
            try usable(writer) { database in
                guard let file = database as? SQLiteDatabase else {
                    preconditionFailure("a server has no file to copy")
                }
                try BackupFile.write(file, to: path)
            }
        }
    }

    /// Runs `body` with a reader's connection.
    private func withReader<Result>(_ body: (Member) throws -> Result) throws -> Result {
        guard options.connections > 1 else { return try writer.withLock { try body(writer) } }
        let member = try acquireMember()
        defer { readers.withLock { _ in member.users -= 1 } }
        return try member.withLock { try body(member) }
    }

    /// Acquires a reader's connection: an idle one, a new one within the limit, or the one with the fewest users.
    private func acquireMember() throws -> Member {
        let limit = options.mode == .readOnly ? options.connections : options.connections - 1
        if let member = try readers.withLock({ try $0.acquire(limit: limit) }) { return member }
        do {
            return try opening.withLock {
                if let member = try readers.withLock({ try $0.acquire(limit: limit) }) {
                    return member
                }
                let member = Member()
                // Connect before adding it to the pool, so that no other reader waits for it.
                _ = try opening.connecting { try reopen(member) }
                member.isOpen.store(true, ordering: .releasing)
                member.users = 1
                let isClosed = readers.withLock { readers in
                    if !readers.isClosed { readers.members.append(member) }
                    return readers.isClosed
                }
                if isClosed { closing.withLock { member.close() } }
                return member
            }
        } catch {
            // The server may reject one more connection: share an open one.
            guard let member = readers.withLock({ $0.acquireOpen() }) else { throw error }
            return member
        }
    }

    /// Removes a reader without a connection from the pool.
    private func abandon(_ member: Member) {
        readers.withLock { readers in
            readers.members.removeAll { $0 === member && member !== writer }
        }
    }

    /// Runs `body` with the connection, and again with a new one if the server closed the first.
    private func usable<Result>(
        _ member: Member, _ body: (any Database) throws -> Result
    ) throws -> Result {
        if member.isClosed || options.interruption.hasHappened { throw DatabaseError.closed }
        guard let database = member.database, database.isUsable,
            member.generation == generation.load(ordering: .acquiring)
        else { return try body(reopen(member)) }
        do {
            return try body(database)
        } catch {
            guard database.wasLost else { throw error }
            return try body(reopen(member))
        }
    }

    /// Reopens a connection.
    ///
    /// - Parameters:
    ///   - member: The connection; the caller holds its lock.
    ///   - isReplaced: Whether the file was replaced. All connections are then reopened, so that readers see later writes.
    /// - Returns: The new connection.
    /// - Throws: ``DatabaseError``; there is then no connection.
    private func reopen(_ member: Member, isReplaced: Bool = false) throws -> any Database {
        member.database?.close()
        member.database = nil
        if case .memory = place { throw DatabaseError.closed }
        var options = options
        if member !== writer { options.mode = .readOnly }
        if isReplaced || member === writer { generation.add(1, ordering: .releasing) }
        let generation = generation.load(ordering: .acquiring)
        let opened: any Database
        do {
            opened = try member.connecting { try Self.connect(place, schema, options, .nothing) }
        } catch {
            abandon(member)
            throw error
        }
        member.database = opened
        member.generation = generation
        return opened
    }
}
