internal import Sealing
internal import SecretMemory

extension KeySlot {
    /// Creates a slot with a new key pair, and seals `rootKey` to it.
    ///
    /// A passphrase costs one derivation, and `cost` applies only to it. An authenticator needs a record.
    static func make(
        for secret: borrowing VaultSecret, record: SlotRecord? = nil, cost: KeyDerivationCost,
        rootKey: borrowing RootKey, vaultID: [UInt8], keyEpoch: UInt32,
        _ environment: VaultEnvironment
    ) throws -> KeySlot {
        let kind = secret.kind
        precondition((record != nil) == (kind == .authenticator))
        let random = environment.random
        let bytes = try random.secret(count: SlotKeys.size)
        let keys = try SlotKeys(bytes)
        var slot = KeySlot(
            id: random.bytes(count: 16), kind: kind,
            cost: kind == .passphrase ? cost : KeyDerivationCost(passes: 0, memoryKiB: 0),
            salt: random.bytes(count: SlotSecret.saltSize), record: record,
            publicKey: keys.pair.publicKey)
        let derived = try slot.derive(secret, vaultID: vaultID, environment.limits)
        let context = slot.pairContext(vaultID)
        slot.commitment = slot.commitment(of: derived, vaultID: vaultID)
        slot.sealedPair = bytes.withBytes {
            Sealing.seal($0, under: derived.wrappingKey, context, random: random)
        }
        return try slot.sealing(
            rootKey, keys.authentication, vaultID: vaultID, keyEpoch: keyEpoch, random)
    }

    /// Derives this slot's keys from a secret of its kind.
    func derive(
        _ secret: borrowing VaultSecret, vaultID: [UInt8], _ limits: KeyDerivationLimits
    ) throws -> SlotSecret {
        switch secret {
        case .passphrase(let passphrase):
            return try SlotSecret(passphrase, salt: salt, cost: cost, limits: limits)
        case .recoveryCode(let code):
            return try SlotSecret(code, prefix: prefix(vaultID: vaultID))
        case .authenticator(let output):
            return try SlotSecret(output, prefix: prefix(vaultID: vaultID))
        }
    }

    /// Whether the derived keys match this slot's commitment, compared in constant time. Required before opening, because the cipher is not
    /// key-committing.
    func isCommitted(to derived: borrowing SlotSecret, vaultID: [UInt8]) -> Bool {
        ConstantTime.areEqual(commitment, commitment(of: derived, vaultID: vaultID))
    }

    /// Opens the root key after ``isCommitted(to:vaultID:)``.
    func openRootKey(
        with derived: borrowing SlotSecret, vaultID: [UInt8], keyEpoch: UInt32
    ) throws -> RootKey {
        let keys = try openKeys(with: derived, vaultID: vaultID)
        guard keys.pair.publicKey == publicKey else { throw VaultError.damaged(.slotPair) }
        try requireProof(under: keys.authentication, vaultID: vaultID, keyEpoch: keyEpoch)
        var root = try SecretBytes(count: RootKey.size)
        do {
            try keys.pair.open(box, into: &root)
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(.slotBox)
        }
        return RootKey(root)
    }

    /// The slot in the next key epoch. Only a slot that was made under the old root key gets the new one.
    ///
    /// - Throws: `VaultError.damaged` with `slotKey` or `slotProof`, or with `slotBox` for a public key of small order.
    func rekeyed(
        from old: borrowing RootKey, to new: borrowing RootKey, vaultID: [UInt8],
        keyEpoch: UInt32, _ random: RandomSource
    ) throws -> KeySlot {
        let authentication: SlotAuthenticationKey = try Key.opening(
            sealedKey, under: old.slotKeyKey(), keyContext(vaultID, keyEpoch), failure: .slotKey)
        try requireProof(under: authentication, vaultID: vaultID, keyEpoch: keyEpoch)
        return try sealing(new, authentication, vaultID: vaultID, keyEpoch: keyEpoch + 1, random)
    }

    private func sealing(
        _ rootKey: borrowing RootKey, _ authentication: borrowing SlotAuthenticationKey,
        vaultID: [UInt8], keyEpoch: UInt32, _ random: RandomSource
    ) throws -> KeySlot {
        guard let box = rootKey.withBytes({ BoxKeyPair.seal($0, to: publicKey) }) else {
            throw VaultError.damaged(.slotBox)
        }
        let wrapping = try rootKey.slotKeyKey()
        var slot = self
        slot.box = box
        slot.sealedKey = authentication.withBytes {
            Sealing.seal($0, under: wrapping, keyContext(vaultID, keyEpoch), random: random)
        }
        slot.proof = slot.proof(under: authentication, vaultID: vaultID, keyEpoch: keyEpoch)
        return slot
    }

