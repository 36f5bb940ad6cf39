internal import Sealing
internal import SecureStorage
package import Sync

/// A short text by which two people compare what their devices have.
package enum HeadsCheck {
    /// Numbers that are equal, but for a chance of 1 in bound^count, only for equal heads of one group.
    ///
    /// - Parameters:
    ///   - heads: The heads of the chains that both devices know.
    ///   - group: The group.
    ///   - count: How many numbers, 1 to 8.
    ///   - bound: The numbers are below it: the size of a list of words, or 10,000 for four digits.
    /// - Returns: The numbers.
    package static func numbers(
        of heads: Heads, in group: GroupID, count: Int, below bound: UInt64
    ) -> [UInt64] {
        precondition((1...8).contains(count) && bound > 0)
        var writer = ByteWriter()
        writer.heads(heads)
        let hash = Blake2b.hash(size: 64) { hash in
            hash.feed("TVHC")
            hash.feed(group.bytes)
            hash.feed(writer.bytes)
        }
        return (0..<count).map { index in
            hash[(8 * index)..<(8 * index + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
                % bound
        }
    }
}
