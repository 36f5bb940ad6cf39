internal import Platform
internal import SecureStorage
internal import TextCoding
internal import VaultStorage

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

    /// - Parameter count: The number of rows for which memory is reserved.
    init(capacity count: Int = 0) {
        rows.reserveCapacity(count)
        encoded.reserveCapacity(count * 128)
        text.reserveCapacity(count * 64)
    }

    /// Adds a row after the others.
    ///
    /// - Parameters:
    ///   - description: The attributes of an item.
    ///   - layout: Where their parts are.
    ///   - row: The item's row.
    mutating func append(
        _ description: RawSpan, _ layout: DescriptionLayout, of row: ItemRecord
    ) {
        // As ByteWriter.item(_:) encodes it.
        encoded.append(description.extracting(layout.name))
        encoded.append(row.accessClass)
        encoded.append(description.extracting(layout.sizedLabel))
        encoded.append(description.extracting(layout.extra))
        encoded.append(integer: row.revision)
        encoded.append(integer: UInt64(bitPattern: layout.created))
        encoded.append(integer: UInt64(bitPattern: layout.modified))

        let service = description.extracting(layout.service)
        let account = description.extracting(layout.account)
        let start = text.count
        let serviceHash = addText(service)
        _ = addText(account)
        let labelHash = addText(description.extracting(layout.label))
        if let url = layout.url { _ = addText(description.extracting(url)) }
        if let tags = layout.tags { _ = addText(description.extracting(tags)) }
        if service.begins(with: SecretName.reservedPrefix) { text.removeSubrange(start...) }
        rows.append(
            Row(
                entry: Self.entry(service: service, account: account), service: serviceHash,
                label: labelHash, end: UInt32(encoded.count), textEnd: UInt32(text.count)))
    }

    /// Adds a searched text.
    ///
    /// - Returns: The hash of its key.
    private mutating func addText(_ searched: RawSpan) -> UInt32 {
        let first = text.count
        unsafe searched.withUnsafeBytes { bytes in
            let utf8 = unsafe bytes.assumingMemoryBound(to: UInt8.self)
            NameKey.append(utf8: unsafe utf8.span, to: &text)
        }
        let hash = Self.hash(text, from: first)
        text.append(0)
        return hash
    }

    /// Gives back reserved memory: arrays that grow have up to twice the memory that they need.
    mutating func shrink() {
        encoded = encoded.withoutReserve
        text = text.withoutReserve
    }

    /// The number of items.
    var count: Int { rows.count }

    /// Puts the only row of other descriptions before a row, or in the place of it.
    mutating func put(_ only: BucketDescriptions, at row: Int, replacing isReplacing: Bool) {
        if isReplacing { remove(row) }
        let start = start(of: row)
        encoded.insert(contentsOf: only.encoded, at: start.encoded)
        text.insert(contentsOf: only.text, at: start.text)
        var moved = only.rows[0]
        (moved.end, moved.textEnd) = (UInt32(start.encoded), UInt32(start.text))
        rows.insert(moved, at: row)
        moveEnds(from: row, by: only.encoded.count, only.text.count)
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
        unsafe entry(service: service.utf8Span.span.bytes, account: account.utf8Span.span.bytes)
    }

    private static func entry(service: RawSpan, account: RawSpan) -> UInt32 {
        var hasher = Hasher()
        unsafe service.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(UInt8(0xFF))  // A byte that UTF-8 never has ends the part.
        unsafe account.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
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
    fileprivate mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    /// Adds an integer, little-endian.
    fileprivate mutating func append(integer: UInt64) {
        unsafe Swift.withUnsafeBytes(of: integer.littleEndian) { unsafe append(contentsOf: $0) }
    }

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
