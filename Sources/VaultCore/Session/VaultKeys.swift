internal import Sealing
internal import SecretMemory
internal import SecureStorage

/// The keys of an unlocked vault. The value keys in memory decide which items are readable; there is no flag.
struct VaultKeys: ~Copyable {
    let lookup: LookupKey
    let rowHash: RowHashKey
    let state: StateKey
    let attribute: AttributeKey
    private(set) var values: [AccessClass: ValueKeyHolder]

    /// A value key that a dictionary can hold; wiped with the last reference.
    final class ValueKeyHolder: Sendable {
        let key: ValueKey

        init(_ key: consuming ValueKey) {
            self.key = key
        }
    }

    /// Derives the subkeys and opens every key sealed in the header.
    static func open(
        root: borrowing RootKey, _ header: VaultHeader
    ) throws -> VaultKeys {
        let wrapping = try root.classWrappingKey()
        let attribute: AttributeKey = try Key.opening(
            header.attributeKey, under: wrapping, Self.context(header.vaultID, header.keyEpoch),
            failure: .wrappedKeySeal)
        var values: [AccessClass: ValueKeyHolder] = [:]
        for accessClass in AccessClass.allCases {
            let key: ValueKey = try Key.opening(
                header.valueKeys[Int(accessClass.rawValue) - 1], under: wrapping,
                Self.context(header.vaultID, header.keyEpoch, accessClass),
                failure: .wrappedKeySeal)
            values[accessClass] = ValueKeyHolder(key)
        }
        return VaultKeys(
            lookup: try root.lookupKey(),
            rowHash: try root.rowHashKey(),
            state: try root.stateKey(),
            attribute: attribute, values: values)
    }

    /// Creates and seals new attribute and value keys, as the tail of a header.
    static func sealNew(
        root: borrowing RootKey, vaultID: [UInt8], keyEpoch: UInt32, random: RandomSource
    ) throws -> (attributeKey: [UInt8], valueKeys: [[UInt8]]) {
        let wrapping = try root.classWrappingKey()
        let attribute = try AttributeKey.random(from: random)
        let sealedAttribute = attribute.withBytes {
            Sealing.seal($0, under: wrapping, context(vaultID, keyEpoch), random: random)
        }
        var sealedValues: [[UInt8]] = []
        for accessClass in AccessClass.allCases {
            let value = try ValueKey.random(from: random)
            sealedValues.append(
                value.withBytes {
                    Sealing.seal(
                        $0, under: wrapping, context(vaultID, keyEpoch, accessClass),
                        random: random)
                })
        }
        return (sealedAttribute, sealedValues)
    }

    /// Wipes the key of a class.
    mutating func forget(_ accessClass: AccessClass) {
        values[accessClass] = nil
    }

    /// Takes the key of a class from newly opened keys.
    mutating func adopt(_ accessClass: AccessClass, from fresh: borrowing VaultKeys) {
        values[accessClass] = fresh.values[accessClass]
    }

    private static func context(
        _ vaultID: [UInt8], _ keyEpoch: UInt32, _ accessClass: AccessClass? = nil
    ) -> SealContext {
        SealContext(
            .wrappedKey, vaultID: vaultID, accessClass: accessClass?.rawValue ?? 0,
            revision: UInt64(keyEpoch), part: accessClass == nil ? 1 : 2)
    }
}
