internal import Platform
internal import SecretMemory
package import VaultCore
package import VaultStorage

/// Backups, made and restored as the commands do.
package enum TestBackup {
    /// A key of a machine.
    package static func key(_ machine: UInt8 = 1, filled byte: UInt8 = 7) throws -> BackupKey {
        var key = try SecretBytes(count: BackupKey.size)
        key.withMutableBytes { bytes in
            for index in 0..<bytes.byteCount {
                bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            }
        }
        return BackupKey(machineID: [UInt8](repeating: machine, count: 16), key: key)
    }

    /// Writes a backup of a vault and of other parts.
    package static func write(
        _ storage: any RecordStorage, to path: String, tasks: [UInt8]? = nil,
        settings: [UInt8]? = nil, at time: Int64 = 1_000, authenticatedBy key: borrowing BackupKey,
        _ environment: VaultEnvironment
    ) throws {
        let scratch = try ScratchFolder(in: SafeFolder.split(path).folder)
        var parts = [BackupPart.vault: scratch.file("vault.db")]
        try storage.backup(to: scratch.file("vault.db"))
        for (part, bytes) in [(BackupPart.tasks, tasks), (.settings, settings)] {
            guard let bytes else { continue }
            let file = scratch.file("part-\(part.rawValue)")
            try TestFile.write(bytes, to: file)
            parts[part] = file
        }
        try BackupWriting.write(to: path, parts, at: time, authenticatedBy: key, environment)
    }

    /// Opens and verifies a backup or a copy of a vault file, and runs `body`.
    package static func open<Result>(
        _ path: String, in folder: String, with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment, _ body: (borrowing OpenedBackup) throws -> Result
    ) throws -> Result {
        let scratch = try ScratchFolder(in: folder)
        let backup = try LockedBackup(at: path, environment).open(with: secret, into: scratch.path)
        try backup.verify()
        return try body(backup)
    }

    /// Puts a backup in the place of a vault file, in a new lineage.
    package static func install(
        _ path: String, at target: String, with secret: borrowing VaultSecret,
        replacing isReplacing: Bool, _ environment: VaultEnvironment
    ) throws -> RestoreOutcome {
        try open(path, in: SafeFolder.split(target).folder, with: secret, environment) { backup in
            try VaultFile.install(backup, at: target, replacing: isReplacing, environment)
        }
    }
}
