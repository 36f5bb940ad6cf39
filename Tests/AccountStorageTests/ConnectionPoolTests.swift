@testable import AccountStorage
import Synchronization
import Testing
import TestSupport
import VaultStorage

/// A connection that notes whether it was closed.
private final class Connection: PooledConnection {
    let number: Int
    let isClosed = Atomic(false)

    init(_ number: Int) {
        self.number = number
    }

    func close() {
        isClosed.store(true, ordering: .relaxed)
    }
}

/// Opens connections, as many as there is room for.
private final class Opener: Sendable {
    let opened = Mutex<[Connection]>([])
    let room: Int

    init(room: Int = .max) {
        self.room = room
    }

    func open() throws(DatabaseError) -> Connection {
        let connection = opened.withLock { opened -> Connection? in
            guard opened.count < room else { return nil }
            let connection = Connection(opened.count)
            opened.append(connection)
            return connection
        }
        guard let connection else { throw .unreachable(reason: "no room") }
        return connection
    }

    func pool(limit: Int) -> ConnectionPool<Connection> {
        ConnectionPool(limit: limit) { [self] () throws(DatabaseError) in try open() }
    }
}

@Suite("A pool of connections")
struct ConnectionPoolTests {
    /// The numbers of the connections that so many nested calls get.
    private func nested(_ depth: Int, _ pool: ConnectionPool<Connection>) throws -> [Int] {
        guard depth > 0 else { return [] }
        var inner: [Int] = []
        var failure: (any Error)?
        let number = try pool.use { (connection) throws(DatabaseError) in
            do { inner = try nested(depth - 1, pool) } catch { failure = error }
            return connection.number
        }
        if let failure { throw failure }
        return [number] + inner
    }

    @Test("opens one after the other, when they are needed, and no more than allowed")
    func lending() throws {
        let opener = Opener()
        let pool = opener.pool(limit: 3)
        #expect(opener.opened.withLock(\.count) == 0)
        for _ in 0..<5 { #expect(try nested(1, pool) == [0]) }
        #expect(opener.opened.withLock(\.count) == 1)
        #expect(try nested(2, pool) == [0, 1])
        #expect(try nested(3, pool) == [0, 1, 2])
        // The others wait with those who are there, evenly.
        #expect(try nested(7, pool) == [0, 1, 2, 0, 1, 2, 0])
        #expect(opener.opened.withLock(\.count) == 3)
        #expect(try nested(3, pool) == [0, 1, 2])
    }

    @Test("makes do with those that there are when no other can be had")
    func noRoom() throws {
        let pool = Opener(room: 2).pool(limit: 9)
        #expect(try nested(5, pool) == [0, 1, 0, 1, 0])
        #expect(throws: DatabaseError.unreachable(reason: "no room")) {
            try nested(1, Opener(room: 0).pool(limit: 9))
        }
    }

    @Test("closes all of them, those in use too, and gives no more")
    func close() throws {
        let opener = Opener()
        let pool = opener.pool(limit: 2)
        _ = try nested(2, pool)
        try pool.use { (_) throws(DatabaseError) in pool.close() }
        pool.close()
        let closed = opener.opened.withLock { opened in
            opened.map { $0.isClosed.load(ordering: .relaxed) }
        }
        #expect(closed == [true, true])
        #expect(throws: DatabaseError.closed) { try nested(1, pool) }
    }

    @Test("knows who uses what when threads come and go")
    func threads() async throws {
        let opener = Opener()
        let pool = opener.pool(limit: 4)
        let calls = Atomic(0)
        await onThreads(8) { _ in
            for _ in 0..<1_000 {
                try? pool.use { (_) throws(DatabaseError) in
                    _ = calls.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(calls.load(ordering: .relaxed) == 8_000)
        #expect(opener.opened.withLock(\.count) <= 4)
        // Nobody is left behind: the next callers get one each.
        #expect(try nested(4, pool) == [0, 1, 2, 3])
    }
}
