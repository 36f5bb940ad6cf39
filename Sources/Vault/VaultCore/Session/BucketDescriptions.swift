internal import Platform
internal import SecureStorage
internal import TextCoding

/// The descriptions of the items of one verified bucket, so that lists and searches read no rows.
///
/// Names, labels, URLs and tags are not secret while the vault is unlocked; they are freed when it is locked.
struct BucketDescriptions {
    private struct Row {
        /// The hash of the item's entry, see ``entry(service:account:)``.
        let entry: Int
        /// The hashes of the case-folded service and label.
        let service: Int
        let label: Int
        /// The end of the description in ``encoded``.
        let end: Int
        /// The end of the searched texts in ``text``.
        let textEnd: Int
    }

    private var rows: [Row] = []
    /// The encoded descriptions, concatenated.
    private var encoded = ByteWriter()
    /// For each row its case-folded texts (``SecretItem/searchedTexts``), each followed by a zero byte. TaskVault's own items have none, so
    /// no search finds them.
    private var text: [UInt8] = []

    /// The number of items.
    var count: Int { rows.count }

    /// Adds an item.
    mutating func add(_ item: SecretItem) {
        encoded.item(item)
        if !item.name.isReserved {
            for searched in item.searchedTexts { text += NameKey(searched).bytes + [0] }
        }
        rows.append(
            Row(
                entry: Self.entry(service: item.name.service, account: item.name.account),
                service: NameKey(item.name.service).hashValue,
                label: NameKey(item.attributes.label).hashValue,
                end: encoded.bytes.count, textEnd: text.count))
    }

    /// The hash of an entry's name. Collisions are possible.
    static func entry(service: String, account: String) -> Int {
        var hasher = Hasher()
        for part in [service, account] {
            for byte in part.utf8 { hasher.combine(byte) }
            hasher.combine(UInt8(0xFF))  // A byte that UTF-8 never has ends the part.
        }
        return hasher.finalize()
    }

    /// Calls `body` with the encoded description of a row.
    func withEncoded<Result>(_ row: Int, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        let start = row == 0 ? 0 : rows[row - 1].end
        return try body(unsafe encoded.bytes.span.extracting(start..<rows[row].end).bytes)
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
    func rows(of entries: Set<Int>) -> [Int] {
        // The common case is one entry: then avoid hashing in the loop.
        guard entries.count == 1, let only = entries.first else {
            return rows.indices.filter { entries.contains(rows[$0].entry) }
        }
        return rows.indices.filter { rows[$0].entry == only }
    }

    /// The items whose service and, if given, label have these hashes. Collisions are possible.
    func items(service: Int, label: Int?) -> [SecretItem] {
        rows.indices.filter { row in
            rows[row].service == service && (label == nil || rows[row].label == label)
        }.map { item($0) }
    }

    /// Adds the hashes of entries whose service or label has the key's hash.
    func find(whole key: NameKey, adding entries: inout Set<Int>) {
        let hash = key.hashValue
        for row in rows where row.service == hash || row.label == hash {
            entries.insert(row.entry)
        }
    }

    /// Adds the hashes of entries with a text that contains the key, up to `limit`.
    func find(part key: NameKey, adding entries: inout Set<Int>, limit: Int) {
        unsafe text.withUnsafeBytes { text in
            var (offset, row) = (0, 0)
            while entries.count < limit, offset < text.count,
                let next = unsafe key.firstOffset(
                    in: UnsafeRawBufferPointer(rebasing: text[offset...]))
            {
                while row < rows.count, rows[row].textEnd <= offset + next { row += 1 }
                guard row < rows.count else { return }
                entries.insert(rows[row].entry)
                offset = rows[row].textEnd
            }
        }
    }
}

/// The position of an item among the descriptions of all buckets.
struct DescriptionPosition {
    let bucket: Int
    let row: Int
}
