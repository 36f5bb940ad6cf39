internal import SecureStorage
internal import TextCoding

/// The searched texts of the items of one verified bucket, except TaskVault's own: a search reads only the rows that it finds.
///
/// Names, labels, URLs and tags are not secret while the vault is unlocked; the texts are freed when it is locked.
struct SearchedWords {
    private struct Row {
        let key: RowKey
        /// The entry of the item, see ``entry(service:account:)``.
        let entry: Int
        /// Where its texts end.
        let end: Int
    }

    private var rows: [Row] = []
    /// For each row its texts with the case folded (``SecretItem/searchedTexts``), each followed by a zero byte.
    private var text: [UInt8] = []

    /// The number of items.
    var count: Int { rows.count }

    /// Adds an item.
    mutating func add(_ item: SecretItem, _ key: RowKey) {
        guard !item.name.isReserved else { return }
        for searched in item.searchedTexts { text += NameKey(searched).bytes + [0] }
        let entry = Self.entry(service: item.name.service, account: item.name.account)
        rows.append(Row(key: key, entry: entry, end: text.count))
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

    /// The keys of the items of some entries.
    func keys(of entries: Set<Int>) -> [RowKey] {
        // Nearly always one entry: no hash is computed for each row.
        guard entries.count == 1, let only = entries.first else {
            return rows.filter { entries.contains($0.entry) }.map(\.key)
        }
        return rows.filter { $0.entry == only }.map(\.key)
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
                while row < rows.count, rows[row].end <= place {
                    start = rows[row].end
                    row += 1
                }
                guard row < rows.count else { return }
                let end = place + key.bytes.count
                let isFound =
                    unsafe !isWhole
                    || Self.isServiceOrLabel(place..<end, of: text, rowStart: start)
                if isFound { entries.insert(rows[row].entry) }
                offset = isFound ? rows[row].end : place + 1
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
