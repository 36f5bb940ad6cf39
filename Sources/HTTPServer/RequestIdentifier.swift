internal import CSodium
internal import Synchronization

/// Makes the number by which a request is found in a log.
enum RequestIdentifier {
    /// Random once in a process: to ask the system for each request costs more than to read its head.
    private static let start: UInt64 = {
        var number: UInt64 = 0
        unsafe randombytes_buf(&number, MemoryLayout.size(ofValue: number))
        return number
    }()
    private static let count = Atomic<UInt64>(0)

    /// A number that this process has not used, and that looks like none of the others.
    static func make() -> String {
        // The finalizer of SplitMix64, which maps different numbers to different numbers.
        var number = start &+ count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
