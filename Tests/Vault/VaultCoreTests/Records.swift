import TestSupport
@testable import VaultCore
import VaultStorage

/// Every record of a storage, to be changed and put back.
struct Records: Sendable, Equatable {
    var header: [UInt8]
    var state: [UInt8]
    var buckets: [BucketRecord]
    var links: [LinkRecord]
    var items: [ItemRecord]
    var earlier: [EarlierRecord]

    init(of storage: any RecordStorage) throws {
        var items: [ItemRecord] = []
        var links: [LinkRecord] = []
        var earlier: [EarlierRecord] = []
        (header, state, buckets) = try storage.read { reader in
            try reader.forEachItem { row in items.append(row) }
            try reader.forEachEarlier { row in earlier.append(row) }
            try reader.forEachLink(1...LinkRecord.largestCounter) { links.append($0) }
            return (try reader.header() ?? [], try reader.state() ?? [], try reader.buckets())
        }
        self.items = items
        self.links = links
        self.earlier = earlier
    }

    /// Makes these the only records of `storage`.
    func put(into storage: any RecordStorage) throws {
        try storage.write { writer in
            try writer.removeAllItems()
            try writer.removeLinks(1...LinkRecord.largestCounter)
            for link in links { try writer.putLink(link) }
            try writer.putHeader(header)
            if let old = try writer.state() {
                _ = try writer.replaceState(old, with: state)
            } else {
                try writer.insertState(state)
            }
            for bucket in buckets {
                try writer.putBucket(Int(bucket.number), bytes: bucket.bytes)
            }
            var seen: Set<[UInt8]> = []
            for item in items where seen.insert(item.tag).inserted { try writer.insertItem(item) }
            for row in earlier { try writer.insertEarlier(row) }
        }
    }

    /// The same with other links.
    func with(links: [LinkRecord]) -> Records {
        var copy = self
        copy.links = links
        return copy
    }

    /// How many bits are flipped of current records, and of earlier ones; `TASKVAULT_RECORD_BITS` asks for more, at most all.
    static let flips = Attack.amount("TASKVAULT_RECORD_BITS", ordinary: 200)

    /// Copies with one bit of one record flipped.
    var bitFlips: some Sequence<Records> {
        let sizes = [header.count, state.count] + buckets.map(\.bytes.count)
        let recordFlips = sizes.enumerated().flatMap { record, size in
            (0..<(size * 8)).map { (record, $0) }
        }
        let rowFlips = items.indices.flatMap { row in
            // The highest bit of a revision cannot be stored.
            (0..<(rowSize(row) * 8)).filter { $0 != (32 + 16 + 1 + 8) * 8 - 1 }.map { (row, $0) }
        }
        return Attack.sample(Self.flips, of: recordFlips.count + rowFlips.count).lazy.map {
            number in
            if number < recordFlips.count {
                let (record, bit) = recordFlips[number]
                return flipping(record: record, bit: bit)
            }
            let (row, bit) = rowFlips[number - recordFlips.count]
            return flipping(row: row, bit: bit)
        }
    }

    private func flipping(record: Int, bit: Int) -> Records {
        var copy = self
        switch record {
        case 0: copy.header[bit / 8] ^= 1 << UInt8(bit % 8)
        case 1: copy.state[bit / 8] ^= 1 << UInt8(bit % 8)
        default: copy.buckets[record - 2].bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        return copy
    }

    private func rowSize(_ row: Int) -> Int {
        32 + 16 + 1 + 8 + 4 + items[row].attributes.count + items[row].value.count
    }

    private func flipping(row: Int, bit: Int) -> Records {
        var copy = self
        let mask = UInt8(1) << UInt8(bit % 8)
        var offset = bit / 8
        func isIn(_ size: Int) -> Bool {
            if offset < size { return true }
            offset -= size
            return false
        }
        if isIn(32) {
            copy.items[row].tag[offset] ^= mask
        } else if isIn(16) {
            copy.items[row].itemID[offset] ^= mask
        } else if isIn(1) {
            copy.items[row].accessClass ^= mask
        } else if isIn(8) {
            copy.items[row].revision ^= UInt64(mask) << UInt64(8 * offset)
        } else if isIn(4) {
            copy.items[row].format ^= UInt32(mask) << UInt32(8 * offset)
        } else if isIn(copy.items[row].attributes.count) {
            copy.items[row].attributes[offset] ^= mask
        } else {
            copy.items[row].value[offset] ^= mask
        }
        return copy
    }
}

extension VaultHeader {
    /// The header of a test vault.
    static func stored(in storage: any RecordStorage) throws -> VaultHeader {
        try VaultHeader(storage.read { reader in try reader.header() }, limits: .testing)
    }
}
