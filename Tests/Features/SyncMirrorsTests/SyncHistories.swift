import Foundation
import Sync
import TestSupport

/// How many random histories run, from which seed on, and what they do to the folder.
enum SyncHistories {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The seeds, in parts that run beside each other. `TASKVAULT_SYNC_HISTORIES` sets their number, and `TASKVAULT_SYNC_SEED` the first.
    static func parts(_ standard: UInt64) -> [Range<UInt64>] {
        let start = number("TASKVAULT_SYNC_SEED") ?? 0
        let end = start + (number("TASKVAULT_SYNC_HISTORIES") ?? standard)
        let size = max(1, (end - start + 3) / 4)
        return stride(from: start, to: end, by: Int(size)).map { $0..<min($0 + size, end) }
    }

    /// Doubles a file of the folder, or loses it: its author puts it again, unless it leaves the group.
    static func disturb(
        _ folder: String, _ random: inout SeededGenerator, losing isLosing: Bool
    ) throws {
        let files = FileManager.default
        let paths = try files.subpathsOfDirectory(atPath: folder).sorted().filter {
            UInt64($0.split(separator: "/").last ?? "") != nil
        }
        if paths.isEmpty { return }
        let path = folder + "/" + paths[Int(random.next() % UInt64(paths.count))]
        if random.next().isMultiple(of: 2), isLosing {
            try files.removeItem(atPath: path)
        } else {
            try? files.copyItem(
                atPath: path, toPath: path + ".sync-conflict-20260101-000000-ABCDEFG")
        }
    }
}

extension Replica {
    /// A round without a vault or a list.
    func exchange() throws -> SyncReport {
        var report = try collect()
        try settle()
        try publish(&report)
        return report
    }

    /// Writes an empty segment, which tells the others how far this device has applied theirs.
    func acknowledge() throws { try change { _ in [] } }
}
