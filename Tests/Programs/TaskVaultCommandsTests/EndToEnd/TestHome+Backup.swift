@testable import TaskVaultCommands
import TestSupport
import TextCoding

extension TestHome {
    /// The time of a backup, as messages show it.
    func backupTime(_ name: String) throws -> String? {
        let bytes = try Files.read(folder + "/" + name)
        guard bytes.count > 16 else { return nil }
        let time = bytes[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Timestamp.rfc3339(milliseconds: Int64(bitPattern: time))
    }
}
