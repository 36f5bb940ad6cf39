package import Database

/// A database that forwards each call unless the type implements it, to inject failures at chosen calls.
///
/// `DatabaseOptions.wrap` replaces each connection by it.
package protocol ForwardingDatabase: Database {
    var base: any Database { get }
}

extension ForwardingDatabase {
    package var isUsable: Bool { base.isUsable }
    package var wasLost: Bool { base.wasLost }
    package var isInTransaction: Bool { base.isInTransaction }
    package var pageSize: Int { base.pageSize }

    package func begin(_ kind: TransactionKind) throws -> Bool { try base.begin(kind) }
    package func commit(_ isCommitted: CommitCheck?) throws { try base.commit(isCommitted) }
    package func rollback() { base.rollback() }

    package func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
    ) throws {
        try base.forEachRow(sql, values, read)
    }

    package func change(
        _ sql: SQL, _ values: [DatabaseValue], erasing isErasing: Bool
    ) throws -> Int {
        try base.change(sql, values, erasing: isErasing)
    }

    package func isCurrent() throws -> Bool { try base.isCurrent() }
    package func dataVersion() throws -> DataVersion? { try base.dataVersion() }

    package func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, lockTimeout: Duration
    ) throws -> Bool? {
        try base.eraseOldBytes(rewriting: isRewriting, attempts: attempts, lockTimeout: lockTimeout)
    }

    package func leaveWALMode() throws -> Bool { try base.leaveWALMode() }
    package func returnSpace() throws -> Bool { try base.returnSpace() }
    package func close() { base.close() }
}
