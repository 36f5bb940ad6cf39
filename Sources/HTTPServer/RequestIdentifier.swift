internal import CSodium

/// Makes the number by which a request is found in a log.
enum RequestIdentifier {
    static func make() -> String {
        var number: UInt64 = 0
        unsafe randombytes_buf(&number, MemoryLayout.size(ofValue: number))
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
