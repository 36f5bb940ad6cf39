/// A duration such as `90s`, `15m` or `1h30m`; if days are allowed, also `7d`.
package struct TimeSpan: Hashable {
    /// The whole seconds.
    package let seconds: UInt64

    /// Creates a duration in seconds.
    package init(seconds: UInt64) {
        self.seconds = seconds
    }

    /// Creates a duration in milliseconds, rounded up, so that a remaining time is never 0.
    package init(milliseconds: UInt64) {
        seconds = milliseconds / 1_000 + (milliseconds % 1_000 == 0 ? 0 : 1)
    }

    /// Parses a duration: hours, minutes and seconds, each at most once and in this order.
    /// Days may precede them if `hasDays`. nil for any other text.
    package init?(_ text: String, hasDays: Bool = false) {
        var total: UInt64 = 0
        var number: UInt64?
        var units = hasDays ? [(UInt8(ascii: "d"), UInt64(86_400))] : []
        units += [(UInt8(ascii: "h"), 3_600), (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1)]
        let all = units.count
        for byte in text.utf8 {
            if (0x30...0x39).contains(byte) {
                number = (number ?? 0) * 10 + UInt64(byte - 0x30)
                guard number ?? 0 <= 1_000_000 else { return nil }
            } else {
                guard let count = number, let unit = units.firstIndex(where: { $0.0 == byte })
                else { return nil }
                total += count * units[unit].1
                units.removeSubrange(...unit)
                number = nil
            }
        }
        guard number == nil, units.count < all else { return nil }
        seconds = total
    }

    /// The duration in the same form.
    package var text: String {
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        return text.isEmpty ? "0s" : text
    }
}
