internal import TestSupport
internal import CSQLite
internal import VaultStorage

/// The traces of one save of the product in its file.
struct StoredChange {
    let row: ItemRecord
    let bucket: [UInt8]
    let link: LinkRecord
    let state: [UInt8]
}

/// Writes records as they come, with statements that are prepared once.
final class BareWriter {
    private let begin: BareStatement
    private let commit: BareStatement
    private let insert: BareStatement
    private let bucket: BareStatement
    private let link: BareStatement
    private let state: BareStatement

    init(_ database: BareDatabase) throws {
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        insert = try database.prepare(
            """
            INSERT INTO items (tag, item_id, class, revision, format, attributes, value)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        bucket = try database.prepare(
            """
            INSERT INTO buckets (number, bytes) VALUES (?1, ?2)
            ON CONFLICT (number) DO UPDATE SET bytes = ?2
            """)
        link = try database.prepare(
            """
            INSERT INTO links (counter, bytes) VALUES (?1, ?2)
            ON CONFLICT (counter) DO UPDATE SET bytes = ?2
            """)
        state = try database.prepare("UPDATE state SET bytes = ?1 WHERE id = 1")
    }

    /// Inserts a row, durably.
    func insertDurably(_ row: ItemRecord) throws {
        try begin.run()
        try insert(row)
        try commit.run()
    }

    /// Writes all that a save writes, durably.
    func writeDurably(_ change: StoredChange) throws {
        try begin.run()
        try insert(change.row)
        try put(change.bucket, number: change.row.tag[0])
        try put(change.link)
        try put(state: change.state)
        try commit.run()
    }

    /// Inserts everything in one transaction.
    func writeAll(_ content: VaultContent) throws {
        try begin.run()
        for row in content.rows { try insert(row) }
        for record in content.buckets { try put(record.bytes, number: UInt8(record.number)) }
        for record in content.links { try put(record) }
        try put(state: content.state)
        try commit.run()
    }

    private func insert(_ row: ItemRecord) throws {
        try unsafe row.tag.withUnsafeBytes { tag in
            try unsafe row.itemID.withUnsafeBytes { itemID in
                try unsafe row.attributes.withUnsafeBytes { attributes in
                    try unsafe row.value.withUnsafeBytes { value in
                        unsafe insert.bind(tag, at: 1)
                        unsafe insert.bind(itemID, at: 2)
                        insert.bind(Int64(row.accessClass), at: 3)
                        insert.bind(Int64(row.revision), at: 4)
                        insert.bind(Int64(row.format), at: 5)
                        unsafe insert.bind(attributes, at: 6)
                        unsafe insert.bind(value, at: 7)
                        try insert.run()
                    }
                }
            }
        }
    }

    private func put(_ bytes: [UInt8], number: UInt8) throws {
        try unsafe bytes.withUnsafeBytes { bytes in
            bucket.bind(Int64(number), at: 1)
            unsafe bucket.bind(bytes, at: 2)
            try bucket.run()
        }
    }

    private func put(_ record: LinkRecord) throws {
        try unsafe record.bytes.withUnsafeBytes { bytes in
            link.bind(Int64(record.counter), at: 1)
            unsafe link.bind(bytes, at: 2)
            try link.run()
        }
    }

    private func put(state bytes: [UInt8]) throws {
        try unsafe bytes.withUnsafeBytes { bytes in
            unsafe state.bind(bytes, at: 1)
            try state.run()
        }
    }
}

/// All that a vault file holds, apart from the header.
struct VaultContent {
    let rows: [ItemRecord]
    let buckets: [BucketRecord]
    let links: [LinkRecord]
    let state: [UInt8]

    /// Reads it from a file that nobody writes.
    init(_ path: String) throws {
        let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
        defer { storage.close() }
        (rows, buckets, links, state) = try storage.read { reader in
            var rows: [ItemRecord] = []
            var links: [LinkRecord] = []
            try reader.forEachLink(1...LinkRecord.largestCounter) { links.append($0) }
            for number in UInt8.min...UInt8.max {
                try reader.forEachItem(inBucket: number) { rows.append($0) }
            }
            return (rows, try reader.buckets(), links, try reader.state() ?? [])
        }
    }
}

/// Reads back what a save wrote.
final class BareRecordReader {
    private let database: BareDatabase
    private let row: BareStatement
    private let bucket: BareStatement
    private let link: BareStatement
    private let state: BareStatement

    init(_ database: BareDatabase) throws {
        self.database = database
        row = try database.prepare(
            "SELECT item_id, class, revision, format, attributes, value FROM items WHERE tag = ?1")
        bucket = try database.prepare("SELECT bytes FROM buckets WHERE number = ?1")
        link = try database.prepare(
            "SELECT counter, bytes FROM links ORDER BY counter DESC LIMIT 1")
        state = try database.prepare("SELECT bytes FROM state")
    }

    func change(_ tag: [UInt8]) throws -> StoredChange {
        defer {
            row.reset()
            bucket.reset()
            link.reset()
            state.reset()
        }
        return try unsafe tag.withUnsafeBytes { tagBytes in
            unsafe row.bind(tagBytes, at: 1)
            bucket.bind(Int64(tag[0]), at: 1)
            guard try row.step(), try bucket.step(), try link.step(), try state.step() else {
                throw BenchmarkFailure("a save that left nothing")
            }
            return unsafe StoredChange(
                row: ItemRecord(
                    tag: tag, itemID: [UInt8](row.blob(at: 0)),
                    accessClass: UInt8(row.integer(at: 1)), revision: UInt64(row.integer(at: 2)),
                    format: UInt32(row.integer(at: 3)), attributes: [UInt8](row.blob(at: 4)),
                    value: [UInt8](row.blob(at: 5))),
                bucket: [UInt8](bucket.blob(at: 0)),
                link: LinkRecord(
                    counter: UInt64(link.integer(at: 0)), bytes: [UInt8](link.blob(at: 1))),
                state: [UInt8](state.blob(at: 0)))
        }
    }
}
