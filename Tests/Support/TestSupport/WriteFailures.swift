package import Database
internal import Synchronization

/// Makes transactions of a database fail before they begin to write. Thread-safe.
package final class WriteFailures: Sendable {
    /// The failures of the next transactions that write; nil for one that succeeds.
    private let failures = Mutex<[DatabaseError?]>([])

    package init() {}

    /// Lets the next `times` transactions that write fail, after `others` that succeed.
    package func fail(_ times: Int, with error: DatabaseError = .busy, after others: Int = 0) {
        failures.withLock { failures in
            failures += Array(repeating: nil, count: others)
            failures += Array(repeating: error, count: times)
        }
    }

    /// The number of failures that are left.
    package var left: Int { failures.withLock { $0.count { $0 != nil } } }

    /// Options of a database whose transactions fail.
    package func options(_ options: DatabaseOptions) -> DatabaseOptions {
        var options = options
        options.wrap = { FailingDatabase($0, self) }
        return options
    }

    fileprivate func next() -> DatabaseError? {
        failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

private final class FailingDatabase: ForwardingDatabase {
    let base: any Database
    private let failures: WriteFailures

    init(_ base: any Database, _ failures: WriteFailures) {
        self.base = base
        self.failures = failures
    }

    func begin(_ kind: TransactionKind) throws -> Bool {
        if kind == .writing, let failure = failures.next() { throw failure }
        return try base.begin(kind)
    }
}
