internal import Platform
internal import Sealing
internal import TextCoding

/// Marks in a folder of this machine, one file for each vault, outside the vault's own folder.
///
/// Writers of several processes take turns by `flock` on a file `lock` in the folder; a mark is replaced by `rename`, so a reader sees
/// a whole one. Thread-safe.
public struct FileRollbackMarks: RollbackMarks {
    private let folder: String

    /// - Parameter folder: The folder's path; it is made, mode 0700, when the first mark is kept.
    public init(folder: String) {
        self.folder = folder
    }

    /// Reads the mark of a vault.
    public func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        let descriptor = unsafe platform_open(
            path(of: vaultID), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure()
        }
        defer { close(descriptor) }
        // One byte more than a mark has, so that a longer file is seen.
        var bytes = [UInt8](repeating: 0, count: RollbackMark.size + 1)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure() }
        do throws(FormatFailure) {
            return try RollbackMark(Array(bytes.prefix(count)), of: vaultID)
        } catch {
            throw .damaged
        }
    }

    /// Writes a mark unless a newer one is there.
    public func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        try makeFolder()
        let lock = unsafe platform_open(folder + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw failure() }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw failure() }
        if !force, let known = try self.mark(of: mark.vaultID), !mark.isAtLeast(known) { return }
        try replace(path(of: mark.vaultID), with: mark.bytes)
    }

    private func replace(_ path: String, with bytes: [UInt8]) throws(RollbackMarkError) {
        let temporary = path + ".new"
        unsafe unlink(temporary)
        let descriptor = unsafe platform_open(
            temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let written = unsafe write(descriptor, bytes, bytes.count)
        // Synced before it gets its name: after a power cut the name must not stand for an empty file.
        let isComplete = written == bytes.count && fsync(descriptor) == 0
        let saved = failure()
        close(descriptor)
        if isComplete, unsafe rename(temporary, path) == 0 { return }
        let error = isComplete ? failure() : saved
        unsafe unlink(temporary)
        throw error
    }

    /// Makes the folder and the folders above it that are missing.
    private func makeFolder() throws(RollbackMarkError) {
        var path = folder.hasPrefix("/") ? "/" : ""
        for part in folder.split(separator: "/") {
            path += part + "/"
            if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw failure() }
        }
    }

    private func path(of vaultID: [UInt8]) -> String {
        folder + "/" + Hexadecimal.text(vaultID)
    }

    private func failure() -> RollbackMarkError {
        .unavailable(path: folder, code: errno)
    }
}
