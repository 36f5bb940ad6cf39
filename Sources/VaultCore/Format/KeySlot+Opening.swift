internal import Sealing
internal import SecretMemory

extension KeySlot {
    /// Creates a slot that seals `rootKey` for a passphrase, at the cost of one derivation, or for a recovery code.
    static func make(
        for secret: borrowing VaultSecret, cost: KeyDerivationCost, rootKey: borrowing RootKey,
        vaultID: [UInt8], keyEpoch: UInt32, _ environment: VaultEnvironment
    ) throws -> KeySlot {
        let kind = secret.kind
        let unsealed = KeySlot(
            id: environment.random.bytes(count: 16), kind: kind,
            cost: kind == .passphrase ? cost : KeyDerivationCost(passes: 0, memoryKiB: 0),
            salt: environment.random.bytes(count: SlotSecret.saltSize), commitment: [],
            sealedRootKey: [])
        let derived = try unsealed.derive(secret, vaultID: vaultID, environment.limits)
        return unsealed.sealing(
            rootKey, with: derived, vaultID: vaultID, keyEpoch: keyEpoch, environment)
    }

    /// The same slot for an already derived secret, sealing another root key.
    func sealing(
        _ rootKey: borrowing RootKey, with derived: borrowing SlotSecret, vaultID: [UInt8],
        keyEpoch: UInt32, _ environment: VaultEnvironment
    ) -> KeySlot {
        let sealed = rootKey.withBytes {
            Sealing.seal(
                $0, under: derived.wrappingKey, context(vaultID: vaultID, keyEpoch: keyEpoch),
                random: environment.random)
        }
        return KeySlot(
            id: id, kind: kind, cost: cost, salt: salt,
            commitment: commitment(of: derived, vaultID: vaultID), sealedRootKey: sealed)
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
        }
    }

    /// Whether the derived keys match this slot's commitment. Compared in constant time before opening: the cipher alone is not
    /// key-committing.
    func isCommitted(to derived: borrowing SlotSecret, vaultID: [UInt8]) -> Bool {
        ConstantTime.areEqual(commitment, commitment(of: derived, vaultID: vaultID))
    }

    /// Opens the root key after ``isCommitted(to:vaultID:)``.
    func openRootKey(
        with derived: borrowing SlotSecret, vaultID: [UInt8], keyEpoch: UInt32
    ) throws -> RootKey {
        try Key.opening(
            sealedRootKey, under: derived.wrappingKey,
            context(vaultID: vaultID, keyEpoch: keyEpoch), failure: .rootKeySeal)
    }

    private func commitment(of derived: borrowing SlotSecret, vaultID: [UInt8]) -> [UInt8] {
        let prefix = prefix(vaultID: vaultID)
        return Blake2b.hash(size: 32, key: derived.commitmentKey) { $0.feed(prefix) }
    }

    private func context(vaultID: [UInt8], keyEpoch: UInt32) -> SealContext {
        SealContext(.slot, vaultID: vaultID, id: id, revision: UInt64(keyEpoch))
    }
}

extension Key {
    /// Opens a sealed key of 32 bytes.
    static func opening<Wrapping: SealingPurpose>(
        _ blob: [UInt8], under wrapping: borrowing Key<Wrapping>, _ context: SealContext,
        failure: FormatFailure
    ) throws -> Key {
        var secret = try SecretBytes(count: size)
        do {
            try Sealing.open(blob, under: wrapping, context, into: &secret)
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(failure)
        }
        return Key(secret)
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
        case .passphrase: throw VaultError.noSuchSlot
        }
    }

    consuming func takeCode() -> RecoveryCode { code }
}
