@testable import Database
import Foundation
import Testing
import TestSupport

@Suite("Who waits for other connections")
struct LockWaitTests {
    @Test(
        "tries again every few milliseconds until the time is over", arguments: [0, 1, 20, 5_000])
    func pauses(limit: Int) {
        var pauses: [Int] = []
        while let pause = LockWait.pause(after: pauses.count, lockTimeout: limit) {
            pauses.append(pause)
        }
        #expect(pauses.reduce(0, +) == limit)
        #expect(pauses.allSatisfy { (1...5).contains($0) })
        #expect(pauses.count >= limit / 5)
    }

    @Test("gets what another one held, and is told when that takes too long")
    func others() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/data.db"
            let holder = try SQLiteConnection(
                path: path, options: SQLiteOptions(access: .create))
            try holder.run(script: "CREATE TABLE t (a); BEGIN IMMEDIATE")
            #expect {
                try Self.insert(path, waiting: .milliseconds(30))
            } throws: {
                ($0 as? DatabaseError) == .busy
            }
            let began = DispatchSemaphore(value: 0)
            let ended = DispatchSemaphore(value: 0)
            // A thread of its own: who waits holds it.
            Thread.detachNewThread {
                #expect(throws: Never.self) {
                    try Self.insert(path, waiting: .seconds(600)) { began.signal() }
                }
                ended.signal()
            }
            began.wait()
            // So many that the other one has tried.
            for _ in 0..<1_000 { try holder.run(script: "INSERT INTO t VALUES (6)") }
            try holder.run(script: "COMMIT")
            ended.wait()
            #expect(try holder.integer("SELECT count(*) FROM t") == 1_001)
        }
    }

    private static func insert(
        _ path: String, waiting limit: Duration, _ beginning: () -> Void = {}
    ) throws {
        let options = SQLiteOptions(access: .readWrite, lockTimeout: limit)
        let database = try SQLiteConnection(path: path, options: options)
        beginning()
        try database.run(script: "BEGIN IMMEDIATE; INSERT INTO t VALUES (7); COMMIT")
    }
}
