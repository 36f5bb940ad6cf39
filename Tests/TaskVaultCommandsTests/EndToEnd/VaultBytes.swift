import Sealing

/// Changes to the bytes of a vault file by an attacker who knows `Docs/Format.md` and has no key.
enum VaultBytes {
    /// Where the header begins; it lies whole in the file.
    static func header(in bytes: [UInt8]) throws -> Int {
        let magic = Array("TVHD".utf8)
        for offset in bytes.indices.dropLast(3)
        where bytes[offset..<offset + 4].elementsEqual(magic) {
            return offset
        }
        throw HarnessFailure("no header", code: 0)
    }

    /// Writes another derivation cost into the first slot, with the checksum that fits.
    static func setCost(passes: UInt32, memoryKiB: UInt32, in bytes: inout [UInt8]) throws {
        let header = try header(in: bytes)
        let vaultID = Array(bytes[header + 8..<header + 24])
        let slot = header + 29
        func put(_ number: UInt32, at offset: Int) {
            for byte in 0..<4 {
                bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(byte)))
            }
        }
        put(passes, at: slot + 18)
        put(memoryKiB, at: slot + 22)
        let covered = Array("TVSL".utf8) + vaultID + bytes[slot..<slot + 146]
        let checksum = Blake2b.hash(size: 16) { $0.feed(covered) }
        bytes.replaceSubrange(slot + 146..<slot + 162, with: checksum)
    }
}
