internal import Platform
internal import SecureStorage
internal import TextCoding

/// The descriptions of the items of one verified bucket: lists and searches read no rows.
///
/// Names, labels, URLs and tags are not secret while the vault is unlocked; they are freed when it is locked.
struct BucketDescriptions {
    private struct Row {
        /// The entry of the item, see ``entry(service:account:)``.
        let entry: Int
        /// Where its description ends.
        let end: Int
        /// Where its searched texts end.
        let textEnd: Int
    }

    private var rows: [Row] = []
    /// The encoded descriptions.
    private var encoded = ByteWriter()
    /// For each row its texts with the case folded (``SecretItem/searchedTexts``), each followed by a zero byte. TaskVault's own items have
    /// none, so no search finds them.
    private var text: [UInt8] = []

    /// The number of items.
    var count: Int { rows.count }

    /// Adds an item.
    mutating func add(_ item: SecretItem) {
        encoded.item(item)
        if !item.name.isReserved {
            for searched in item.searchedTexts { text += NameKey(searched).bytes + [0] }
        }
        let entry = Self.entry(service: item.name.service, account: item.name.account)
        rows.append(Row(entry: entry, end: encoded.bytes.count, textEnd: text.count))
    }

    /// A hash of an entry's name. Another entry may have the same one.
    static func entry(service: String, account: String) -> Int {
        var hasher = Hasher()
        for part in [service, account] {
            for byte in part.utf8 { hasher.combine(byte) }
            hasher.combine(UInt8(0xFF))  // A byte that UTF-8 never has ends the part.
        }
        return hasher.finalize()
    }

    /// Lends the encoded description of a row.
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

    /// The rows of the items of some entries.
    func rows(of entries: Set<Int>) -> [Int] {
        // Nearly always one entry: no hash is computed for each row.
        guard entries.count == 1, let only = entries.first else {
            return rows.indices.filter { entries.contains(rows[$0].entry) }
        }
        return rows.indices.filter { rows[$0].entry == only }
    }

    /// Searches for entries.
    ///
    /// - Parameters:
    ///   - key: A part of a text.
    ///   - isWhole: Whether it must be the whole service or label.
    ///   - entries: Gets the entries that were found.
    ///   - limit: How many entries are enough.
    func find(_ key: NameKey, isWhole: Bool, adding entries: inout Set<Int>, limit: Int) {
        unsafe text.withUnsafeBytes { text in
            var (offset, row, start) = (0, 0, 0)
            while entries.count < limit, offset < text.count,
                let next = unsafe key.firstOffset(
                    in: UnsafeRawBufferPointer(rebasing: text[offset...]))
            {
                let place = offset + next
                while row < rows.count, rows[row].textEnd <= place {
                    start = rows[row].textEnd
                    row += 1
                }
                guard row < rows.count else { return }
                let end = place + key.bytes.count
                let isFound =
                    unsafe !isWhole
                    || Self.isServiceOrLabel(place..<end, of: text, rowStart: start)
                if isFound { entries.insert(rows[row].entry) }
                offset = isFound ? rows[row].textEnd : place + 1
            }
        }
    }

    /// Whether a range is the whole of the first or of the third text of a row.
    private static func isServiceOrLabel(
        _ range: Range<Int>, of text: UnsafeRawBufferPointer, rowStart: Int
    ) -> Bool {
        guard range.upperBound < text.count, unsafe text[range.upperBound] == 0 else {
            return false
        }
        let before = unsafe text[rowStart..<range.lowerBound]
        guard unsafe before.isEmpty || before.last == 0 else { return false }
        let number = unsafe before.reduce(0) { $0 + ($1 == 0 ? 1 : 0) }
        return number == 0 || number == 2
    }
}

/// The place of an item among the descriptions of all buckets.
struct DescribedPlace {
    let bucket: Int
    let row: Int
}
