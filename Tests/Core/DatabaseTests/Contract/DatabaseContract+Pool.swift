@testable import Database
import Foundation
import Synchronization
import Testing
import TestSupport
import Platform

extension DatabaseContract {
    @Test("lets readers beside a writer see the state before", arguments: Implementation.shared)
    func readersBesideWriter(kind: Implementation) throws {
        try kind.withPool(DatabaseOptions(connections: 4)) { pool, _ in
            try pool.write { try $0.insert(1) }
            try pool.write { transaction in
                try transaction.insert(2)
                #expect(try pool.ids() == [1])
                #expect(try pool.single { try $0.ids() } == [1])
                #expect(try pool.single(following: true) { try $0.ids() } == [1])
                onOwnThreads(8) { _ in
                    guard try pool.ids() == [1] else { throw BodyError() }
                }
            }
            #expect(try pool.ids() == [1, 2])
        }
    }

    @Test(
        "serves as many readers at once as it has connections for them",
        arguments: Implementation.shared)
    func readersAtOnce(kind: Implementation) throws {
        try kind.withPool(DatabaseOptions(connections: 4)) { pool, place in
            try Self.expectAtOnce(3, pool)
            pool.close()
            // The first connection serves readers, too, where there is no writer.
            let options = DatabaseOptions(mode: .readOnly, connections: 3)
            let reader = try DatabasePool.open(place, .notes, options)
            defer { reader.close() }
            try Self.expectAtOnce(3, reader)
        }
    }

    /// Makes sure that so many readers are inside at once, and no more.
    private static func expectAtOnce(_ count: Int, _ pool: DatabasePool) throws {
        let inside = Mutex((now: 0, most: 0))
        onOwnThreads(count + 2) { _ in
            try pool.read { transaction in
                inside.withLock { inside in
                    inside.now += 1
                    inside.most = max(inside.most, inside.now)
                }
                _ = until { inside.withLock { $0.most } >= count }
                _ = try transaction.ids()
                inside.withLock { $0.now -= 1 }
            }
        }
        #expect(inside.withLock { $0.most } == count)
    }

    @Test(
        "refuses a new connection of a reader after a newer program migrated the tables",
        arguments: Implementation.shared)
    func newerForReaders(kind: Implementation) throws {
        try kind.withPool(DatabaseOptions(connections: 4)) { pool, place in
            try DatabasePool.open(place, .newerNotes).close()
            expect(.newerVersion(3)) { _ = try pool.ids() }
            expect(.newerVersion(3)) { _ = try pool.single { try $0.ids() } }
            expect(.newerVersion(3)) { try pool.write { try $0.insert(1) } }
            let options = DatabaseOptions(mode: .readOnly)
            expect(.newerVersion(3)) { _ = try DatabasePool.open(place, .notes, options) }
        }
    }

    @Test("in memory has one connection, however many it may have")
    func memoryConnections() throws {
        try Implementation.memory.withPool(DatabaseOptions(connections: 4)) { pool, _ in
            try pool.write { try $0.insert(1) }
            #expect(try pool.ids() == [1])
            #expect(try pool.single(following: true) { try $0.ids() } == [1])
            try pool.followPath()
            #expect(try pool.ids() == [1])
        }
    }

    @Test("is closed for all calls", arguments: Implementation.all, [1, 4])
    func close(kind: Implementation, connections: Int) throws {
        try kind.withPool(DatabaseOptions(connections: connections)) { pool, place in
            try pool.write { try $0.insert(1) }
            _ = try pool.ids()
            for _ in 0..<2 {
                pool.close()
                expect(.closed) { try pool.write { try $0.insert(2) } }
                expect(.closed) { _ = try pool.ids() }
                expect(.closed) { _ = try pool.single { try $0.ids() } }
                expect(.closed) { _ = try pool.single(following: true) { try $0.ids() } }
                expect(.closed) { _ = try pool.eraseOldBytes() }
                expect(.closed) { _ = try pool.leaveWALMode() }
                try pool.followPath()
                expect(.closed) { _ = try pool.ids() }
            }
            try place.expectUnused()
        }
    }

    @Test(
        "leaves no connection behind when it is closed while others come",
        arguments: Implementation.shared)
    func closeUnderLoad(kind: Implementation) throws {
        for _ in 0..<5 {
            try kind.withPool(DatabaseOptions(connections: 4)) { pool, place in
                let started = Mutex(0)
                onOwnThreads(7) { number in
                    guard number > 0 else {
                        while started.withLock({ $0 }) < 3 { usleep(100) }
                        return pool.close()
                    }
                    while true {
                        started.withLock { $0 += 1 }
                        let error = databaseError { _ = try pool.ids() }
                        if error == .closed { return }
                        if let error { throw error }
                    }
                }
                try place.expectUnused()
            }
        }
    }

