internal import Platform
internal import Sealing
internal import TextCoding

/// Rollback records in a folder of this machine, one file for each vault, outside the vault's own folder.
///
/// Writers of several processes are serialised by `flock` on a file `lock` in the folder. `rename` replaces a record, so readers see
/// only complete ones. Only this user can change the folder; any other is refused. Thread-safe.
public struct FileRollbackMarks: RollbackMarks {
    private let folder: String

    /// - Parameter folder: The folder's path. The first use creates it with mode 0700.
    public init(folder: String) {
        self.folder = folder
    }

    /// Reads the rollback record of a vault.
    public func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        let folder = try checkedFolder()
        let descriptor = unsafe platform_open(
            path(of: vaultID, in: folder), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure()
        }
        defer { close(descriptor) }
        // Read one byte more than the size of a record, to detect a longer file.
        var bytes = [UInt8](repeating: 0, count: RollbackMark.size + 1)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure() }
        do {
            return try RollbackMark(Array(bytes.prefix(count)), of: vaultID)
        } catch {
            throw .damaged
        }
    }

    /// Writes a rollback record unless a newer one exists.
    public func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        let folder = try checkedFolder()
        let lock = unsafe platform_open(folder + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw failure() }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw failure() }
        if !force, let known = try self.mark(of: mark.vaultID), !mark.isAtLeast(known) { return }
        try replace(path(of: mark.vaultID, in: folder), with: mark.bytes)
        do {
            // Otherwise a power cut could bring the old record back.
            try FileSystem.sync(folder: folder)
        } catch {
            throw failure((error as? SystemFailure)?.code ?? EIO)
        }
    }

    /// The folder without symbolic links; created if it does not exist, so that an unsafe place is refused before a vault is created.
    ///
    /// - Throws: `unsafe` if another user can change it: a record that is removed or exchanged hides a rollback.
    private func checkedFolder() throws(RollbackMarkError) -> String {
        do {
            try SafeFolder.create(folder)
            let resolved = try SafeFolder.resolve(folder)
            try SafeFolder.require(resolved)
            return resolved
        } catch let unusable as UnusableFile {
            throw .unsafe(path: unusable.path, reason: unusable.reason)
        } catch {
            throw failure((error as? SystemFailure)?.code ?? EIO)
        }
    }

    private func replace(_ path: String, with bytes: [UInt8]) throws(RollbackMarkError) {
        let temporary = path + ".new"
        unsafe unlink(temporary)
        let descriptor = unsafe platform_open(
            temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let written = unsafe write(descriptor, bytes, bytes.count)
        // Sync before renaming: after a power cut the name must not refer to an empty file.
        let isComplete = written == bytes.count && fsync(descriptor) == 0
        let saved = failure()
        close(descriptor)
        if isComplete, unsafe rename(temporary, path) == 0 { return }
        let error = isComplete ? failure() : saved
        unsafe unlink(temporary)
        throw error
    }

    private func path(of vaultID: [UInt8], in folder: String) -> String {
        folder + "/" + Hexadecimal.text(vaultID)
    }

    private func failure(_ code: Int32 = errno) -> RollbackMarkError {
        .unavailable(path: folder, code: code)
    }
}
