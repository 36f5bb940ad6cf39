internal import CSodium

/// Comparison in constant time.
public enum ConstantTime {
    /// Whether two byte strings are equal, by `sodium_memcmp`.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe sodium_memcmp(left, right, left.count) == 0
    }
}
