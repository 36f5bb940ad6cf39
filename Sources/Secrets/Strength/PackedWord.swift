/// A word of at most eight bytes in one number: the first letter in the highest byte, zeros after the last.
///
/// The numbers order as the words do.
struct PackedWord: Hashable, Comparable {
    private(set) var code: UInt64 = 0
    private(set) var count = 0

    /// Nil if there are more than eight bytes.
    init?(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where !append(byte) { return nil }
    }

    /// An empty word.
    init() {}

    /// Appends a letter, if there is room.
    mutating func append(_ byte: UInt8) -> Bool {
        guard count < 8 else { return false }
        code |= UInt64(byte) << (56 - 8 * UInt64(count))
        count += 1
        return true
    }

    /// The letter at `index`.
    subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: code >> (56 - 8 * UInt64(index)))
    }

    static func < (left: PackedWord, right: PackedWord) -> Bool { left.code < right.code }
}

extension [PackedWord] {
    /// Whether the sorted list has `word`.
    func containsSorted(_ word: PackedWord) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < word { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == word
    }
}

/// The words of which ``SecretGenerator`` makes passphrases.
enum WordList {
    /// The list, sorted; read from the text when it is first used.
    static let words: [PackedWord] = text.description.utf8
        .split(whereSeparator: { $0 <= 0x20 }).compactMap { PackedWord($0) }
}
