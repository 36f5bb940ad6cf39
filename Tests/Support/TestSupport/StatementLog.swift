package import Database
internal import Synchronization

/// Records the statements of a database, with the beginnings and ends of its transactions. Thread-safe.
package final class StatementLog: Sendable {
    package typealias Entry = (sql: SQL, values: [DatabaseValue])

    private let entries = Mutex<[Entry]>([])

    package init() {}

    /// Takes the entries since the last time.
    package func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }

    /// Options of a database whose statements are recorded.
    package func options(_ options: DatabaseOptions) -> DatabaseOptions {
        var options = options
        options.wrap = { RecordingDatabase($0, self) }
        return options
    }

    fileprivate func add(_ sql: SQL, _ values: [DatabaseValue] = []) {
        entries.withLock { $0.append((sql, values)) }
    }
}

private final class RecordingDatabase: ForwardingDatabase {
    let base: any Database
    private let log: StatementLog

    init(_ base: any Database, _ log: StatementLog) {
        self.base = base
        self.log = log
    }

    func begin(_ kind: TransactionKind) throws -> Bool {
        log.add("BEGIN")
        return try base.begin(kind)
    }

    func commit(_ isCommitted: CommitCheck?) throws {
        log.add("COMMIT")
        try base.commit(isCommitted)
    }

    func rollback() {
        log.add("ROLLBACK")
        base.rollback()
    }

    func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
    ) throws {
        log.add(sql, values)
        try base.forEachRow(sql, values, read)
    }

    func change(_ sql: SQL, _ values: [DatabaseValue], erasing isErasing: Bool) throws -> Int {
        log.add(sql, values)
        return try base.change(sql, values, erasing: isErasing)
    }
}
