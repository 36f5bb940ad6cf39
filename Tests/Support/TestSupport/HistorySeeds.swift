import Foundation

/// The seeds of random histories. `TASKVAULT_SYNC_HISTORIES` sets their number, and `TASKVAULT_SYNC_SEED` the first: without it, each round of
/// `Tests/Proof/run` has others.
package enum HistorySeeds {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The seeds, in parts that run beside each other.
    ///
    /// - Parameters:
    ///   - standard: The number of histories without a variable.
    ///   - first: The first seed without a variable.
    ///   - divisor: A slower test runs this part of the number that the variable sets.
    ///   - count: The number of parts.
    /// - Returns: The seeds of each part.
    package static func parts(
        _ standard: UInt64, from first: UInt64 = 0, divisor: UInt64 = 1, count: UInt64 = 4
    ) -> [Range<UInt64>] {
        let wanted = number("TASKVAULT_SYNC_HISTORIES").map { max($0 / divisor, 1) } ?? standard
        let start = number("TASKVAULT_SYNC_SEED") ?? first + Attack.round * wanted
        let end = start + wanted
        let size = max(1, (wanted + count - 1) / count)
        return stride(from: start, to: end, by: Int(size)).map { $0..<min($0 + size, end) }
    }

    /// Prints what happened in a history, if it is the only one.
    package static func show(_ trace: [String], of seeds: Range<UInt64>) {
        if seeds.count == 1 { print(trace.joined(separator: "\n")) }
    }
}
