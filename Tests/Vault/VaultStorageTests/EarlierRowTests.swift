import Testing
import TestSupport
import VaultStorage

/// The promises of every storage about earlier rows.
@Suite("Earlier rows")
struct EarlierRowTests {
    /// No bytes; more than one page; the largest numbers.
    static let oddRows = [
        EarlierRecord(
            itemID: [], accessClass: 0, revision: 0, format: 0, attributes: [], value: [], moved: []
        ),
        EarlierRecord.sample(3, 1, value: [UInt8](repeating: 0xa5, count: 10_000)),
        EarlierRecord(
            itemID: [255], accessClass: .max, revision: UInt64(Int64.max), format: .max,
            attributes: [0], value: [0, 0], moved: [1, 2, 3]),
    ]

    @Test("come back with every column", arguments: StorageKind.allCases, oddRows)
    func columns(kind: StorageKind, row: EarlierRecord) throws {
        try kind.withStorage { storage in
            try storage.put([row])
            let single = try storage.read {
                try $0.earlier(itemID: row.itemID, revision: row.revision)
            }
            #expect(single == row)
            #expect(try storage.earlier() == [row])
            #expect(try storage.items().isEmpty)
            for revision in [row.revision ^ 1, UInt64(Int64.max) + 1] {
                let missing = try storage.read {
                    try $0.earlier(itemID: row.itemID, revision: revision)
                }
                #expect(missing == nil)
            }
        }
    }

    @Test("are added and removed by id and revision", arguments: StorageKind.allCases)
    func keys(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let rows = [EarlierRecord.sample(1, 1), .sample(1, 2), .sample(2, 1)]
            try storage.put(rows)
            try storage.write { writer in
                #expect(throws: DatabaseError.alreadyExists) { try writer.insertEarlier(rows[1]) }
                #expect(throws: DatabaseError.missing) {
                    try writer.removeEarlier(itemID: rows[0].itemID, revision: 3)
                }
                #expect(throws: DatabaseError.missing) {
                    try writer.removeEarlier(itemID: rows[0].itemID, revision: .max)
                }
                try writer.removeEarlier(itemID: rows[0].itemID, revision: 2)
            }
            #expect(try storage.earlier() == [rows[0], rows[2]])
            var tooHigh = rows[0]
            tooHigh.revision = .max
            let changed = tooHigh
            let error = storageError { try storage.put([changed]) }
            #expect(error == .damaged(reason: "a revision is out of range"))
            try storage.write { try $0.removeAllEarlier() }
            #expect(try storage.earlier().isEmpty)
        }
    }

    @Test("are sorted by id and revision, into buckets", arguments: StorageKind.allCases)
    func order(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let ids: [[UInt8]] = [
                [], [0], [0, 0], [0, 255], [1], [127, 255], [128], [254, 255], [255], [255, 255],
            ]
            let revisions: [UInt64] = [0, 1, 2, 255, 256, UInt64(Int64.max)]
            let rows = ids.flatMap { id in
                revisions.map { revision in
                    var row = EarlierRecord.sample(0, revision, value: [1])
                    row.itemID = id
                    return row
                }
            }
            try storage.put(rows.shuffled())
            #expect(try storage.earlier() == rows)
            for bucket in UInt8.min...UInt8.max {
                let found = try storage.earlier(inBucket: bucket)
                #expect(found == rows.filter { ($0.itemID.first ?? 0) == bucket })
            }
        }
    }

    @Test(
        "come in pages, also of one id, of which none is left out", arguments: StorageKind.allCases)
    func pages(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let large = [UInt8](repeating: 1, count: 40_000)
            let rows = (1...150).map { EarlierRecord.sample(9, $0, value: large) }
            try storage.put(rows)
            try storage.put([EarlierRecord.sample(10, 1), .sample(8, 1)])
            #expect(try storage.earlier(inBucket: 9) == rows)
            #expect(try storage.earlier().count == 152)
        }
    }

    @Test("of any size are found without reading them", arguments: StorageKind.allCases)
    func sizes(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let columns: [any WritableKeyPath<EarlierRecord, [UInt8]> & Sendable] = [
                \.itemID, \.attributes, \.value, \.moved,
            ]
            for column in columns {
                var row = EarlierRecord.sample(1, 1)
                row[keyPath: column] = [UInt8](repeating: 1, count: 301)
                let changed = row
                try storage.put([changed])
                let found = try storage.read {
                    (
                        try $0.hasRow(over: 300, in: .earlier),
                        try $0.hasRow(over: 301, in: .earlier), try $0.hasRow(over: 0, in: .items)
                    )
                }
                #expect(found == (true, false, false))
                try storage.write { try $0.removeAllEarlier() }
            }
        }
    }

    @Test(
        "are in a copy, and replaced by those of another storage", arguments: StorageKind.allCases)
    func copies(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.write { try $0.insertState([1]) }
            try storage.put([EarlierRecord.sample(1, 1), .sample(1, 2)])
            try withTemporaryFolder { folder in
                try storage.backup(to: folder + "/copy.db")
                let copy = try VaultDatabase.openFile(at: folder + "/copy.db", mode: .readOnly)
                defer { copy.close() }
                #expect(try copy.everything() == storage.everything())
                let other = try VaultDatabase.inMemory()
                try other.write { try $0.insertState([2]) }
                try other.put([EarlierRecord.sample(9, 9)])
                try copy.read { reader in
                    try other.write { writer in try writer.replaceAll(with: reader) }
                }
                #expect(try other.everything() == storage.everything())
            }
        }
    }
}