    private func openKeys(
        with derived: borrowing SlotSecret, vaultID: [UInt8]
    ) throws -> SlotKeys {
        try SlotKeys(
            SecretBytes.opening(
                sealedPair, under: derived.wrappingKey, pairContext(vaultID), failure: .slotPair))
    }

    /// Rejects a box that was sealed without the slot's authentication key: anyone can seal to the public key.
    private func requireProof(
        under key: borrowing SlotAuthenticationKey, vaultID: [UInt8], keyEpoch: UInt32
    ) throws {
        let expected = self.proof(under: key, vaultID: vaultID, keyEpoch: keyEpoch)
        guard ConstantTime.areEqual(proof, expected) else {
            throw VaultError.damaged(.slotProof)
        }
    }

    private func proof(
        under key: borrowing SlotAuthenticationKey, vaultID: [UInt8], keyEpoch: UInt32
    ) -> [UInt8] {
        let prefix = prefix(vaultID: vaultID)
        return Blake2b.hash(size: 32, key: key) { input in
            input.feed("TVSP")
            input.feed(keyEpoch)
            input.feed(prefix)
            input.feed(publicKey)
            input.feed(box)
        }
    }

    private func commitment(of derived: borrowing SlotSecret, vaultID: [UInt8]) -> [UInt8] {
        let prefix = prefix(vaultID: vaultID)
        return Blake2b.hash(size: 32, key: derived.commitmentKey) { input in
            input.feed(prefix)
            input.feed(publicKey)
        }
    }

    private func pairContext(_ vaultID: [UInt8]) -> SealContext {
        SealContext(.slotPair, vaultID: vaultID, id: id)
    }

    private func keyContext(_ vaultID: [UInt8], _ keyEpoch: UInt32) -> SealContext {
        SealContext(.slotKey, vaultID: vaultID, id: id, revision: UInt64(keyEpoch))
    }
}

/// The secret keys of a slot, decoded from the 64 bytes that the slot seals.
private struct SlotKeys: ~Copyable {
    static let size = BoxKeyPair.keySize + SlotAuthenticationKey.size

    let pair: BoxKeyPair
    let authentication: SlotAuthenticationKey

    init(_ bytes: borrowing SecretBytes) throws {
        let first = try bytes.copy(from: 0, count: BoxKeyPair.keySize)
        let second = try bytes.copy(
            from: BoxKeyPair.keySize, count: SlotAuthenticationKey.size)
        pair = BoxKeyPair(secretKey: first)
        authentication = SlotAuthenticationKey(second)
    }
}

extension Key {
    /// Opens a sealed key of 32 bytes.
    static func opening<Wrapping: SealingPurpose>(
        _ blob: [UInt8], under wrapping: borrowing Key<Wrapping>, _ context: SealContext,
        failure: FormatFailure
    ) throws -> Key {
        Key(try SecretBytes.opening(blob, under: wrapping, context, failure: failure))
    }
}

extension SecretBytes {
    /// Opens sealed bytes.
    static func opening<Wrapping: SealingPurpose>(
        _ blob: [UInt8], under wrapping: borrowing Key<Wrapping>, _ context: SealContext,
        failure: FormatFailure
    ) throws -> SecretBytes {
        var secret = try SecretBytes(count: max(0, blob.count - Sealing.overhead))
        do {
            try Sealing.open(blob, under: wrapping, context, into: &secret)
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(failure)
        }
        return secret
    }
}

/// A recovery code and its slot.
struct RecoverySlot: ~Copyable {
    let code: RecoveryCode
    let slot: KeySlot

    static func make(
        rootKey: borrowing RootKey, vaultID: [UInt8], keyEpoch: UInt32,
        _ environment: VaultEnvironment
    ) throws -> RecoverySlot {
        let made = VaultSecret.recoveryCode(try RecoveryCode.random(from: environment.random))
        let slot = try KeySlot.make(
            for: made, cost: .standard, rootKey: rootKey, vaultID: vaultID, keyEpoch: keyEpoch,
            environment)
        switch consume made {
        case .recoveryCode(let code): return RecoverySlot(code: code, slot: slot)
        default: throw VaultError.noSuchSlot
        }
    }

    consuming func takeCode() -> RecoveryCode { code }
}
