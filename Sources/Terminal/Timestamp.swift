#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Points in time as text.
package enum Timestamp {
    /// A time in UTC as RFC 3339 writes it, such as `2026-12-01T09:00:00Z`; what is below a second is left out.
    ///
    /// Years outside of 0000 to 9999, which RFC 3339 does not have, are written with a sign and at least four digits, as ISO 8601 allows by
    /// agreement. The corresponding C function is `gmtime_r`.
    ///
    /// - Parameter milliseconds: Milliseconds since 1970-01-01 UTC.
    /// - Returns: The time as text of at least 20 characters.
    package static func rfc3339(milliseconds: Int64) -> String {
        // Rounded down, so that the last second of 1969 is not the first of 1970.
        var seconds = time_t(milliseconds / 1_000 - (milliseconds % 1_000 < 0 ? 1 : 0))
        // Unsafe for a pointer in it, the name of the zone, which nothing here looks at.
        var parts = unsafe tm()
        // 64 bits of milliseconds reach the year 292 million, so `tm_year` does not overflow.
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "unknown" }
        let date = unsafe [two(parts.tm_mon + 1), two(parts.tm_mday)]
        let time = unsafe [two(parts.tm_hour), two(parts.tm_min), two(parts.tm_sec)]
        let years = unsafe year(Int(parts.tm_year) + 1_900)
        return years + "-" + date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
    }

    private static func year(_ year: Int) -> String {
        let digits = padded(year.magnitude, to: 4)
        if year < 0 { return "-" + digits }
        return year > 9_999 ? "+" + digits : digits
    }

    private static func two(_ number: Int32) -> String {
        padded(UInt(number), to: 2)
    }

    private static func padded(_ number: UInt, to size: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, size - digits.utf8.count)) + digits
    }
}
