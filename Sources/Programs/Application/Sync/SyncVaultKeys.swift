internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncStorage

/// The keys of a device that lie in its vault: an item of the service `taskvault.sync` for each class (`Docs/Format.md`, section 13).
///
/// Each has the keys of the level, and the key under which this machine keeps records of that level.
struct SyncVaultKeys {
    private static let storeKeySize = 32
    private static let unlockedField = "unlocked"

    /// The keys of one level.
    struct Part {
        let secrets: LevelSecrets
        private let stored: StoredKey

        /// The key of this machine's records.
        func storeKey() throws -> StoreKey { StoreKey(try stored.bytes.copy()) }

        init?(_ bytes: borrowing SecretBytes, _ level: SyncLevel, of device: DeviceID) throws {
            guard bytes.count == LevelSecrets.size + SyncVaultKeys.storeKeySize,
                let secrets = try LevelSecrets(bytes.copy(from: 0, count: LevelSecrets.size)),
                secrets.level == level, secrets.device == device
            else { return nil }
            self.secrets = secrets
            stored = StoredKey(
                try bytes.copy(from: LevelSecrets.size, count: SyncVaultKeys.storeKeySize))
        }
    }

    private final class StoredKey: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    let unlocked: Part
    /// nil without a verification.
    let verified: Part?

    /// Reads the keys of a device; nil if the vault has none, as an older copy of it.
    ///
    /// - Throws: `SecureStoreError`, `SecretMemoryError.outOfMemory`.
    init?(of device: DeviceID, in store: any SecureStore) throws {
        do {
            guard
                let part = try Part(
                    store.value(of: Self.name(of: device, .whileUnlocked)), .whileUnlocked,
                    of: device)
            else { return nil }
            unlocked = part
        } catch SecureStoreError.notFound {
            return nil
        }
        do {
            guard
                let part = try Part(
                    store.value(of: Self.name(of: device, .afterVerification)),
                    .afterVerification, of: device)
            else { return nil }
            verified = part
        } catch SecureStoreError.notVerified {
            verified = nil
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Saves the keys of a new device, with new keys of this machine's records.
    ///
    /// - Throws: `SecureStoreError`, `SecretMemoryError.outOfMemory`.
    static func save(
        _ secrets: DeviceSecrets, in store: any SecureStore, random: RandomSource = .system
    ) throws {
        for level in [AccessClass.afterVerification, .whileUnlocked] {
            let keys = try secrets[level.syncLevel].encoded()
            try store.save(
                keys.joined(with: random.secret(count: storeKeySize)),
                as: name(of: secrets.device, level), SecretAttributes(accessClass: level))
        }
    }

    /// Erases the keys of this home's devices. The key of a device's records at *while unlocked* stays: it opens the names in the store that
    /// the next device goes on from.
    ///
    /// - Throws: `SecureStoreError`, `SecretMemoryError.outOfMemory`.
    static func remove(from store: any SecureStore) throws {
        let names = try names(in: store)
        for name in names where name.field.hasSameBytes(as: unlockedField) {
            let keys = try store.value(of: name)
            guard keys.count == LevelSecrets.size + storeKeySize else { continue }
            do {
                try store.save(
                    keys.copy(from: LevelSecrets.size, count: storeKeySize),
                    as: formerName(of: name.account), SecretAttributes(accessClass: .whileUnlocked))
            } catch SecureStoreError.duplicate {
                // A removal was interrupted.
            }
        }
        try remove(names, from: store)
    }

    /// Erases the keys of this home's devices except one, which has their records.
    ///
    /// - Throws: `SecureStoreError`.
    static func remove(from store: any SecureStore, except device: DeviceID) throws {
        try remove(
            names(in: store).filter { !$0.account.hasSameBytes(as: device.text) }, from: store)
    }

    private static func names(in store: any SecureStore) throws -> [SecretName] {
        try store.list().map(\.name).filter {
            $0.service.hasSameBytes(as: SecretName.syncService)
        }
    }

    private static func remove(_ names: [SecretName], from store: any SecureStore) throws {
        guard !names.isEmpty else { return }
        try store.change(
            names.map { SecretChange($0, expecting: nil, .remove(permanently: true)) })
    }

    // MARK: Former devices

    /// The key of a former device's records at *while unlocked*; nil if the vault does not have it.
    ///
    /// - Throws: `SecureStoreError`, `SecretMemoryError.outOfMemory`.
    static func formerKey(of device: DeviceID, in store: any SecureStore) throws -> StoreKey? {
        do {
            return StoreKey(try store.value(of: formerName(of: device.text)))
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Erases the keys of former devices' records.
    ///
    /// - Throws: `SecureStoreError`.
    static func removeFormer(from store: any SecureStore) throws {
        try remove(
            store.list().map(\.name).filter {
                $0.service.hasSameBytes(as: SecretName.formerSyncService)
            }, from: store)
    }

    private static func formerName(of device: String) throws -> SecretName {
        try SecretName(service: SecretName.formerSyncService, account: device)
    }

    private static func name(of device: DeviceID, _ level: AccessClass) throws -> SecretName {
        try SecretName(
            service: SecretName.syncService, account: device.text,
            field: level == .whileUnlocked ? unlockedField : "verified")
    }
}

extension AccessClass {
    /// The level at which items of the class travel.
    fileprivate var syncLevel: SyncLevel {
        self == .whileUnlocked ? .whileUnlocked : .afterVerification
    }
}
