#if os(Linux)
    internal import Sealing
    internal import SecretMemory
    internal import SecureStorage

    /// What is remembered of items while the vault is locked: ids, times, and hashes of pairs of attributes under a key that ends with the process.
    ///
    /// A search compares hashes, so it never reads the vault. Not thread-safe.
    struct AttributeIndex {
        /// The hash of an attribute with its value.
        struct Pair: Hashable {
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
        /// The pairs of all items, those of one item in a row; and some of former ones.
        private(set) var pairs: [Pair] = []
        /// How many pairs are those of items.
        private var used = 0
        private var places: [SecretItemID: Int32] = [:]

        /// Makes an empty index under a new key.
        init() throws { key = try PairKey() }

        /// Whether the item exists.
        func contains(_ id: SecretItemID) -> Bool { places[id] != nil }

        /// The items of a collection, in no order.
        func items(in collection: SecretCollection) -> [SecretItemID] {
            items.lazy.filter { $0.id.collection == collection }.map(\.id)
        }

        /// When any item of a collection was changed last, in milliseconds since 1970-01-01 UTC.
        func modified(_ collection: SecretCollection) -> Int64 {
            items.lazy.filter { $0.id.collection == collection }.map(\.modified).max() ?? 0
        }

        /// Forgets all items.
        mutating func removeAll() {
            items = []
            pairs = []
            used = 0
            places = [:]
        }

        /// Adds an item, or replaces its attributes.
        mutating func set(_ id: SecretItemID, _ attributes: [String: String], modified: Int64) {
            let start = Int32(pairs.count)
            for (key, value) in attributes { pairs.append(hash(key, value)) }
            let item = Item(
                id: id, start: start, count: Int32(attributes.count), modified: modified)
            used += attributes.count
            if let place = places[id] {
                used -= Int(items[Int(place)].count)
                items[Int(place)] = item
            } else {
                places[id] = Int32(items.count)
                items.append(item)
            }
            dropFormerPairs()
        }

        /// Drops the pairs of former items, once they are more than half.
        private mutating func dropFormerPairs() {
            guard pairs.count > 2 * used + 1_024 else { return }
            var kept: [Pair] = []
            kept.reserveCapacity(used)
            for place in items.indices {
                let start = Int(items[place].start)
                items[place].start = Int32(kept.count)
                kept += pairs[start..<start + Int(items[place].count)]
            }
            pairs = kept
        }

        /// Removes an item.
        mutating func remove(_ id: SecretItemID) {
            guard let place = places.removeValue(forKey: id), let last = items.popLast() else {
                return
            }
            guard last.id != id else {
                used -= Int(last.count)
                return
            }
            used -= Int(items[Int(place)].count)
            items[Int(place)] = last
            places[last.id] = place
        }

        /// The items that have all these attributes, the last changed first.
        func search(
            _ attributes: [String: String], in collection: SecretCollection? = nil
        ) -> [SecretItemID] {
            let wanted = attributes.map { hash($0.key, $0.value) }
            return
                items.filter { item in
                    if let collection, item.id.collection != collection { return false }
                    let own = pairs[Int(item.start)..<Int(item.start + item.count)]
                    return wanted.allSatisfy(own.contains)
                }.sorted { $0.modified > $1.modified }.map(\.id)
        }

        /// The item made over D-Bus that has exactly these attributes; the last changed one.
        func exact(
            _ attributes: [String: String], in collection: SecretCollection
        ) -> SecretItemID? {
            search(attributes, in: collection).first {
                !$0.isOwners && self.items[Int(places[$0] ?? 0)].count == attributes.count
            }
        }

        private func hash(_ key: String, _ value: String) -> Pair {
            let digest = self.key.hash { input in
                input.feed(UInt32(key.utf8.count))
                input.feed(key)
                input.feed(value)
            }
            func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
                bytes.reduce(0) { $0 << 8 | UInt64($1) }
            }
            return Pair(first: number(digest[0..<8]), second: number(digest[8..<16]))
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
