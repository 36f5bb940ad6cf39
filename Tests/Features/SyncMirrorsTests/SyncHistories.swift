import Foundation

/// How many random histories run, from which seed on.
enum SyncHistories {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    static var all: Bool { number("TASKVAULT_SYNC_ALL") != nil }

    /// The seeds, in parts that run beside each other.
    static func parts(_ standard: UInt64) -> [Range<UInt64>] {
        let start = number("TASKVAULT_SYNC_SEED") ?? 0
        let end = start + (number("TASKVAULT_SYNC_HISTORIES") ?? standard)
        let size = max(1, (end - start + 3) / 4)
        return stride(from: start, to: end, by: Int(size)).map { $0..<min($0 + size, end) }
    }
}
