internal import Synchronization
internal import TextCoding

/// Limits equal log lines to one per minute. Thread-safe.
final class RepeatedLines: Sendable {
    private struct Line {
        var next: PointInTime
        var leftOut = 0
    }

    private static let period = Duration.seconds(60)
    /// The largest number of distinct lines; further lines count as one.
    private static let maximum = 1_024

    private let lines = Mutex<[String: Line]>([:])

    /// Admits a line.
    ///
    /// - Returns: The number of equal lines that were skipped before it; nil if it must be skipped.
    func admit(_ line: String, at now: PointInTime) -> Int? {
        lines.withLock { lines in
            var key = line
            if lines[line] == nil, lines.count >= Self.maximum {
                // A repeated line is kept until its count is written.
                lines = lines.filter { now < $0.value.next || $0.value.leftOut > 0 }
                if lines.count >= Self.maximum { key = "" }
            }
            if var known = lines[key], now < known.next {
                known.leftOut += 1
                // The clock may have been set back.
                known.next = min(known.next, now.advanced(by: Self.period))
                lines[key] = known
                return nil
            }
            let leftOut = lines[key]?.leftOut ?? 0
            lines[key] = Line(next: now.advanced(by: Self.period))
            return leftOut
        }
    }
}
