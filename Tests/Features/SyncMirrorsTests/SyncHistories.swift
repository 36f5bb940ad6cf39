import Foundation
import Sync
import TestSupport

/// The effects of random histories on the folder.
enum SyncHistories {
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
