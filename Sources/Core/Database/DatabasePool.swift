internal import Platform
internal import Synchronization

/// The place of a database.
public enum DatabasePlace: Sendable {
    /// A file, by its path.
    case file(String)
    /// A server.
    case server(PostgreSQLAddress)
    /// In memory, discarded when it is closed.
    case memory
}

/// How full a file system is, in bytes.
public struct DiskUse: Sendable, Hashable {
    /// All of it.
    public let total: UInt64
    /// What the user may still fill.
    public let free: UInt64

    /// Creates a description.
    public init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }

    /// Whether more than 80 % are in use.
    public var isNearlyFull: Bool { free < total / 5 }
}

/// The options of a database: access, connections and timeouts.
public struct DatabaseOptions: Sendable {
    /// The permitted access.
    public var mode: StorageMode
    /// How long a call waits for other writers.
    public var lockTimeout: Duration
    /// How long a server may take to respond.
    public var timeout: Duration
    /// The maximum number of connections: one for writers, the others for readers. A single connection is shared by all.
    public var connections: Int
    /// For tests: receives each new connection, and returns the one to use.
    package var wrap: (@Sendable (any Database) -> any Database)?
    /// Ends calls from another thread. Each pool has its own.
    fileprivate(set) var interruption = Interruption()

    /// Creates options.
    public init(
        mode: StorageMode = .readWrite, lockTimeout: Duration = .seconds(5),
        timeout: Duration = .seconds(30), connections: Int = 1
    ) {
        self.mode = mode
        self.lockTimeout = lockTimeout
        self.timeout = timeout
        self.connections = connections
    }
}

