@testable import Database
import Testing
import TestSupport

/// The count of commits that connections share without asking the file.
@Suite("The count of commits")
struct CommitCountTests {
    @Test("changes with each commit of any pool, and with nothing else")
    func changes() throws {
        try withTemporaryFolder { folder in
            let options = DatabaseOptions(connections: 3)
            let place = DatabasePlace.file(folder + "/notes.db")
            let pool = try DatabasePool.openOrCreate(place, .notes, options)
            defer { pool.close() }
            let other = try DatabasePool.open(place, .notes, options)
            defer { other.close() }
            var seen: Set<CommitCount> = []
            func expectNew(_ step: String) throws {
                let count = try #require(pool.commitCount())
                #expect(seen.insert(count).inserted, "\(step)")
                _ = try pool.ids()
                #expect(pool.commitCount() == count)
                #expect(other.commitCount() == count)
            }
            try expectNew("the beginning")
            for number in 1...3 {
                try pool.write { try $0.insert(Int64(2 * number)) }
                try expectNew("an own commit")
                try other.write { try $0.insert(Int64(2 * number + 1)) }
                try expectNew("a commit of another pool")
            }
            struct Interruption: Error {}
            let before = pool.commitCount()
            #expect(throws: Interruption.self) {
                try pool.write { transaction in
                    try transaction.insert(100)
                    throw Interruption()
                }
            }
            #expect(pool.commitCount() == before, "nothing was committed")
            // The log begins anew.
            _ = try pool.eraseOldBytes(rewriting: false)
            try other.write { try $0.insert(200) }
            try expectNew("a commit after a checkpoint")
        }
    }

    @Test("is the same in all threads")
    func threads() throws {
        try withTemporaryFolder { folder in
            let pool = try DatabasePool.openOrCreate(
                .file(folder + "/notes.db"), .notes, DatabaseOptions(connections: 2))
            defer { pool.close() }
            try pool.write { try $0.insert(1) }
            let count = try #require(pool.commitCount())
            onOwnThreads(40) { _ in
                guard pool.commitCount() == count else { throw DatabaseError.mismatch }
            }
        }
    }

    @Test("is missing in memory and after the end, and leaves no file")
    func missing() throws {
        let memory = try DatabasePool.openOrCreate(.memory, .notes, DatabaseOptions())
        #expect(memory.commitCount() == nil)
        memory.close()
        try withTemporaryFolder { folder in
            let pool = try DatabasePool.openOrCreate(
                .file(folder + "/notes.db"), .notes, DatabaseOptions(connections: 2))
            #expect(pool.commitCount() != nil)
            pool.close()
            #expect(pool.commitCount() == nil)
            #expect(TestFile.names(in: folder) == ["notes.db"])
        }
    }
}
