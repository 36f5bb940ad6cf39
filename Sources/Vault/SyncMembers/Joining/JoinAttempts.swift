internal import SecureStorage

/// The times of the last attempts to join, which the caller stores. Three are permitted in an hour.
package struct JoinAttempts: Hashable, Sendable {
    /// The maximum number of attempts in ``period``.
    package static let limit = 3
    /// An hour, in milliseconds.
    package static let period: Int64 = 3_600_000

    private var times: [Int64] = []

    package init() {}

    /// Parses canonical bytes; nil for any other input.
    package init?(_ bytes: [UInt8]) {
        let times = ByteReader.reading(bytes) { reader -> [Int64]? in
            guard reader.magic("TVJT") == true, let count = reader.integer(UInt32.self),
                count <= Self.limit
            else { return nil }
            var times: [Int64] = []
            for _ in 0..<count {
                guard let time = reader.integer(Int64.self) else { return nil }
                times.append(time)
            }
            return reader.isAtEnd ? times : nil
        }
        guard let times else { return nil }
        self.times = times
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVJT")
        writer.integer(UInt32(times.count))
        for time in times { writer.integer(time) }
        return writer.bytes
    }

    /// Counts an attempt. The caller stores the value before it goes on, and also after an error.
    ///
    /// - Parameter now: The wall clock, in milliseconds since 1970-01-01 UTC.
    /// - Throws: ``JoinFailure/tooManyAttempts(until:)``.
    package mutating func count(at now: Int64) throws(JoinFailure) {
        // A clock that went back makes no room: a later time counts as now.
        times = times.map { min($0, now) }.filter { now - $0 < Self.period }
        guard times.count < Self.limit else {
            throw .tooManyAttempts(until: (times.min() ?? now) + Self.period)
        }
        times.append(now)
    }
}

/// Why joining failed. After any of these the exchange is over, and a person begins another.
package enum JoinFailure: Error, Sendable, Hashable {
    /// A message is malformed, of a later version, of another exchange or group, or not the next one.
    case message
    /// The message is of a later version.
    case laterVersion
    /// The opened keys are not those of the commitment.
    case commitment
    /// The newcomer did not sign its keys and the group.
    case consent
    /// The digits are others. The messages may have been changed.
    case digits
    /// Three attempts in the last hour; the next is possible at this time, in milliseconds since 1970-01-01 UTC.
    case tooManyAttempts(until: Int64)
    /// The exchange is over, or another step is next.
    case step
}
