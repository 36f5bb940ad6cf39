internal import Platform
internal import Sealing
internal import TextCoding
internal import VaultStorage

/// The MAC of a backup, verified once the machine's key is known.
struct BackupMAC: ~Copyable {
    let file: FileDescriptor
    /// The number of bytes that the MAC covers.
    let size: Int64
    let machineID: [UInt8]
    /// The hash of these bytes at the first read: the file may change before the second read.
    let hash: [UInt8]

    /// Whether the MAC is valid under this key.
    borrowing func isValid(under key: borrowing SecretBytes) throws -> Bool {
        var mac = try Blake2bStream(size: 32, key: key)
        var hash = try Blake2bStream(size: 32)
        var offset: Int64 = 0
        while offset < size {
            let bytes = try file.bytes(at: offset, count: Int(min(size - offset, 1 << 20)))
            guard !bytes.isEmpty else { return false }
            mac.feed(bytes)
            hash.feed(bytes)
            offset += Int64(bytes.count)
        }
        let stored = try file.bytes(at: size, count: BackupHead.macSize)
        let isSame = ConstantTime.areEqual(hash.digest(), self.hash)
        return ConstantTime.areEqual(mac.digest(), stored) && isSame
    }
}

/// The verified parts of a backup, in files. Not thread-safe.
public struct OpenedBackup: ~Copyable {
    /// The vault of the backup, in a separate file.
    let vault: AuthenticatedVault
    let storage: VaultDatabase
    private let parts: [BackupPart: String]
    /// The time of the backup, in milliseconds since 1970-01-01 UTC, clamped to the years 1970 to 9999. Only a valid MAC proves it.
    public let time: Int64
    private let mac: BackupMAC?

    init(
        vault: consuming AuthenticatedVault, storage: VaultDatabase, parts: [BackupPart: String],
        time: Int64, mac: consuming BackupMAC?
    ) {
        self.vault = vault
        self.storage = storage
        self.parts = parts
        // Anyone can write any time into a backup they made; keep it printable.
        self.time = min(max(time, 0), 253_402_300_799_999)
        self.mac = mac
    }

    deinit {
        storage.close()
    }

    /// The file of the vault.
    var vaultPath: String { parts[.vault] ?? "" }

    /// The id of the vault, 16 bytes.
    public var vaultID: [UInt8] { vault.session.header.vaultID }

    /// The slots, in stored order.
    public var slots: [KeySlotDescription] {
        vault.session.header.slots.map(KeySlotDescription.init)
    }

    /// Verifies the whole vault of the backup; the time grows with the size of the vault.
    ///
    /// - Throws: `damaged`, `storage`.
    public borrowing func verify() throws(VaultError) {
        let session = vault.session
        try VaultError.translating { try session.read { try session.verifyEverything($0) } }
    }

    /// The names of the files in the backup that lack a part of their content.
    ///
    /// - Throws: `damaged`, `storage`.
    public borrowing func incompleteFiles() throws(VaultError) -> [String] {
        let session = vault.session
        return try VaultError.translating {
            try session.read { try session.incompleteFiles($0) }
        }
    }

    /// Whether the backup has parts that only a valid MAC authenticates.
    public var hasAuthenticatedParts: Bool { parts.count > 1 }

    /// Whether the file is a copy of a vault file, which has no MAC.
    public var isVaultFile: Bool {
        switch mac {
        case .none: true
        case .some: false
        }
    }

    /// The files of the parts besides the vault, which only the MAC authenticates.
    ///
    /// - Returns: The paths; nil without a valid MAC of a machine whose key is in the vault of the backup.
    /// - Throws: `storage`, `outOfMemory`.
    public borrowing func authenticatedParts() throws(VaultError) -> [BackupPart: String]? {
        try VaultError.translating {
            try isAuthenticated(by: vault) ? parts.filter { $0.key != .vault } : nil
        }
    }

    /// As ``authenticatedParts()``, for a machine whose key is in the vault that is restored.
    public borrowing func authenticatedParts(
        knownTo current: borrowing AuthenticatedVault
    ) throws(VaultError) -> [BackupPart: String]? {
        do {
            if try isAuthenticated(by: current) { return parts.filter { $0.key != .vault } }
        } catch {
            throw VaultError(translating: error)
        }
        return try authenticatedParts()
    }

    private borrowing func isAuthenticated(by owner: borrowing AuthenticatedVault) throws -> Bool {
        switch mac {
        case .none: return false
        case .some(let mac):
            do {
                let key = try UnlockedVault(owner.session).value(
                    of: BackupKey.item(of: mac.machineID))
                return try key.count == BackupKey.size && mac.isValid(under: key)
            } catch SecureStoreError.notFound, SecureStoreError.damaged {
                // An unreadable key counts as unknown; a restore finds such damage by itself.
                return false
            }
        }
    }
}
