internal import CSodium

/// The sum of a multiset's elements modulo 2^512: MSet-Add-Hash (Clarke, Devadas, van Dijk, Gassend, Suh, "Incremental Multiset Hash
/// Functions and Their Application to Memory Integrity Checking", 2003), with BLAKE2b-512 as the keyed hash.
///
/// Its security requires that attackers never see the sum, so it is stored only in sealed form.
public struct MultisetSum: Sendable, Hashable {
    /// The size of an element and of the sum, in bytes.
    public static let size = 64

    /// The sum, little-endian.
    public private(set) var bytes: [UInt8]

    /// Creates the sum of no elements.
    public init() {
        bytes = [UInt8](repeating: 0, count: Self.size)
    }

    /// Creates a stored sum; nil if its size is wrong.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Adds an element. The corresponding C function is `sodium_add`.
    public mutating func add(_ element: [UInt8]) {
        precondition(element.count == Self.size)
        unsafe sodium_add(&bytes, element, Self.size)
    }

    /// Removes an element. The corresponding C function is `sodium_sub`.
    public mutating func subtract(_ element: [UInt8]) {
        precondition(element.count == Self.size)
        unsafe sodium_sub(&bytes, element, Self.size)
    }
}
