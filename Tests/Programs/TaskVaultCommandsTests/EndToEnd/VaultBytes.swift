import Sealing
import Testing
import TestSupport
import VaultStorage

/// Changes to the bytes of a vault file by an attacker who knows `Docs/Format.md` and has no key.
enum VaultBytes {
    /// Where the header begins; its first 480 bytes are in one piece.
    static func header(in bytes: [UInt8]) throws -> Int {
        let magic = Array("TVHD".utf8)
        for offset in bytes.indices.dropLast(3)
        where bytes[offset..<offset + 4].elementsEqual(magic) {
            return offset
        }
        throw HarnessFailure("no header", code: 0)
    }

    /// Damages the value of the secret that was saved first: SQLite fills a page from its end. TaskVault's own may be protected.
    static func flipFirstValue(of file: String) throws {
        let storage = try VaultDatabase.openFile(at: file, mode: .readOnly)
        var values: [[UInt8]] = []
        try storage.read {
            try $0.forEachItem { if $0.accessClass == 1 { values.append($0.value) } }
        }
        storage.close()
        let bytes = try Files.read(file)
        let places = values.compactMap { value in
            bytes.indices.dropLast(31).first {
                bytes[$0..<$0 + 32].elementsEqual(value.prefix(32))
            }
        }
        try Files.flip(file, at: try #require(places.max()))
    }

    /// Damages the sealed state. Its page is the last before the rest of the header, and its row ends with the page.
    static func flipState(of file: String) throws {
        try Files.flip(file, at: -4_096 - 1)
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
        let covered = Array("TVSL".utf8) + vaultID + bytes[slot..<slot + 398]
        let checksum = Blake2b.hash(size: 16) { $0.feed(covered) }
        bytes.replaceSubrange(slot + 398..<slot + 414, with: checksum)
    }
}
