@testable import Database
import Dispatch
import Foundation
import Synchronization
import Testing
import TestSupport

@Suite("An interruption")
struct InterruptionTests {
    /// Longer than any test.
    private static let patient = DatabaseOptions(
        lockTimeout: .seconds(600), timeout: .seconds(600))

    /// Begins `body` in a thread of its own.
    private final class Call: Sendable {
        private let error = Mutex<DatabaseError?>(nil)
        private let ended = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [self] in
                do {
                    try body()
                } catch {
                    self.error.withLock { $0 = error as? DatabaseError }
                }
                ended.signal()
            }
        }

        /// Whether it ended because of the interruption, far earlier than without.
        var isInterrupted: Bool {
            guard ended.wait(timeout: .now() + 60) == .success else { return false }
            return switch error.withLock({ $0 }) {
            case .closed, .unreachable: true
            default: false
            }
        }
    }

    @Test("ends the wait for another writer", arguments: Implementation.shared)
    func waiting(kind: Implementation) throws {
        try kind.withTwoPools(Self.patient) { holder, pool in
            try holder.write { _ in
                let began = DispatchSemaphore(value: 0)
                let call = Call {
                    began.signal()
                    try pool.write { _ in }
                }
                began.wait()
                // So long that the call waits, most of the time.
                usleep(50_000)
                pool.interrupt()
                #expect(call.isInterrupted)
            }
            try holder.write { _ in }
        }
    }

    @Test("ends a running statement")
    func running() throws {
        try Implementation.file.withPool { pool, _ in
            let began = DispatchSemaphore(value: 0)
            let call = Call {
                try pool.read { transaction in
                    // Without an end.
                    _ = try transaction.rows(
                        """
                        WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
                        SELECT x FROM c WHERE x = 1 OR x < 0
                        """
                    ) { _ in began.signal() }
                }
            }
            began.wait()
            pool.interrupt()
            #expect(call.isInterrupted)
        }
    }

    @Test("prevents a commit, whose changes are not stored", arguments: Implementation.shared)
    func commit(kind: Implementation) throws {
        try kind.withTwoPools { pool, other in
            #expect(throws: DatabaseError.self) {
                try pool.write { transaction in
                    try transaction.change("INSERT INTO notes (id) VALUES (1)")
                    pool.interrupt()
                }
            }
            let rows = try other.single { try $0.rows("SELECT id FROM notes") { _ in true } }
            #expect(rows.isEmpty)
            #expect(throws: DatabaseError.closed) { try pool.write { _ in } }
            // Its lock is free.
            try other.write { _ = try $0.change("INSERT INTO notes (id) VALUES (2)") }
        }
    }
}
