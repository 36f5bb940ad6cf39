internal import Sealing
internal import SecretMemory
internal import SecureStorage

/// The keys of an unlocked vault. An item is readable if the value key of its class is in memory; there is no flag.
struct VaultKeys: ~Copyable {
    let lookup: LookupKey
    let rowHash: RowHashKey
    let state: StateKey
    let attribute: AttributeKey
    private(set) var values: [AccessClass: ValueKeyHolder]
    /// The key of protected values, suspended until a fingerprint resumes it; nil if there is none.
    private(set) var suspended: InaccessibleSecret?

    /// A reference to a value key, for a dictionary; wiped with the last reference.
    final class ValueKeyHolder: Sendable {
        let key: ValueKey

        init(_ key: consuming ValueKey) {
            self.key = key
        }
    }

    /// Derives the subkeys, opens every key in the header, and checks the key pair for backups.
    static func open(
        root: borrowing RootKey, _ header: VaultHeader
    ) throws -> VaultKeys {
        let wrapping = try root.classWrappingKey()
        let attribute: AttributeKey = try Key.opening(
            header.keys.attributeKey, under: wrapping,
            context(header.vaultID, header.keyEpoch, .attribute), failure: .wrappedKeySeal)
        var values: [AccessClass: ValueKeyHolder] = [:]
        for accessClass in AccessClass.allCases {
            let key: ValueKey = try Key.opening(
                header.keys.valueKeys[Int(accessClass.rawValue) - 1], under: wrapping,
                context(header.vaultID, header.keyEpoch, .value(accessClass)),
                failure: .wrappedKeySeal)
            values[accessClass] = ValueKeyHolder(key)
        }
        _ = try backupPair(root: root, header)
        return VaultKeys(
            lookup: try root.lookupKey(),
            rowHash: try root.rowHashKey(),
            state: try root.stateKey(),
            attribute: attribute, values: values, suspended: nil)
    }

    /// Opens the key pair for backups.
    static func backupPair(
        root: borrowing RootKey, _ header: VaultHeader
    ) throws -> BoxKeyPair {
        let pair = BoxKeyPair(
            secretKey: try SecretBytes.opening(
                header.keys.backupSecretKey, under: root.classWrappingKey(),
                context(header.vaultID, header.keyEpoch, .backup), failure: .wrappedKeySeal))
        guard pair.publicKey == header.keys.backupPublicKey else {
            throw VaultError.damaged(.backupKey)
        }
        return pair
    }

    /// Creates and seals a new attribute key, value keys and key pair for backups.
    static func sealNew(
        root: borrowing RootKey, vaultID: [UInt8], keyEpoch: UInt32, random: RandomSource
    ) throws -> SealedKeys {
        let wrapping = try root.classWrappingKey()
        let attribute = try AttributeKey.random(from: random)
        let sealedAttribute = attribute.withBytes {
            Sealing.seal(
                $0, under: wrapping, context(vaultID, keyEpoch, .attribute), random: random)
        }
        var sealedValues: [[UInt8]] = []
        for accessClass in AccessClass.allCases {
            let value = try ValueKey.random(from: random)
            sealedValues.append(
                value.withBytes {
                    Sealing.seal(
                        $0, under: wrapping, context(vaultID, keyEpoch, .value(accessClass)),
                        random: random)
                })
        }
        let backup = try BoxKeyPair.random(from: random)
        let sealedBackup = backup.withSecretKey {
            Sealing.seal($0, under: wrapping, context(vaultID, keyEpoch, .backup), random: random)
        }
        return SealedKeys(
            attributeKey: sealedAttribute, valueKeys: sealedValues,
            backupPublicKey: backup.publicKey, backupSecretKey: sealedBackup)
    }

    /// Wipes the key of protected values.
    mutating func wipeProtectedKey() {
        values[.afterVerification] = nil
        suspended = nil
    }

    /// Moves the key of protected values from newly opened keys into these.
    mutating func adoptProtectedKey(from fresh: borrowing VaultKeys) {
        values[.afterVerification] = fresh.values[.afterVerification]
        suspended = nil
    }

    /// Moves the key of protected values to an inaccessible page. If memory for that is unavailable, the key is wiped.
    mutating func suspendProtectedKey() {
        guard let holder = values[.afterVerification] else { return }
        suspended = try? holder.key.withBytes { try InaccessibleSecret(copying: $0) }
        values[.afterVerification] = nil
    }

    /// Moves the suspended key back.
    ///
    /// - Returns: Whether the key is in memory now.
    mutating func resumeProtectedKey() throws -> Bool {
        guard let closed = suspended else { return values[.afterVerification] != nil }
        values[.afterVerification] = ValueKeyHolder(ValueKey(try closed.copy()))
        suspended = nil
        return true
    }

    /// Wipes the suspended key.
    mutating func wipeSuspendedKey() { suspended = nil }

    /// A key that is sealed in the header.
    private enum SealedPart {
        case attribute
        case value(AccessClass)
        case backup
    }

    private static func context(
        _ vaultID: [UInt8], _ keyEpoch: UInt32, _ part: SealedPart
    ) -> SealContext {
        let (accessClass, number): (UInt8, UInt8) =
            switch part {
            case .attribute: (0, 1)
            case .value(let accessClass): (accessClass.rawValue, 2)
            case .backup: (0, 3)
            }
        return SealContext(
            .wrappedKey, vaultID: vaultID, accessClass: accessClass, revision: UInt64(keyEpoch),
            part: number)
    }
}
