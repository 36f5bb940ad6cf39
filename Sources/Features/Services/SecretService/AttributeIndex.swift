#if os(Linux)
    internal import Sealing
    internal import SecretMemory
    internal import SecureStorage

    /// The ids, times and attribute hashes of items, kept while the vault is locked.
    ///
    /// The hash key exists only in this process. A search compares hashes, so it never reads the
    /// vault. Not thread-safe.
    struct AttributeIndex {
        /// The keyed hash of one attribute name and value.
        struct PairHash: Hashable {
            let first: UInt64
            let second: UInt64
        }

        private struct Item {
            let id: SecretItemID
            var start: Int32
            var count: Int32
            var modified: Int64
        }

        private let key: PairKey
        private var items: [Item] = []
        /// The hashes of all items, those of one item in sequence, and unused hashes of former
        /// items.
        private(set) var pairs: [PairHash] = []
        /// The number of hashes that items use.
        private var liveCount = 0
        private var positions: [SecretItemID: Int32] = [:]

        /// Makes an empty index under a new key.
        init() throws { key = try PairKey() }

        /// Whether the index has the item.
        func contains(_ id: SecretItemID) -> Bool { positions[id] != nil }

        /// The items of a collection, unordered.
        func items(in collection: SecretCollection) -> [SecretItemID] {
            items.lazy.filter { $0.id.collection == collection }.map(\.id)
        }

        /// The time of the last change in a collection, in milliseconds since 1970-01-01 UTC.
        func modified(_ collection: SecretCollection) -> Int64 {
            items.lazy.filter { $0.id.collection == collection }.map(\.modified).max() ?? 0
        }

        /// The time of the last change of an item, in milliseconds since 1970-01-01 UTC.
        func modified(_ id: SecretItemID) -> Int64 {
            positions[id].map { items[Int($0)].modified } ?? 0
        }

        mutating func removeAll() {
            items = []
            pairs = []
            liveCount = 0
            positions = [:]
        }

        /// Adds an item, or replaces its attributes.
        mutating func set(_ id: SecretItemID, _ attributes: [String: String], modified: Int64) {
            let start = Int32(pairs.count)
            for (key, value) in attributes { pairs.append(hash(key, value)) }
            let item = Item(
                id: id, start: start, count: Int32(attributes.count), modified: modified)
            liveCount += attributes.count
            if let place = positions[id] {
                liveCount -= Int(items[Int(place)].count)
                items[Int(place)] = item
            } else {
                positions[id] = Int32(items.count)
                items.append(item)
            }
            compact()
        }

        /// Removes the unused hashes once they are more than half.
        private mutating func compact() {
            guard pairs.count > 2 * liveCount + 1_024 else { return }
            var kept: [PairHash] = []
            kept.reserveCapacity(liveCount)
            for place in items.indices {
                let start = Int(items[place].start)
                items[place].start = Int32(kept.count)
                kept += pairs[start..<start + Int(items[place].count)]
            }
            pairs = kept
        }

        /// Removes an item.
        mutating func remove(_ id: SecretItemID) {
            guard let place = positions.removeValue(forKey: id), let last = items.popLast() else {
                return
            }
            guard last.id != id else {
                liveCount -= Int(last.count)
                return
            }
            liveCount -= Int(items[Int(place)].count)
            items[Int(place)] = last
            positions[last.id] = place
        }

        /// The items with all these attributes, most recently changed first.
        func search(
            _ attributes: [String: String], in collection: SecretCollection? = nil
        ) -> [SecretItemID] {
            search(hashes(attributes), in: collection)
        }

        /// The items that an early search finds now.
        func search(_ search: EarlySearch) -> [SecretItemID] {
            self.search(search.pairs, in: search.collection)
        }

        private func search(
            _ wanted: [PairHash], in collection: SecretCollection?
        ) -> [SecretItemID] {
            items.filter { item in
                if let collection, item.id.collection != collection { return false }
                let own = pairs[Int(item.start)..<Int(item.start + item.count)]
                return wanted.allSatisfy(own.contains)
            }.sorted { $0.modified > $1.modified }.map(\.id)
        }

        /// The hashes of attributes, which searches compare.
        func hashes(_ attributes: [String: String]) -> [PairHash] {
            attributes.map { hash($0.key, $0.value) }
        }

        /// The most recently changed item with exactly these attributes, made over D-Bus.
        func exactMatch(
            _ attributes: [String: String], in collection: SecretCollection
        ) -> SecretItemID? {
            search(attributes, in: collection).first {
                !$0.isOwnerEntry && self.items[Int(positions[$0] ?? 0)].count == attributes.count
            }
        }

        private func hash(_ key: String, _ value: String) -> PairHash {
            let digest = self.key.hash { input in
                input.feed(UInt32(key.utf8.count))
                input.feed(key)
                input.feed(value)
            }
            func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
                bytes.reduce(0) { $0 << 8 | UInt64($1) }
            }
            return PairHash(first: number(digest[0..<8]), second: number(digest[8..<16]))
        }
    }

    private final class PairKey: Sendable {
        private let bytes: SecretBytes

        init() throws { bytes = try RandomSource.system.secret(count: 32) }

        func hash(_ feed: (borrowing Blake2b.Input) -> Void) -> [UInt8] {
            bytes.withBytes { Blake2b.hash(size: 16, keyBytes: $0, feed) }
        }
    }
#endif
