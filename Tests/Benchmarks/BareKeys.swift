internal import CSodium
internal import CSQLite
internal import SecureStorage

/// The keys of a vault, opened from its file by the C functions that `Docs/Format.md` names, and by nothing of the product.
struct BareKeys {
    let vaultID: [UInt8]
    let lookup: [UInt8]
    let attribute: [UInt8]
    /// The value key of a class.
    let value: [UInt8]
    /// That class.
    let accessClass: AccessClass

    init(
        _ database: BareDatabase, passphrase: String, accessClass: AccessClass = .whileUnlocked
    ) throws {
        self.accessClass = accessClass
        let select = try database.prepare("SELECT bytes FROM header")
        guard try select.step() else { throw BenchmarkFailure("no header") }
        let header = unsafe [UInt8](select.blob(at: 0))
        select.reset()
        vaultID = Array(header[8..<24])
        let epoch = Array(header[24..<28])
        let slots = Int(header[28])
        var root: [UInt8]?
        var end = 29
        for _ in 0..<slots {
            // After a record, which is empty but for an authenticator.
            let recordSize = Self.integer(at: end + 42, in: header)
            let slot = Array(header[end..<(end + 414 + Int(recordSize))])
            end += slot.count
            guard slot[16] == 1 else { continue }
            let derived = try Self.derive(passphrase, slot)
            let pair = try BareContext(purpose: 1, vaultID: vaultID, id: Array(slot[..<16]))
                .open(Array(slot[110..<214]), Array(derived[..<32]))
            var opened = [UInt8](repeating: 0, count: 32)
            guard
                unsafe crypto_box_seal_open(
                    &opened, Array(slot[286..<366]), 80, Array(slot[46..<78]), Array(pair[..<32]))
                    == 0
            else { throw BenchmarkFailure("a box does not open") }
            root = opened
        }
        guard let root else { throw BenchmarkFailure("no passphrase slot") }
        let wrapping = Self.subkey(1, of: root)
        lookup = Self.subkey(2, of: root)
        let keys = Array(header[end...])
        attribute = try BareContext(purpose: 2, vaultID: vaultID, revision: epoch, part: 1)
            .open(Array(keys[..<72]), wrapping)
        value = try BareContext(
            purpose: 2, vaultID: vaultID, accessClass: accessClass.rawValue, revision: epoch,
            part: 2
        ).open(Array(keys[(72 * Int(accessClass.rawValue))...].prefix(72)), wrapping)
    }

    /// The lookup tag of a name with the standard field.
    func tag(service: String, account: String) -> [UInt8] {
        var message: [UInt8] = []
        for part in [service, account, "password"] {
            unsafe withUnsafeBytes(of: UInt32(part.utf8.count).littleEndian) {
                unsafe message.append(contentsOf: $0)
            }
            message += Array(part.utf8)
        }
        var tag = [UInt8](repeating: 0, count: 32)
        unsafe crypto_generichash(
            &tag, 32, message, UInt64(message.count), lookup, lookup.count)
        return tag
    }

    private static func derive(_ passphrase: String, _ slot: [UInt8]) throws -> [UInt8] {
        try BareDerivation.run(
            passphrase, salt: Array(slot[26..<42]), passes: integer(at: 18, in: slot),
            memoryKiB: Int(integer(at: 22, in: slot)))
    }

    private static func integer(at offset: Int, in bytes: [UInt8]) -> UInt64 {
        bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func subkey(_ number: UInt64, of root: [UInt8]) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: 32)
        unsafe crypto_kdf_derive_from_key(&key, 32, number, "TVaultKy", root)
        return key
    }
}

/// Bare `crypto_pwhash`, with the output that a slot needs.
enum BareDerivation {
    static func run(
        _ passphrase: String, salt: [UInt8], passes: UInt64, memoryKiB: Int
    ) throws -> [UInt8] {
        var derived = [UInt8](repeating: 0, count: 64)
        guard
            unsafe crypto_pwhash(
                &derived, 64, passphrase, UInt64(passphrase.utf8.count), salt, passes,
                memoryKiB * 1_024, crypto_pwhash_ALG_ARGON2ID13) == 0
        else { throw BenchmarkFailure("no memory for the derivation") }
        return derived
    }
}

/// Associated data, 51 bytes, and bare `crypto_aead_xchacha20poly1305_ietf_decrypt`.
struct BareContext {
    private var bytes: [UInt8]

    init(
        purpose: UInt8, vaultID: [UInt8], id: [UInt8] = [UInt8](repeating: 0, count: 16),
        accessClass: UInt8 = 0, revision: [UInt8] = [], part: UInt8 = 0
    ) {
        bytes = Array("TVAD".utf8) + [purpose, 2, 0, 0, 0] + vaultID + id + [accessClass]
        bytes += revision + [UInt8](repeating: 0, count: 8 - revision.count) + [part]
    }

    /// Fills in what differs from row to row.
    @inline(__always) mutating func set(
        id: UnsafeRawBufferPointer, accessClass: Int64, revision: Int64
    ) {
        unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[25..<41]).copyMemory(from: id)
            unsafe bytes[41] = UInt8(truncatingIfNeeded: accessClass)
            unsafe bytes.storeBytes(of: revision.littleEndian, toByteOffset: 42, as: Int64.self)
        }
    }

    /// Opens a blob into a buffer that is large enough.
    @inline(__always) func open(
        _ blob: UnsafeRawBufferPointer, _ key: [UInt8], into buffer: inout [UInt8]
    ) throws {
        guard let start = unsafe blob.baseAddress?.assumingMemoryBound(to: UInt8.self),
            blob.count >= 40,
            unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                &buffer, nil, nil, start + 24, UInt64(blob.count - 24), bytes, UInt64(bytes.count),
                start, key) == 0
        else { throw BenchmarkFailure("a blob does not open") }
    }

    func open(_ blob: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: blob.count - 40)
        try unsafe blob.withUnsafeBytes { try unsafe open($0, key, into: &plain) }
        return plain
    }
}
