internal import Platform
internal import SecureStorage
internal import TextCoding

/// The descriptions of the items of one verified bucket, so that lists and searches read no rows.
///
/// Names, labels, URLs and tags are not secret while the vault is unlocked; they are freed when it is locked. The arrays are packed,
/// because a vault may have 100,000 items.
struct BucketDescriptions {
    private struct Row {
        /// The hash of the item's entry, see ``entry(service:account:)``.
        let entry: UInt32
        /// The hashes of the case-folded service and label.
        let service: UInt32
        let label: UInt32
        /// The end of the description in ``encoded``.
        var end: UInt32
        /// The end of the searched texts in ``text``.
        var textEnd: UInt32
    }

    private var rows: [Row] = []
    /// The encoded descriptions, concatenated.
    private var encoded: [UInt8] = []
    /// For each row its case-folded texts (``SecretItem/searchedTexts``), each followed by a zero byte. TaskVault's own items have none, so
    /// no search finds them.
    private var text: [UInt8] = []

    /// Describes items in their order.
    init(_ items: [SecretItem] = []) {
        rows.reserveCapacity(items.count)
        var bytes = ByteWriter(capacity: items.count * 128)
        for item in items {
            bytes.item(item)
            let hashes = Self.addTexts(of: item, to: &text)
            rows.append(
                Row(
                    entry: Self.entry(service: item.name.service, account: item.name.account),
                    service: hashes.service, label: hashes.label, end: UInt32(bytes.bytes.count),
                    textEnd: UInt32(text.count)))
        }
        // Arrays that grow have up to twice the memory that they need.
        encoded = bytes.bytes.withoutReserve
        text = text.withoutReserve
    }

    /// The number of items.
    var count: Int { rows.count }

    /// Puts an item before a row, or in the place of it.
    mutating func put(_ item: SecretItem, at row: Int, replacing isReplacing: Bool) {
        if isReplacing { remove(row) }
        var bytes = ByteWriter(capacity: 256)
        bytes.item(item)
        var texts: [UInt8] = []
        let hashes = Self.addTexts(of: item, to: &texts)
        let start = start(of: row)
        encoded.insert(contentsOf: bytes.bytes, at: start.encoded)
        text.insert(contentsOf: texts, at: start.text)
        rows.insert(
            Row(
                entry: Self.entry(service: item.name.service, account: item.name.account),
                service: hashes.service, label: hashes.label,
                end: UInt32(start.encoded), textEnd: UInt32(start.text)), at: row)
        moveEnds(from: row, by: bytes.bytes.count, texts.count)
    }

    /// Adds the searched texts of an item, for ``text``.
    ///
    /// - Returns: The hashes of the case-folded service and label.
    private static func addTexts(
        of item: SecretItem, to text: inout [UInt8]
    ) -> (service: UInt32, label: UInt32) {
        let start = text.count
        func add(_ searched: String) -> UInt32 {
            let first = text.count
            NameKey.append(searched, to: &text)
            let hash = Self.hash(text, from: first)
            text.append(0)
            return hash
        }
        let service = add(item.name.service)
        _ = add(item.name.account)
        let label = add(item.attributes.label)
        for searched in item.searchedAttributes { _ = add(searched) }
        if item.name.isReserved { text.removeSubrange(start...) }
        return (service, label)
    }

    /// Removes a row.
    mutating func remove(_ row: Int) {
        let start = start(of: row)
        let size = Int(rows[row].end) - start.encoded
        let textSize = Int(rows[row].textEnd) - start.text
        encoded.removeSubrange(start.encoded..<(start.encoded + size))
        text.removeSubrange(start.text..<(start.text + textSize))
        rows.remove(at: row)
        moveEnds(from: row, by: -size, -textSize)
    }

    private func start(of row: Int) -> (encoded: Int, text: Int) {
        row == 0 ? (0, 0) : (Int(rows[row - 1].end), Int(rows[row - 1].textEnd))
    }

    private mutating func moveEnds(from row: Int, by size: Int, _ textSize: Int) {
        for row in row..<rows.count {
            rows[row].end = UInt32(Int(rows[row].end) + size)
            rows[row].textEnd = UInt32(Int(rows[row].textEnd) + textSize)
        }
    }

    /// The hash of an entry's name. Collisions are possible.
    static func entry(service: String, account: String) -> UInt32 {
        var hasher = Hasher()
        for part in [service, account] {
            var part = part
            part.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(UInt8(0xFF))  // A byte that UTF-8 never has ends the part.
        }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The hash of a key's bytes: the last of these. Collisions are possible.
    static func hash(_ bytes: [UInt8], from first: Int = 0) -> UInt32 {
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[first...]))
        }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// Calls `body` with the encoded description of a row.
    func withEncoded<Result>(_ row: Int, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        let range = start(of: row).encoded..<Int(rows[row].end)
        return try body(unsafe encoded.span.extracting(range).bytes)
    }

    /// The description of a row.
    func item(_ row: Int) -> SecretItem {
        let item = withEncoded(row) { bytes in ByteReader.reading(bytes) { $0.item() } }
        guard let item else { preconditionFailure("encoded here") }
        return item
    }

    /// The name of the item of a row.
    func name(_ row: Int) -> SecretName {
        let name = withEncoded(row) { bytes in ByteReader.reading(bytes) { $0.name() } }
        guard let name else { preconditionFailure("encoded here") }
        return name
    }

    /// The rows of the items whose entries have these hashes.
    func rows(of entries: Set<UInt32>) -> [Int] {
        // The common case is one entry: then avoid hashing in the loop.
        guard entries.count == 1, let only = entries.first else {
            return rows.indices.filter { entries.contains(rows[$0].entry) }
        }
        return rows.indices.filter { rows[$0].entry == only }
    }

    /// The items whose service and, if given, label have these hashes. Collisions are possible.
    func items(service: UInt32, label: UInt32?) -> [SecretItem] {
        rows.indices.filter { row in
            rows[row].service == service && (label == nil || rows[row].label == label)
        }.map { item($0) }
    }

    /// Adds the hashes of entries whose service or label has the key's hash.
    func find(whole key: NameKey, adding entries: inout Set<UInt32>) {
        let hash = Self.hash(key.bytes)
        for row in rows where row.service == hash || row.label == hash {
            entries.insert(row.entry)
        }
    }

    /// Adds the hashes of entries with a text that contains the key, up to `limit`.
    func find(part key: NameKey, adding entries: inout Set<UInt32>, limit: Int) {
        unsafe text.withUnsafeBytes { text in
            var (offset, row) = (0, 0)
            while entries.count < limit, offset < text.count,
                let next = unsafe key.firstOffset(
                    in: UnsafeRawBufferPointer(rebasing: text[offset...]))
            {
                while row < rows.count, Int(rows[row].textEnd) <= offset + next { row += 1 }
                guard row < rows.count else { return }
                entries.insert(rows[row].entry)
                offset = Int(rows[row].textEnd)
            }
        }
    }
}

extension [UInt8] {
    /// A copy that has no reserved memory.
    fileprivate var withoutReserve: [UInt8] {
        // The standard library writes the count of its shared empty array.
        if isEmpty { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            size = unsafe buffer.initialize(fromContentsOf: self)
        }
    }
}

/// The position of an item among the descriptions of all buckets.
struct DescriptionPosition {
    let bucket: UInt32
    let row: UInt32
}
