internal import Platform
internal import SecretMemory
package import SecureStorage
internal import SignIn
internal import TextCoding
package import VaultCore

/// The keys with which this machine authenticates its backups. The state folder and the vault
/// itself have one per vault.
///
/// A new key has the suffix `.new` until the vault has it. The next unlock stores it, because
/// storing changes the vault.
package struct BackupKeys {
    private let folder: String?
    private let signIn: String?

    /// Creates a value for the folder; reads nothing.
    package init(_ folders: VaultFolders) {
        folder = folders.backupKeys
        signIn = folders.signIn
    }

    /// A key of this machine.
    package struct Found: ~Copyable {
        package let key: BackupKey
        /// Whether the vault has the key, so that it can verify the backups.
        package let isKnown: Bool
    }

    /// The key for a backup.
    ///
    /// - Parameters:
    ///   - vaultID: The vault's id.
    ///   - store: The vault, if it is unlocked.
    /// - Returns: The key. Without a usable folder, a random one that no vault has.
    package func key(of vaultID: [UInt8], _ store: (any SecureStore)?) -> Found {
        if let store { _ = try? save(vaultID, in: store) }
        do {
            let place = try Place(folder, signIn, vaultID)
            if let key = try place.read(place.path) {
                return Found(key: BackupKey(machineID: place.machineID, key: key), isKnown: true)
            }
            let key = try place.readAny() ?? place.draw()
            return Found(key: BackupKey(machineID: place.machineID, key: key), isKnown: false)
        } catch {
            return Found(key: .unknown(), isKnown: false)
        }
    }

    /// Whether the vault lacks a key of this machine, which could get one.
    func isMissing(of vaultID: [UInt8]) -> Bool {
        guard let place = try? Place(folder, signIn, vaultID) else { return false }
        return ((try? place.read(place.path)) ?? nil) == nil
    }

    /// Whether this machine has generated a backup key for a vault, as the first backup does; nil
    /// if unknown.
    package func hasKey(of vaultID: [UInt8]) -> Bool? {
        guard let folder else { return nil }
        let path = folder + "/" + Hexadecimal.text(vaultID)
        return FileSystem.exists(path) || FileSystem.exists(path + ".new")
    }

    /// Stores a key that this machine has generated in an unlocked vault, once.
    func saveDrawn(_ vaultID: [UInt8], in store: any SecureStore) {
        guard let place = try? Place(folder, signIn, vaultID, making: false),
            FileSystem.exists(place.path) || FileSystem.exists(place.newPath)
        else { return }
        // The next unlock tries again. Until then, backups report that the vault lacks the key.
        _ = try? save(vaultID, in: store)
    }

    /// Ensures that the vault and this machine have the same key. The vault's key stays, because it
    /// authenticates earlier backups.
    private func save(_ vaultID: [UInt8], in store: any SecureStore) throws {
        let place = try Place(folder, signIn, vaultID)
        let name = try BackupKey.item(of: place.machineID)
        if let stored = try stored(name, store) {
            if let own = try place.read(place.path), own.isEqual(to: stored) { return }
            return try place.write(stored)
        }
        let own = try place.readAny() ?? place.draw()
        do {
            try store.save(own, as: name, SecretAttributes())
        } catch SecureStoreError.duplicate {
            try store.update(name, to: own)
        }
        try place.write(own)
    }

    /// The key in the vault; nil if it is missing or damaged.
    private func stored(_ name: SecretName, _ store: any SecureStore) throws -> SecretBytes? {
        do {
            let stored = try store.value(of: name)
            if stored.count == BackupKey.size { return stored }
            return nil
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// The files of a vault's key.
    private struct Place {
        let machineID: [UInt8]
        package let path: String
        let newPath: String
        private let folder: String

        init(
            _ folder: String?, _ signIn: String?, _ vaultID: [UInt8], making: Bool = true
        ) throws {
            guard let folder, let signIn, making || FileSystem.exists(folder) else {
                throw SystemFailure("open", code: ENOENT)
            }
            try SafeFolder.create(folder)
            self.folder = try SafeFolder.resolve(folder)
            try SafeFolder.require(self.folder)
            let text = try MachineState(folder: signIn).exclusively { $0.text }
            guard let machineID = Hexadecimal.bytes(text) else {
                throw SystemFailure("read", code: EINVAL)
            }
            self.machineID = machineID
            path = self.folder + "/" + Hexadecimal.text(vaultID)
            newPath = path + ".new"
        }

        /// The key in a file; nil if it is missing or damaged.
        package func read(_ path: String) throws -> SecretBytes? {
            do {
                let content = try TrustedFile(path, limit: 2 * BackupKey.size).content.copy()
                if content.count == BackupKey.size { return content }
                return nil
            } catch let failure as SystemFailure where failure.isMissingFile {
                return nil
            } catch is UnusableFile {
                return nil
            }
        }

        /// The key from the vault, or the new key for it.
        func readAny() throws -> SecretBytes? {
            if let key = try read(path) { return key }
            return try read(newPath)
        }

        /// Generates a key and keeps it until a vault has it.
        package func draw() throws -> SecretBytes {
            let key = try RandomSource.system.secret(count: BackupKey.size)
            try FileSystem.remove(newPath)
            try put(key, newPath)
            return key
        }

        /// Replaces this machine's file with the vault's key, durably.
        package func write(_ key: borrowing SecretBytes) throws {
            let temporary = path + ".part"
            try FileSystem.remove(temporary)
            try put(key, temporary)
            let result = unsafe rename(temporary, path)
            guard result == 0 else { throw SystemFailure.last("rename") }
            try FileSystem.remove(newPath)
            try FileSystem.sync(folder: folder)
        }

        private func put(_ key: borrowing SecretBytes, _ path: String) throws {
            let folder = try FileDescriptor(folder: folder)
            let file = try FileDescriptor(
                SafeFolder.split(path).name, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL)
            try key.withBytes { try Descriptor.write($0, to: file.number) }
            try file.sync()
        }
    }
}

extension BackupKey {
    /// A random key for a machine that cannot store one.
    fileprivate static func unknown() -> BackupKey {
        guard let key = try? RandomSource.system.secret(count: size) else {
            preconditionFailure("no memory for a key")
        }
        return BackupKey(machineID: [UInt8](repeating: 0, count: 16), key: key)
    }
}
