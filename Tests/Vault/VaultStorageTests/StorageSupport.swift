import Platform
import Synchronization
import TestSupport
import VaultStorage

/// The storages that keep the one contract.
enum StorageKind: CaseIterable, Sendable {
    case memory, sqlite, postgresql

    /// Those that can be had here.
    static let allCases: [Self] =
        PostgreSQLServer.isWanted ? [.memory, .sqlite, .postgresql] : [.memory, .sqlite]

    func withStorage(_ body: (any RecordStorage) throws -> Void) throws {
        switch self {
        case .memory: try Self.with(try VaultDatabase.inMemory(), body)
        case .sqlite:
            try withTemporaryFolder { folder in
                try Self.with(VaultDatabase.createFile(at: folder + "/vault.db"), body)
            }
        case .postgresql:
            try withPostgreSQLDatabase { address in
                try Self.with(VaultDatabase.createServer(at: address), body)
            }
        }
    }

    private static func with(
        _ storage: any RecordStorage, _ body: (any RecordStorage) throws -> Void
    ) throws {
        defer { storage.close() }
        try body(storage)
    }

    /// Two objects for the same records; in memory there is one only.
    func withTwo(_ body: (any RecordStorage, any RecordStorage) async throws -> Void) async throws {
        switch self {
        case .memory:
            let storage = try VaultDatabase.inMemory()
            try await body(storage, storage)
        case .sqlite:
            try await withTemporaryFolder { folder in
                let path = folder + "/vault.db"
                let first = try VaultDatabase.createFile(at: path)
                let second = try VaultDatabase.openFile(at: path, mode: .readWrite)
                defer {
                    first.close()
                    second.close()
                }
                try await body(first, second)
            }
        case .postgresql:
            try await withPostgreSQLDatabase { address in
                let lockTimeout = Duration.seconds(60)
                let first = try VaultDatabase.createServer(at: address, lockTimeout: lockTimeout)
                // Nobody opens one without records.
                let second = try VaultDatabase.createServer(at: address, lockTimeout: lockTimeout)
                try await body(first, second)
            }
        }
    }
}

/// An error of a test's own.
struct Interruption: Error, Equatable {}

extension ItemRecord {
    /// A row whose columns are all told by two bytes.
    static func sample(_ bucket: UInt8, _ number: UInt8 = 0, value: [UInt8]? = nil) -> ItemRecord {
        ItemRecord(
            tag: [bucket] + [UInt8](repeating: number, count: 31),
            itemID: [UInt8](repeating: number, count: 16), accessClass: 1 + number % 2,
            revision: UInt64(number) + 1, format: 1,
            attributes: [UInt8](repeating: bucket, count: 100),
            value: value ?? [UInt8](repeating: number, count: 200))
    }
}

extension EarlierRecord {
    /// An earlier row whose columns are all told by a byte and its revision.
    static func sample(_ bucket: UInt8, _ revision: UInt64, value: [UInt8]? = nil) -> EarlierRecord
    {
        EarlierRecord(
            itemID: [bucket] + [UInt8](repeating: 7, count: 15), accessClass: 1, revision: revision,
            format: 1, attributes: [UInt8](repeating: bucket, count: 100),
            value: value ?? [UInt8](truncatingIfNeeded: revision, count: 200),
            moved: [UInt8](repeating: bucket, count: 49))
    }
}

extension [UInt8] {
    fileprivate init(truncatingIfNeeded number: UInt64, count: Int) {
        self.init(repeating: UInt8(truncatingIfNeeded: number), count: count)
    }
}

extension RecordStorage {
    func put(_ items: [ItemRecord]) throws {
        try write { writer in for item in items { try writer.insertItem(item) } }
    }

    /// All rows in the order in which they come.
    func items() throws -> [ItemRecord] {
        try read { reader in
            var items: [ItemRecord] = []
            try reader.forEachItem { items.append($0) }
            return items
        }
    }

    func put(_ rows: [EarlierRecord]) throws {
        try write { writer in for row in rows { try writer.insertEarlier(row) } }
    }

    /// All earlier rows in the order in which they come.
    func earlier() throws -> [EarlierRecord] {
        try read { reader in
            var rows: [EarlierRecord] = []
            try reader.forEachEarlier { rows.append($0) }
            return rows
        }
    }

    func earlier(inBucket bucket: UInt8) throws -> [EarlierRecord] {
        try read { reader in
            var rows: [EarlierRecord] = []
            try reader.forEachEarlier(inBucket: bucket) { rows.append($0) }
            return rows
        }
    }

    func items(inBucket bucket: UInt8) throws -> [ItemRecord] {
        try read { reader in
            var items: [ItemRecord] = []
            try reader.forEachItem(inBucket: bucket) { items.append($0) }
            return items
        }
    }

    /// Everything that there is, to compare two storages.
    func everything() throws -> Everything {
        try read { reader in
            var items: [ItemRecord] = []
            try reader.forEachItem { items.append($0) }
            var links: [LinkRecord] = []
            try reader.forEachLink(1...LinkRecord.largestCounter) { links.append($0) }
            var earlier: [EarlierRecord] = []
            try reader.forEachEarlier { earlier.append($0) }
            return Everything(
                header: try reader.header(), state: try reader.state(),
                buckets: try reader.buckets(), links: links, items: items,
                earlier: earlier)
        }
    }
}

struct Everything: Equatable {
    var header: [UInt8]?
    var state: [UInt8]?
    var buckets: [BucketRecord]
    var links: [LinkRecord] = []
    var items: [ItemRecord]
    var earlier: [EarlierRecord] = []
}

/// The storage's error that `body` throws, or nil if it throws none or another.
func storageError(_ body: () throws -> Void) -> DatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}
