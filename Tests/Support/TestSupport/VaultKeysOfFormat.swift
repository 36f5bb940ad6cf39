package import Sealing
internal import SecretMemory
internal import VaultCore
package import VaultStorage

/// The keys of a vault, derived by `Docs/Format.md` and independently of the vault's code.
package enum VaultKeysOfFormat {
    /// All keys derived with `passphrase`, masked. No slot is an authenticator's, and one is the passphrase's.
    package static func masked(
        of storage: any RecordStorage, passphrase: borrowing Passphrase
    ) throws -> [MaskedSecret] {
        let header = try storage.read { reader in
            try reader.header() ?? []
        }
        let vaultID = Array(header[8..<24])
        // The records are empty.
        var start = 29
        while header[start + 16] != 1 { start += 414 }
        let slot = Array(header[start..<(start + 414)])
        func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
        }
        let epoch = UInt64(number(header, 24))
        let derived = try SlotSecret(
            passphrase, salt: Array(slot[26..<42]),
            cost: KeyDerivationCost(passes: number(slot, 18), memoryKiB: number(slot, 22)),
            limits: .testing)
        let pair = try open(
            Array(slot[110..<214]), derived.wrappingKey,
            SealContext(.slotPair, vaultID: vaultID, id: Array(slot[..<16])))
        let secretKey = try pair.copy(from: 0, count: 32)
        let authentication = try pair.copy(from: 32, count: 32)
        var rootBytes = try SecretBytes(count: 32)
        try BoxKeyPair(secretKey: secretKey.copy()).open(Array(slot[286..<366]), into: &rootBytes)
        let root = RootKey(rootBytes)
        let wrapping = try root.classWrappingKey()
        let tail = Array(header.suffix(320))
        var masked = [
            derived.wrappingKey.withBytes { MaskedSecret("slot wrapping key", $0) },
            derived.commitmentKey.withBytes { MaskedSecret("slot commitment key", $0) },
            secretKey.withBytes { MaskedSecret("secret key of the slot", $0) },
            authentication.withBytes { MaskedSecret("authentication key of the slot", $0) },
            root.withBytes { MaskedSecret("root key", $0) },
            wrapping.withBytes { MaskedSecret("class-wrapping key", $0) },
            try root.lookupKey().withBytes { MaskedSecret("lookup key", $0) },
            try root.rowHashKey().withBytes { MaskedSecret("row-hash key", $0) },
            try root.stateKey().withBytes { MaskedSecret("state key", $0) },
            try root.slotKeyKey().withBytes { MaskedSecret("slot-key key", $0) },
        ]
        let backup = try open(
            Array(tail[248...]), wrapping,
            SealContext(.wrappedKey, vaultID: vaultID, revision: epoch, part: 3))
        masked.append(backup.withBytes { MaskedSecret("secret key for backups", $0) })
        for (index, name) in ["attribute key", "value key 1", "value key 2"].enumerated() {
            let context = SealContext(
                .wrappedKey, vaultID: vaultID, accessClass: UInt8(index), revision: epoch,
                part: index == 0 ? 1 : 2)
            masked.append(
                MaskedSecret(
                    name, try open(Array(tail[(72 * index)..<(72 * index + 72)]), wrapping, context)
                ))
        }
        return masked
    }

    private static func open<Use>(
        _ blob: [UInt8], _ key: borrowing Key<Use>, _ context: SealContext
    ) throws -> SecretBytes where Use: SealingPurpose {
        var secret = try SecretBytes(count: blob.count - Sealing.overhead)
        try Sealing.open(blob, under: key, context, into: &secret)
        return secret
    }
}
