import Testing
import TestSupport
import VaultStorage

/// The promises of every storage, run over each.
@Suite("A storage")
struct StorageContractTests {
    @Test("is empty at first", arguments: StorageKind.allCases)
    func empty(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let content = try storage.everything()
            #expect(content == Everything(header: nil, state: nil, buckets: [], items: []))
            let both = try storage.stateAndItem(tag: [1])
            #expect(both.state == nil && both.item == nil)
        }
    }

    @Test("keeps the header that was put last", arguments: StorageKind.allCases)
    func header(kind: StorageKind) throws {
        try kind.withStorage { storage in
            for bytes in [[1, 2, 3], [], [UInt8](repeating: 9, count: 5_000)] as [[UInt8]] {
                try storage.write { try $0.putHeader(bytes) }
                let header = try storage.read { try $0.header() }
                #expect(header == bytes)
            }
        }
    }

    @Test("takes a first state once", arguments: StorageKind.allCases)
    func firstState(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.write { try $0.insertState([1]) }
            let error = storageError { try storage.write { try $0.insertState([2]) } }
            #expect(error == .alreadyExists)
            let state = try storage.read { try $0.state() }
            #expect(state == [1])
        }
    }

    @Test("replaces only the state that was read", arguments: StorageKind.allCases)
    func replaceState(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let none = try storage.write { try $0.replaceState([], with: [9]) }
            #expect(!none)
            try storage.write { try $0.insertState([1]) }
            let other = try storage.write { try $0.replaceState([2], with: [3]) }
            #expect(!other)
            let same = try storage.write { try $0.replaceState([1], with: [4]) }
            #expect(same)
            let state = try storage.read { try $0.state() }
            #expect(state == [4])
        }
    }

    @Test("gives bucket records in the order of their numbers", arguments: StorageKind.allCases)
    func buckets(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.write { writer in
                for number in [255, 511, 0, 128, 7] {
                    try writer.putBucket(number, bytes: [UInt8(number % 256), 1])
                }
                try writer.putBucket(128, bytes: [5])
                try writer.putBucket(7, bytes: nil)
                try writer.putBucket(9, bytes: nil)
            }
            let buckets = try storage.read { try $0.buckets() }
            #expect(
                buckets == [
                    BucketRecord(number: 0, bytes: [0, 1]), BucketRecord(number: 128, bytes: [5]),
                    BucketRecord(number: 255, bytes: [255, 1]),
                    BucketRecord(number: 511, bytes: [255, 1]),
                ])
        }
    }

    @Test("gives all 512 bucket records", arguments: StorageKind.allCases)
    func allBuckets(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.write { writer in
                for number in 0...511 { try writer.putBucket(number, bytes: [1]) }
            }
            let numbers = try storage.read { try $0.buckets().map(\.number) }
            #expect(numbers == Array(0...511))
        }
    }

    @Test("gives links in the order of their counters", arguments: StorageKind.allCases)
    func links(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let largest = LinkRecord.largestCounter
            try storage.write { writer in
                for counter in [largest, 7, 1, 300, 2] {
                    try writer.putLink(LinkRecord(counter: counter, bytes: [UInt8(counter % 251)]))
                }
                try writer.putLink(LinkRecord(counter: 7, bytes: []))
            }
            func links(_ range: ClosedRange<UInt64>) throws -> [UInt64] {
                try storage.everything().links.filter { range.contains($0.counter) }.map(\.counter)
            }
            #expect(try links(1...largest) == [1, 2, 7, 300, largest])
            for range in [1...1, 2...7, 3...6, 8...largest, largest...largest] {
                let found = try storage.read { reader in
                    var found: [UInt64] = []
                    try reader.forEachLink(range) { found.append($0.counter) }
                    return found
                }
                #expect(try found == links(range))
            }
            #expect(try storage.everything().links[2].bytes == [])
            try storage.write { try $0.removeLinks(1...7) }
            #expect(try links(1...largest) == [300, largest])
            #expect(
                storageError {
                    try storage.write {
                        try $0.putLink(LinkRecord(counter: largest + 1, bytes: [1]))
                    }
                } == .damaged(reason: "a counter is out of range"))
        }
    }

    @Test("keeps chunks, gives them in order, and copies them", arguments: StorageKind.allCases)
    func chunks(kind: StorageKind) throws {
        func chunk(_ version: UInt8, _ number: Int64, _ byte: UInt8 = 1) -> ChunkRecord {
            ChunkRecord(
                version: [UInt8](repeating: version, count: 16), number: number, stored: 7,
                bytes: [byte])
        }
        func chunks(_ storage: any RecordStorage) throws -> [ChunkRecord] {
            var found: [ChunkRecord] = []
            try storage.read { try $0.forEachChunk { found.append($0) } }
            return found
        }
        try kind.withStorage { storage in
            #expect(try chunks(storage).isEmpty)
            // More than fit a page, of two versions.
            let all = (0..<40).map { chunk(1, $0) } + (0..<60).map { chunk(9, $0) }
            try storage.write { writer in
                for chunk in all.reversed() { try writer.putChunk(chunk) }
            }
            #expect(try chunks(storage) == all)
            try storage.write { try $0.putChunk(chunk(9, 5, 2)) }
            #expect(try chunks(storage)[45] == chunk(9, 5, 2))
            var versions: [[UInt8]: Int64] = [:]
            try storage.write { writer in
                var late = chunk(9, 59)
                late.stored = 9
                try writer.putChunk(late)
                try writer.forEachChunkVersion { versions[$0] = $1 }
                try writer.putChunk(chunk(9, 59))
            }
            #expect(
                versions == [
                    [UInt8](repeating: 1, count: 16): 7, [UInt8](repeating: 9, count: 16): 9,
                ])
            let copy = try VaultDatabase.inMemory()
            try copy.write { try $0.putChunk(chunk(3, 3)) }
            try storage.read { reader in try copy.write { try $0.replaceAll(with: reader) } }
            #expect(try chunks(copy) == chunks(storage))
            let removed = try storage.write { writer in
                try [25, 25, 25].map {
                    try writer.removeChunks(version: all[0].version, limit: $0)
                }
            }
            #expect(removed == [25, 15, 0])
            #expect(try chunks(storage).map(\.number) == (0..<60).map(Int64.init))
            try storage.returnSpace()
            try storage.write { try $0.removeAllChunks() }
            #expect(try chunks(storage).isEmpty)
            try storage.read { reader in
                try reader.forEachChunkVersion { version, _ in Issue.record("\(version)") }
            }
        }
    }

    @Test("gives more links than fit a page, and copies them", arguments: StorageKind.allCases)
    func manyLinks(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let counters = Array(UInt64(5)...9_004)
            try storage.write { writer in
                try writer.insertState([1])
                for counter in counters {
                    try writer.putLink(LinkRecord(counter: counter, bytes: [9]))
                }
            }
            let copy = try VaultDatabase.inMemory()
            try copy.write { try $0.putLink(LinkRecord(counter: 1, bytes: [2])) }
            try storage.read { reader in
                try copy.write { try $0.replaceAll(with: reader) }
                // A body may use the reader.
                var states = 0
                try reader.forEachLink(8_000...LinkRecord.largestCounter) { _ in
                    if try reader.state() == [1] { states += 1 }
                }
                #expect(states == 1_005)
            }
            #expect(try copy.everything().links.map(\.counter) == counters)
            try withTemporaryFolder { folder in
                try storage.backup(to: folder + "/backup.db")
                let backup = try VaultDatabase.openFile(at: folder + "/backup.db", mode: .readOnly)
                defer { backup.close() }
                #expect(try backup.everything() == storage.everything())
            }
        }
    }

    /// No bytes; more than one page; the largest value; the largest numbers.
    static let oddItems = [
        ItemRecord(
            tag: [], itemID: [], accessClass: 0, revision: 0, format: 0, attributes: [], value: []),
        ItemRecord.sample(3, value: [UInt8](repeating: 0xa5, count: 10_000)),
        ItemRecord.sample(4, value: [UInt8](repeating: 0x5a, count: 1_048_576)),
        ItemRecord(
            tag: [255], itemID: [1], accessClass: .max, revision: UInt64(Int64.max), format: .max,
            attributes: [0], value: [0, 0]),
    ]

    @Test("gives back every column of a row", arguments: StorageKind.allCases, oddItems.indices)
    func columns(kind: StorageKind, number: Int) throws {
        // A report that had the item would have its megabyte of bytes.
        let item = Self.oddItems[number]
        try kind.withStorage { storage in
            try storage.write { writer in
                try writer.insertState([8])
                try writer.insertItem(item)
            }
            let single = try storage.read { try $0.item(tag: item.tag) }
            #expect(single == item)
            let both = try storage.stateAndItem(tag: item.tag)
            #expect(both.state == [8] && both.item == item)
            let items = try storage.items()
            #expect(items == [item])
            let missing = try storage.stateAndItem(tag: [77])
            #expect(missing.state == [8] && missing.item == nil)
        }
    }

    @Test("refuses a revision over the largest one", arguments: StorageKind.allCases)
    func revision(kind: StorageKind) throws {
        try kind.withStorage { storage in
            var item = ItemRecord.sample(1)
            try storage.put([item])
            item.revision = UInt64(Int64.max) + 1
            let changed = item
            let replaced = storageError { try storage.write { try $0.replaceItem(changed) } }
            #expect(replaced == .damaged(reason: "a revision is out of range"))
            item.tag = [5]
            let added = item
            let inserted = storageError { try storage.write { try $0.insertItem(added) } }
            #expect(inserted == .damaged(reason: "a revision is out of range"))
        }
    }

    @Test("adds, replaces and removes rows by their tag", arguments: StorageKind.allCases)
    func rows(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let item = ItemRecord.sample(1, 1)
            var other = ItemRecord.sample(1, 2)
            #expect(storageError { try storage.write { try $0.replaceItem(item) } } == .missing)
            #expect(
                storageError { try storage.write { try $0.removeItem(tag: item.tag) } } == .missing)
            try storage.put([item])
            #expect(storageError { try storage.put([item]) } == .alreadyExists)
            other.tag = item.tag
            let changed = other
            try storage.write { try $0.replaceItem(changed) }
            let replaced = try storage.items()
            #expect(replaced == [changed])
            try storage.write { try $0.removeItem(tag: item.tag) }
            let removed = try storage.items()
            #expect(removed.isEmpty)
        }
    }

    @Test("goes on after a taken tag and a missing row", arguments: StorageKind.allCases)
    func answersAreNoFailures(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let first = ItemRecord.sample(1)
            let second = ItemRecord.sample(2)
            try storage.put([first])
            try storage.write { writer in
                #expect(throws: DatabaseError.alreadyExists) { try writer.insertItem(first) }
                #expect(throws: DatabaseError.missing) { try writer.removeItem(tag: [9]) }
                try writer.insertItem(second)
            }
            let items = try storage.items()
            #expect(items == [first, second])
        }
    }

    @Test("sorts rows by the bytes of their tags, into buckets", arguments: StorageKind.allCases)
    func order(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let tags: [[UInt8]] = [
                [], [0], [0, 0], [0, 255, 255], [1], [1, 0], [127, 255], [128], [254],
                [254, 255, 255], [255], [255, 0], [255, 255, 255],
            ]
            func item(_ tag: [UInt8]) -> ItemRecord {
                var item = ItemRecord.sample(0)
                item.tag = tag
                return item
            }
            try storage.put(tags.reversed().map(item))
            let all = try storage.items().map(\.tag)
            #expect(all == tags)
            for bucket in UInt8.min...UInt8.max {
                let found = try storage.items(inBucket: bucket).map(\.tag)
                // A tag without bytes is met in the first bucket.
                #expect(found == tags.filter { ($0.first ?? 0) == bucket })
            }
        }
    }

    @Test("forgets all rows and bucket records in one transaction", arguments: StorageKind.allCases)
    func removeAll(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.write { writer in
                try writer.putHeader([1])
                try writer.insertState([2])
                try writer.putBucket(3, bytes: [3])
                for number in UInt8.min...UInt8.max {
                    try writer.insertItem(.sample(number, number))
                    try writer.insertEarlier(.sample(number, 1))
                }
            }
            try storage.write { try $0.removeAllItems() }
            let content = try storage.everything()
            #expect(content == Everything(header: [1], state: [2], buckets: [], items: []))
        }
    }
}
