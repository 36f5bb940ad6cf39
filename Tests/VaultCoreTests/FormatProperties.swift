import Sealing
import SecretMemory
import SecureStorage
@testable import VaultCore

/// What must be true of any bytes whatever; `MutationTests` and `Tests/Fuzz` look for bytes of which it is not.
///
/// Each function returns what is wrong, or nil, and tells through `isAccepted` whether the bytes were read at all. Where the format has a
/// checksum, bytes that only it refuses are looked at again with the right one, because no mutation would hit on it.
enum FormatProperties {
    /// One encoding for each content: what is read is written the same.
    static func header(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        for bytes in [bytes, fitted(bytes)] {
            guard let header = try? VaultHeader(bytes, limits: .testing) else { continue }
            isAccepted = true
            guard header.bytes == bytes else { return "a header is written otherwise than read" }
            guard (1...KeySlot.maximumCount).contains(header.slots.count), header.keyEpoch > 0,
                Set(header.slots.map(\.id)).count == header.slots.count
            else { return "a header that breaks its rules is read" }
        }
        return nil
    }

    /// A slot after a vault id.
    static func slot(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard bytes.count >= 16 + KeySlot.size else { return nil }
        let vaultID = Array(bytes[..<16])
        let stored = Array(bytes[16..<(16 + KeySlot.size)])
        for stored in [stored, fitted(slot: stored, of: vaultID)] {
            let read = try? ByteReader.reading(stored) {
                try KeySlot.read(from: &$0, vaultID: vaultID, limits: .testing)
            }
            guard let read else { continue }
            isAccepted = true
            var writer = ByteWriter()
            read.write(to: &writer, vaultID: vaultID)
            guard writer.bytes == stored else { return "a slot is written otherwise than read" }
            guard
                read.kind == .recoveryCode
                    || (try? KeyDerivationLimits.testing.check(read.cost)) != nil
            else { return "a slot that nobody may derive is read" }
        }
        return nil
    }

    /// The attributes of an item.
    static func item(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard let item = ItemDescription(unsafe bytes.span.bytes) else { return nil }
        isAccepted = true
        guard item.bytes == bytes else { return "attributes are written otherwise than read" }
        guard let checked = try? item.checked(), checked == item else {
            return "attributes that nobody could save are read"
        }
        return nil
    }

    /// A rollback mark after the vault id that it must have.
    static func mark(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard bytes.count >= 16 else { return nil }
        let stored = Array(bytes[16...])
        let fitted =
            stored.dropLast(16) + Blake2b.hash(size: 16) { $0.feed(Array(stored.dropLast(16))) }
        for stored in [stored, Array(fitted)] {
            guard let mark = try? RollbackMark(stored, of: Array(bytes[..<16])) else { continue }
            isAccepted = true
            guard mark.bytes == stored else { return "a mark is written otherwise than read" }
            guard mark.isAtLeast(mark) else { return "a mark is older than itself" }
        }
        return nil
    }

    /// The header with the right checksum in every slot that is there.
    private static func fitted(_ header: [UInt8]) -> [UInt8] {
        var fitted = header
        guard header.count >= 29 else { return header }
        let vaultID = Array(header[8..<24])
        var start = 29
        for _ in 0..<header[28] where start + KeySlot.size <= header.count {
            let range = start..<(start + KeySlot.size)
            fitted.replaceSubrange(
                range, with: self.fitted(slot: Array(header[range]), of: vaultID))
            start += KeySlot.size
        }
        return fitted
    }

    private static func fitted(slot: [UInt8], of vaultID: [UInt8]) -> [UInt8] {
        let covered = Array(slot.dropLast(16))
        return covered
            + Blake2b.hash(size: 16) { input in
                input.feed("TVSL")
                input.feed(vaultID)
                input.feed(covered)
            }
    }
}