    @Test("follows its path to a file that took the place of the open one", arguments: [1, 4])
    func replaced(connections: Int) throws {
        for way in 0..<3 {
            try withTemporaryFolder { folder in
                let path = folder + "/notes.db"
                let other = folder + "/other.db"
                let next = try DatabasePool.create(.file(other), .notes)
                try next.write { try $0.insert(2) }
                next.close()
                let pool = try DatabasePool.create(
                    .file(path), .notes, DatabaseOptions(connections: connections))
                defer { pool.close() }
                try pool.write { try $0.insert(1) }
                #expect(try pool.ids() == [1])
                for suffix in [""] + VaultLocation.companionSuffixes {
                    _ = unsafe rename(path + suffix, folder + "/old" + suffix)
                }
                try #require(unsafe rename(other, path) == 0)
                // A transaction keeps to the open one until another call has found out.
                #expect(try pool.ids() == [1])
                #expect(try pool.single { try $0.ids() } == [1])
                switch way {
                case 0: #expect(try pool.single(following: true) { try $0.ids() } == [2])
                case 1: try pool.followPath()
                default:
                    try pool.write { transaction in
                        #expect(try transaction.ids() == [2])
                        try transaction.change("DELETE FROM notes")
                        try transaction.insert(2)
                    }
                }
                #expect(try pool.ids() == [2])
                #expect(try pool.single { try $0.ids() } == [2])
                try pool.write { try $0.insert(3) }
                #expect(try pool.ids() == [2, 3])
                let fresh = try DatabasePool.open(.file(path), .notes)
                defer { fresh.close() }
                #expect(try fresh.ids() == [2, 3])
            }
        }
    }

    @Test("is not found where its file was removed, and found again", arguments: [1, 4])
    func removed(connections: Int) throws {
        try Implementation.file.withPool(DatabaseOptions(connections: connections)) { pool, place in
            guard case .file(let path) = place else { return }
            try pool.write { try $0.insert(1) }
            _ = try pool.eraseOldBytes()
            _ = try pool.ids()
            for suffix in [""] + VaultLocation.companionSuffixes {
                _ = unsafe rename(path + suffix, path + ".old" + suffix)
            }
            expect(.notFound) { _ = try pool.single(following: true) { try $0.ids() } }
            expect(.notFound) { try pool.write { try $0.insert(2) } }
            expect(.notFound) { _ = try pool.ids() }
            try #require(unsafe rename(path + ".old", path) == 0)
            #expect(try pool.ids() == [1])
            try pool.write { try $0.insert(2) }
            #expect(try pool.ids() == [1, 2])
        }
    }

    @Test("erases old bytes while nobody else reads, where it can", arguments: Implementation.all)
    func erase(kind: Implementation) throws {
        try kind.withPool { pool, place in
            let expected: Bool? = kind == .server ? nil : true
            try pool.write { try $0.insert(1, words: "swordfish") }
            _ = try pool.write { try $0.change("DELETE FROM notes") }
            #expect(try pool.eraseOldBytes() == expected)
            #expect(try pool.eraseOldBytes(rewriting: true) == expected)
            guard case .file(let path) = place else { return }
            #expect(try !TestFile.read(path).contains(Array("swordfish".utf8)))
            #expect(TestFile.size(path + "-wal") == 0)
            let other = try DatabasePool.open(place, .notes)
            defer { other.close() }
            try other.read { transaction in
                _ = try transaction.ids()
                try pool.write { try $0.insert(1) }
                #expect(
                    try pool.eraseOldBytes(attempts: 2, lockTimeout: .milliseconds(5)) == false)
            }
            #expect(try pool.eraseOldBytes() == true)
        }
    }

    @Test("leaves its log while nobody else has it open", arguments: Implementation.all)
    func leaveWALMode(kind: Implementation) throws {
        try kind.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            if kind == .file {
                let options = DatabaseOptions(lockTimeout: .milliseconds(1))
                let other = try DatabasePool.open(place, .notes, options)
                #expect(databaseError { _ = try other.leaveWALMode() } == .busy)
                other.close()
            }
            #expect(try pool.leaveWALMode())
            if case .file(let path) = place { #expect(!TestFile.exists(path + "-wal")) }
            #expect(try pool.ids() == [1])
        }
    }

    @Test("is copied into a new file", arguments: [Implementation.memory, .file])
    func backup(kind: Implementation) throws {
        try withTemporaryFolder { folder in
            try kind.withPool { pool, _ in
                try pool.write { try $0.insert(1) }
                let path = folder + "/copy.db"
                try pool.backup(to: path)
                expect(.alreadyExists) { try pool.backup(to: path) }
                try pool.write { try $0.insert(2) }
                #expect(TestFile.mode(path) == 0o600)
                let copy = try DatabasePool.open(.file(path), .notes)
                #expect(try copy.ids() == [1])
                copy.close()
                #expect(TestFile.names(in: folder) == ["copy.db"])
            }
        }
    }
}

extension DatabasePlace {
    /// Makes sure that no connection is open.
    fileprivate func expectUnused() throws {
        switch self {
        case .memory: break
        case .file(let path):
            let (folder, name) = SafeFolder.split(path)
            #expect(TestFile.names(in: folder) == [name])
        case .server(let address):
            let connection = try PostgreSQLConnection(to: address)
            defer { connection.close() }
            // The server's processes take a moment to end.
            let isUnused = try until {
                try connection.number(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                        AND backend_type = 'client backend'
                    """) == 0
            }
            #expect(isUnused)
        }
    }
}
