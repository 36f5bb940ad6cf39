import Sealing
import SecretMemory
import SecureStorage
@testable import VaultCore

/// Properties that any bytes have; `MutationTests` and `Tests/Fuzz` look for bytes without them.
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
        guard bytes.count >= 16, let range = slot(in: bytes, at: 16) else { return nil }
        let vaultID = Array(bytes[..<16])
        let stored = Array(bytes[range])
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
                read.kind != .passphrase
                    || (try? KeyDerivationLimits.testing.check(read.cost)) != nil
            else { return "a slot that nobody may derive is read" }
            guard (read.record != nil) == (read.kind == .authenticator) else {
                return "a slot with the record of another kind is read"
            }
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

    /// The file of a rollback record.
    static func rollbackRecord(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        for stored in [bytes, fitted(file: bytes)] {
            guard let slot = try? RollbackRecordFile.slot(stored) else { continue }
            isAccepted = true
            let start = slot.number * RollbackRecordFile.slotSize
            let read = stored.dropFirst(start).prefix(RollbackRecordFile.slotSize)
            guard RollbackRecordFile.bytes(slot.record, sequence: slot.sequence) == Array(read)
            else {
                return "a slot of a rollback record is written otherwise than read"
            }
        }
        return nil
    }

    /// The file with the right checksum in its first slot.
    private static func fitted(file: [UInt8]) -> [UInt8] {
        guard file.count >= 173 else { return file }
        let covered = Array(file[..<157])
        return covered + Blake2b.hash(size: 16) { $0.feed(covered) } + file[173...]
    }

    /// The header with the right checksum in every slot that is there.
    private static func fitted(_ header: [UInt8]) -> [UInt8] {
        var fitted = header
        for range in slots(of: header) {
            fitted.replaceSubrange(
                range, with: self.fitted(slot: Array(header[range]), of: Array(header[8..<24])))
        }
        return fitted
    }

    /// Where the slots of a header are, as far as they are there.
    static func slots(of header: [UInt8]) -> [Range<Int>] {
        guard header.count >= 29 else { return [] }
        var slots: [Range<Int>] = []
        for _ in 0..<header[28] {
            guard let range = slot(in: header, at: slots.last?.upperBound ?? 29) else { break }
            slots.append(range)
        }
        return slots
    }

    private static func slot(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        ByteReader.reading(bytes) { reader in
            guard reader.skip(start), KeySlot.skip(&reader) else { return nil }
            return start..<reader.offset
        }
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
