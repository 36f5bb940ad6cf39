@testable import Database
import Testing
import TestSupport

extension DatabaseContract {
    @Test(
        "keeps what was committed, and nothing of a body that fails", arguments: Implementation.all)
    func commitAndRollback(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            let result = try pool.write { transaction in
                try transaction.insert(1)
                return "done"
            }
            #expect(result == "done")
            // The error comes back as it is.
            for error in [BodyError(), BodyError(number: 8)] {
                #expect(throws: error) {
                    try pool.write { transaction in
                        try transaction.insert(2)
                        throw error
                    }
                }
                #expect(throws: error) { try pool.read { _ in throw error } }
                #expect(throws: error) { try pool.single { _ in throw error } }
            }
            #expect(try pool.ids() == [1])
            try pool.write { try $0.insert(2) }
            #expect(try pool.ids() == [1, 2])
        }
    }

    @Test(
        "commits nothing after a failure, also one that the body swallowed",
        arguments: Implementation.all)
    func swallowed(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            try pool.write { try $0.insert(1) }
            expectDamage {
                try pool.write { transaction in
                    try transaction.insert(2)
                    try? transaction.insert(1)
                    try? transaction.insert(3)
                }
            }
            // Also one of reading a row.
            expectDamage {
                try pool.write { transaction in
                    try transaction.insert(2)
                    let error = databaseError { try Self.readText(transaction) }
                    #expect(error != nil)
                }
            }
            #expect(try pool.ids() == [1])
            try pool.write { try $0.insert(2) }
            #expect(try pool.ids() == [1, 2])
        }
    }

    private static func readText(_ transaction: Transaction) throws {
        _ = try transaction.rows("SELECT id FROM notes") { try $0.text(0) }
    }

    @Test("is out of reach for a transaction that has ended", arguments: Implementation.all)
    func ended(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            var kept: [Transaction] = []
            try pool.write { kept.append($0) }
            try pool.read { kept.append($0) }
            try pool.single { kept.append($0) }
            #expect(throws: BodyError.self) {
                try pool.write { transaction in
                    kept.append(transaction)
                    throw BodyError()
                }
            }
            try pool.write { _ in
                for transaction in kept {
                    expect(.closed) { _ = try transaction.ids() }
                    expect(.closed) { try transaction.insert(1) }
                    expect(.closed) { _ = try transaction.dataVersion() }
                }
            }
            #expect(try pool.ids() == [])
        }
    }

    @Test("runs statements inside the rows of another", arguments: Implementation.all)
    func nested(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            try pool.write { for id in 1...3 { try $0.insert(Int64(id)) } }
            let pairs = try pool.read { transaction in
                try transaction.rows("SELECT id FROM notes ORDER BY id") { row in
                    let id = try row.integer(0)
                    return try transaction.ids().map { id * 10 + $0 }
                }
            }
            #expect(pairs == [[11, 12, 13], [21, 22, 23], [31, 32, 33]])
        }
    }

    @Test("shows one snapshot to a reader", arguments: Implementation.shared)
    func snapshot(kind: Implementation) throws {
        try kind.withTwoPools { first, second in
            try first.read { transaction in
                #expect(try transaction.ids() == [])
                try second.write { try $0.insert(1) }
                #expect(try transaction.ids() == [])
                #expect(try second.ids() == [1])
            }
            #expect(try first.ids() == [1])
            let single = try first.single { try $0.ids() }
            #expect(single == [1])
        }
    }

    @Test(
        "lets writers take turns, each with what the others committed",
        arguments: Implementation.shared)
    func turns(kind: Implementation) throws {
        let options = DatabaseOptions(lockTimeout: .seconds(600))
        try kind.withTwoPools(options) { first, second in
            try first.write { try $0.insert(1, number: 0) }
            onOwnThreads(4) { number in
                let pool = number % 2 == 0 ? first : second
                for _ in 0..<25 {
                    try pool.write { transaction in
                        let count = try transaction.row("SELECT number FROM notes WHERE id = 1") {
                            try $0.integer(0)
                        }
                        try transaction.change(
                            "UPDATE notes SET number = $1 WHERE id = 1",
                            [.integer((count ?? 0) + 1)])
                    }
                }
            }
            let count = try first.single { transaction in
                try transaction.row("SELECT number FROM notes") { try $0.integer(0) }
            }
            #expect(count == 100)
        }
    }

    @Test(
        "is busy for a writer that others keep waiting too long", arguments: Implementation.shared,
        [0, 30])
    func busy(kind: Implementation, milliseconds: Int) throws {
        let options = DatabaseOptions(lockTimeout: .milliseconds(milliseconds))
        try kind.withTwoPools(options) { first, second in
            try first.write { transaction in
                try transaction.insert(1)
                expect(.busy) { try second.write { try $0.insert(2) } }
                #expect(try second.ids() == [])
            }
            try second.write { try $0.insert(2) }
            #expect(try first.ids() == [1, 2])
        }
    }

    @Test("tells whether anything was committed, where it can", arguments: Implementation.all)
    func dataVersion(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            func version() throws -> DataVersion? {
                try pool.single { transaction in
                    _ = try transaction.ids()
                    return try transaction.dataVersion()
                }
            }
            let first = try version()
            #expect((first == nil) == (kind == .server))
            #expect(try version() == first)
            try pool.write { try $0.insert(1) }
            if kind != .server { #expect(try version() != first) }
        }
    }
}
