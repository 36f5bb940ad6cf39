package import Sealing
internal import SecretMemory
internal import VaultCore
package import VaultStorage

/// The keys of a vault, derived by `Docs/Format.md` and independently of the vault's code.
package enum VaultKeysOfFormat {
    /// All keys derived with `passphrase`, masked. The vault's first slot is the passphrase's.
    package static func masked(
        of storage: any RecordStorage, passphrase: borrowing Passphrase
    ) throws -> [MaskedSecret] {
        let header = try storage.read { reader in
            try reader.header() ?? []
        }
        let vaultID = Array(header[8..<24])
        let slot = Array(header[29..<191])
        func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
        }
        let epoch = UInt64(number(header, 24))
        let derived = try SlotSecret(
            passphrase, salt: Array(slot[26..<42]),
            cost: KeyDerivationCost(passes: number(slot, 18), memoryKiB: number(slot, 22)),
            limits: .testing)
        let root = RootKey(
            try open(
                Array(slot[74..<146]), derived.wrappingKey,
                SealContext(.slot, vaultID: vaultID, id: Array(slot[..<16]), revision: epoch)))
        let wrapping = try root.classWrappingKey()
        let tail = Array(header.suffix(216))
        var masked = [
            derived.wrappingKey.withBytes { MaskedSecret("slot wrapping key", $0) },
            derived.commitmentKey.withBytes { MaskedSecret("slot commitment key", $0) },
            root.withBytes { MaskedSecret("root key", $0) },
            wrapping.withBytes { MaskedSecret("class-wrapping key", $0) },
            try root.lookupKey().withBytes { MaskedSecret("lookup key", $0) },
            try root.rowHashKey().withBytes { MaskedSecret("row-hash key", $0) },
            try root.stateKey().withBytes { MaskedSecret("state key", $0) },
        ]
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
        var secret = try SecretBytes(count: 32)
        try Sealing.open(blob, under: key, context, into: &secret)
        return secret
    }
}