/// The tables of a schema at one place; connections are opened on demand, and reopened after a failure with every check.
///
/// Thread-safe: writers wait for each other, readers wait for a free connection. A call on the same object from inside the function
/// of ``write(_:)`` never returns. With a single connection the same holds for ``read(_:)``.
package final class DatabasePool: Sendable {
    /// Where the database is.
    package let place: DatabasePlace
    private let schema: Schema
    private let options: DatabaseOptions
    private let writer: Seat
    private let readers: Mutex<Readers>
    /// Serialises the connecting of further readers.
    private let opening = Seat()
    /// Serialises closing: of two connections that close at the same moment, neither would remove the log of a file.
    private let closing = CallLock()
    /// Increases when the path may name another file. Older connections are then reopened.
    private let generation = Atomic<UInt64>(0)

    /// A connection and its lock.
    ///
    /// Unchecked, because the connection is used only under the lock.
    private final class Seat: @unchecked Sendable {
        private let lock = CallLock()
        /// Used only under the lock.
        var database: (any Database)?
        /// Identifies the file of the connection. Used only under the lock.
        var generation: UInt64 = 0
        /// Used only under the lock.
        var isClosed = false
        /// Whether the connection was usable at the end of the last call.
        let isOpen: Atomic<Bool>
        /// The number of readers that use it or wait for it. Used under the lock of ``Readers``.
        var users = 0
        private let failures = Atomic<Int>(0)
        private var lastFailure: (any Error)?

        init(_ database: (any Database)? = nil) {
            self.database = database
            isOpen = Atomic(database != nil)
        }

        /// Runs `body` under the lock.
        ///
        /// - Throws: Without running `body`, the error of an attempt to connect that failed meanwhile: another attempt would double the wait.
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

        /// Runs `body`, which connects, under the lock. Remembers its error for the calls that wait.
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
        var seats: [Seat] = []
        var isClosed = false

        /// Takes an idle seat, or at the limit the one with the fewest users; nil if a seat may be added.
        mutating func take(limit: Int) throws -> Seat? {
            if isClosed { throw DatabaseError.closed }
            guard let seat = seats.min(by: { $0.users < $1.users }),
                seat.users == 0 || seats.count >= limit
            else { return nil }
            seat.users += 1
            return seat
        }

        /// Takes the open seat with the fewest users.
        mutating func takeOpen() -> Seat? {
            let seat = seats.filter { $0.isOpen.load(ordering: .acquiring) }
                .min { $0.users < $1.users }
            seat?.users += 1
            return seat
        }
    }

    private init(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions, _ making: Making
    ) throws {
        var options = options
        options.interruption = Interruption()
        // Another connection would have other tables.
        if case .memory = place { options.connections = 1 }
        // Resolved once: a link that changes later must not lead some connections to another file.
        self.place =
            if case .file(let path) = place { .file(try VaultLocation(path: path).path) } else {
                place
            }
        self.schema = schema
        self.options = options
        writer = Seat(try Self.connect(self.place, schema, options, making))
        readers = Mutex(Readers(seats: options.mode == .readOnly ? [writer] : []))
    }

    /// Opens the database of a place (S2).
    private static func connect(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions, _ making: Making
    ) throws -> any Database {
        let database: any Database =
            switch place {
            case .server(let address): try PostgreSQLDatabase(address, schema, options, making)
            case .file(let path): try SQLiteDatabase.connect(path, schema, options, making)
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

    /// Opens tables, and creates them first if there are none.
    package static func openOrCreate(
        _ place: DatabasePlace, _ schema: Schema, _ options: DatabaseOptions = DatabaseOptions()
    ) throws -> DatabasePool {
        try DatabasePool(place, schema, options, .missing)
    }

    /// Makes calls fail soon that wait for a server or a lock, or run a statement. Afterwards the pool can only be closed.
    package func interrupt() {
        options.interruption.interrupt()
    }

    /// Closes all connections. The last user of a file removes all files beside it. Closing twice is allowed.
    package func close() {
        let seats = readers.withLock { readers in
            readers.isClosed = true
            return readers.seats
        }
        closing.withLock {
            for seat in seats { seat.close() }
            writer.close()
        }
    }
}

/// The tables to create when a database is opened.
enum Making {
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
        try withReader { seat in
            let database = try usable(seat) { database in
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
        try withReader { seat in
            try usable(seat) { database in
                let isReplaced = try isFollowing && !database.isCurrent()
                let current = try isReplaced ? reopen(seat, isReplaced: true) : database
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
            // An error that `body` caught still prevents the commit of a partial change.
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
        patience: Duration = .milliseconds(500)
    ) throws -> Bool? {
        guard options.mode == .readWrite else { throw DatabaseError.readOnly }
        return try writer.withLock {
            // A server keeps copies: no connection is needed to know that.
            if case .server = place, !writer.isClosed { return nil }
            return try usable(writer) { database in
                do {
                    return try database.eraseOldBytes(
                        rewriting: isRewriting, attempts: attempts, patience: patience)
                } catch DatabaseError.busy {
                    return false
                }
            }
        }
    }

    /// Returns unused space to the file system; a file keeps its size if readers prevent the change. Nothing happens on a server.
    package func returnSpace() throws {
        guard options.mode == .readWrite else { throw DatabaseError.readOnly }
        if case .server = place { return }
        // Others take their turn in between.
        while try writer.withLock({ try usable(writer) { try $0.returnSpace() } }) {}
        // The file gets shorter when the log is moved into it.
        _ = try eraseOldBytes(attempts: 1, patience: .milliseconds(100))
    }

    /// How full the file system of a file is; nil on a server and in memory.
    package func diskUse() throws -> DiskUse? {
        guard case .file(let path) = place else { return nil }
        let (total, free) = try FileSystem.space(SafeFolder.split(path).folder)
        return DiskUse(total: total, free: free)
    }

    /// Moves the log into the file and leaves log mode; see ``Database``.
    package func leaveLog() throws -> Bool {
        try writer.withLock { try usable(writer) { try $0.leaveLog() } }
    }

    /// Closes the connection if the path now names another file, or none; the next call opens that file with every check.
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

    /// Copies one snapshot of a file or of memory into a new file at `path`, mode 0600, durably; other processes may write concurrently.
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

    /// Runs `body` with a reader's seat.
    private func withReader<Result>(_ body: (Seat) throws -> Result) throws -> Result {
        guard options.connections > 1 else { return try writer.withLock { try body(writer) } }
        let seat = try takeSeat()
        defer { readers.withLock { _ in seat.users -= 1 } }
        return try seat.withLock { try body(seat) }
    }

    /// A seat for a reader: an idle one, a new one within the limit, or the one with the fewest users.
    private func takeSeat() throws -> Seat {
        let limit = options.mode == .readOnly ? options.connections : options.connections - 1
        if let seat = try readers.withLock({ try $0.take(limit: limit) }) { return seat }
        do {
            return try opening.withLock {
                if let seat = try readers.withLock({ try $0.take(limit: limit) }) { return seat }
                let seat = Seat()
                // Published with its connection only, so that no other reader waits for it.
                _ = try opening.connecting { try reopen(seat) }
                seat.isOpen.store(true, ordering: .releasing)
                seat.users = 1
                let isClosed = readers.withLock { readers in
                    if !readers.isClosed { readers.seats.append(seat) }
                    return readers.isClosed
                }
                if isClosed { closing.withLock { seat.close() } }
                return seat
            }
        } catch {
            // A server may refuse one more connection.
            guard let seat = readers.withLock({ $0.takeOpen() }) else { throw error }
            return seat
        }
    }

    /// Removes a reader's seat without a connection, so that no reader is given it.
    private func abandon(_ seat: Seat) {
        readers.withLock { readers in
            readers.seats.removeAll { $0 === seat && seat !== writer }
        }
    }

    /// Runs `body` with the database of a seat, and repeats it with a new connection if the server closed the first.
    private func usable<Result>(
        _ seat: Seat, _ body: (any Database) throws -> Result
    ) throws -> Result {
        if seat.isClosed || options.interruption.hasHappened { throw DatabaseError.closed }
        guard let database = seat.database, database.isUsable,
            seat.generation == generation.load(ordering: .acquiring)
        else { return try body(reopen(seat)) }
        do {
            return try body(database)
        } catch {
            guard database.wasLost else { throw error }
            return try body(reopen(seat))
        }
    }

    /// Reopens the connection of a seat.
    ///
    /// - Parameters:
    ///   - seat: The seat; the caller holds its lock.
    ///   - isReplaced: Whether the file was replaced. All seats then reopen it, so that readers see later writes.
    /// - Returns: The new connection.
    /// - Throws: ``DatabaseError``; the seat then has no connection.
    private func reopen(_ seat: Seat, isReplaced: Bool = false) throws -> any Database {
        seat.database?.close()
        seat.database = nil
        if case .memory = place { throw DatabaseError.closed }
        var options = options
        if seat !== writer { options.mode = .readOnly }
        if isReplaced || seat === writer { generation.add(1, ordering: .releasing) }
        let generation = generation.load(ordering: .acquiring)
        let opened: any Database
        do {
            opened = try seat.connecting { try Self.connect(place, schema, options, .nothing) }
        } catch {
            abandon(seat)
            throw error
        }
        seat.database = opened
        seat.generation = generation
        return opened
    }
}
