#if os(Linux)
    internal import Sealing
    internal import SecretMemory
    internal import SecureStorage

    /// The ids, times and attribute hashes of items, kept while the vault is locked.
    ///
    /// The hash key exists only in this process. A search compares hashes, so it never reads the
    /// vault. Not thread-safe.
    package struct AttributeIndex {
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

        /// A hash of an item, and the one before it that is equal.
        private struct Place {
            let pair: PairHash
            /// The position of the item; -1 if the item no longer has the hash.
            var item: Int32
            /// The place of the previous equal hash; -1 for none.
            let previous: Int32
        }

        /// The places of equal hashes, so that a search looks only at items that have a hash.
        private struct Chain {
            /// The last place.
            var last: Int32
            /// The number of items that have the hash.
            var count: Int32
        }

        private let key: PairKey
        private var items: [Item] = []
        /// The hashes of all items, those of one item in sequence, and unused hashes of former
        /// items.
        private var places: [Place] = []
        /// The number of hashes that items use.
        private var liveCount = 0
        private var chains: [PairHash: Chain] = [:]
        private var positions: [SecretItemID: Int32] = [:]

        /// Makes an empty index under a new key.
        package init() throws { key = try PairKey() }

        /// The number of stored hashes, the unused ones included.
        var hashCount: Int { places.count }

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
            places = []
            liveCount = 0
            chains = [:]
            positions = [:]
        }

        /// Adds an item, or replaces its attributes.
        package mutating func set(
            _ id: SecretItemID, _ attributes: [String: String], modified: Int64
        ) {
            let position = positions[id] ?? Int32(items.count)
            let item = Item(
                id: id, start: Int32(places.count), count: Int32(attributes.count),
                modified: modified)
            if Int(position) < items.count {
                release(items[Int(position)])
                items[Int(position)] = item
            } else {
                positions[id] = position
                items.append(item)
            }
            for pair in hashes(attributes) { append(pair, of: position) }
            compact()
        }

        private mutating func append(_ pair: PairHash, of position: Int32) {
            let chain = chains[pair]
            chains[pair] = Chain(last: Int32(places.count), count: (chain?.count ?? 0) + 1)
            places.append(Place(pair: pair, item: position, previous: chain?.last ?? -1))
            liveCount += 1
        }

        private func range(of item: Item) -> Range<Int> {
            Int(item.start)..<Int(item.start + item.count)
        }

        /// Marks the hashes of an item as unused. They stay in their chains until ``compact()``.
        private mutating func release(_ item: Item) {
            for place in range(of: item) {
                places[place].item = -1
                chains[places[place].pair]?.count -= 1
            }
            liveCount -= Int(item.count)
        }

        /// Removes the unused hashes once they are more than half.
        private mutating func compact() {
            guard places.count > 2 * liveCount + 1_024 else { return }
            let former = places
            places = []
            places.reserveCapacity(liveCount)
            chains = [:]
            liveCount = 0
            for position in items.indices {
                let pairs = former[range(of: items[position])].map(\.pair)
                items[position].start = Int32(places.count)
                for pair in pairs { append(pair, of: Int32(position)) }
            }
        }

        /// Removes an item.
        mutating func remove(_ id: SecretItemID) {
            guard let position = positions.removeValue(forKey: id) else { return }
            release(items[Int(position)])
            guard let last = items.popLast(), last.id != id else { return }
            items[Int(position)] = last
            positions[last.id] = position
            for place in range(of: last) { places[place].item = position }
        }

        /// The items with all these attributes, most recently changed first.
        package func search(
            _ attributes: [String: String], in collection: SecretCollection? = nil
        ) -> [SecretItemID] {
            search(hashes(attributes), in: collection)
        }

        /// The items that match a search from before the first unlock.
        func search(_ search: EarlySearch) -> [SecretItemID] {
            self.search(search.pairs, in: search.collection)
        }

        private func search(
            _ wanted: [PairHash], in collection: SecretCollection?
        ) -> [SecretItemID] {
            candidates(wanted).map { items[$0] }.filter { item in
                if let collection, item.id.collection != collection { return false }
                let own = places[range(of: item)]
                return wanted.allSatisfy { pair in own.contains { $0.pair == pair } }
            }.sorted { $0.modified > $1.modified }.map(\.id)
        }

        /// The positions of the items that have the rarest of these hashes; all items for none.
        func candidates(_ wanted: [PairHash]) -> [Int] {
            guard !wanted.isEmpty else { return Array(items.indices) }
            let chains = wanted.map { self.chains[$0] ?? Chain(last: -1, count: 0) }
            guard let rarest = chains.min(by: { $0.count < $1.count }), rarest.count > 0 else {
                return []
            }
            var found: [Int] = []
            var place = rarest.last
            while place >= 0, found.count < rarest.count {
                let item = places[Int(place)].item
                if item >= 0 { found.append(Int(item)) }
                place = places[Int(place)].previous
            }
            return found
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
