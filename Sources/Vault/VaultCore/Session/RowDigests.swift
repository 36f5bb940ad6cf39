/// The digests of the rows of one bucket, ordered by key.
///
/// A dictionary would take three times as much memory, which counts at 100,000 items.
struct RowDigests {
    private struct Row {
        let key: RowKey.Words
        var digest: RowDigest
    }

    private let isEarlier: Bool
    private var rows: [Row] = []

    /// - Parameter isEarlier: Whether the rows are earlier ones.
    init(ofEarlierRows isEarlier: Bool) {
        self.isEarlier = isEarlier
    }

    /// The keys, in ascending order.
    var keys: [RowKey] { rows.map { RowKey($0.key, isEarlier: isEarlier) } }

    /// The place of a key, or the place where it belongs and `false`.
    func place(of key: RowKey) -> (index: Int, isFound: Bool) {
        let words = key.words
        // Most rows are added in the order of their keys.
        guard let last = rows.last, last.key >= words else { return (rows.count, false) }
        var (low, high) = (0, rows.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key < words { low = middle + 1 } else { high = middle }
        }
        return (low, rows[low].key == words)
    }

    /// The digest of a row; nil if there is none. Setting nil removes it.
    subscript(key: RowKey) -> RowDigest? {
        get {
            let (index, isFound) = place(of: key)
            return isFound ? rows[index].digest : nil
        }
        set {
            let (index, isFound) = place(of: key)
            switch (newValue, isFound) {
            case (let digest?, true): rows[index].digest = digest
            case (let digest?, false): rows.insert(Row(key: key.words, digest: digest), at: index)
            case (nil, true): rows.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Adds the digest of a key.
    ///
    /// - Returns: `false`, with no change, if the key has a digest.
    mutating func insert(_ digest: RowDigest, for key: RowKey) -> Bool {
        let (index, isFound) = place(of: key)
        if isFound { return false }
        rows.insert(Row(key: key.words, digest: digest), at: index)
        return true
    }

    /// Reserves memory for a number of rows.
    mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }
}
