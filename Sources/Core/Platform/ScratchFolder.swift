/// A folder of mode 0700 for temporary files, which is removed with its files at the end.
///
/// Signals that end the program are blocked until then. A folder is locked while in use, so that the next program removes those of killed
/// programs.
package struct ScratchFolder: ~Copyable {
    private static let prefix = ".taskvault-scratch-"

    private let signals: BlockedSignals
    private let folder: FileDescriptor
    /// The path of the folder, without symbolic links.
    package let path: String

    /// Creates the folder in `parent`, and removes the folders of killed programs there.
    ///
    /// - Throws: ``SystemFailure``.
    package init(in parent: String) throws {
        let parent = try SafeFolder.resolve(parent)
        Self.sweep(parent)
        let signals = BlockedSignals()
        while true {
            let path =
                (parent == "/" ? "" : parent) + "/" + Self.prefix
                + String(UInt64.random(in: .min ... .max), radix: 16)
            guard unsafe mkdir(path, 0o700) == 0 else { throw SystemFailure.last("mkdir") }
            guard let folder = try? FileDescriptor(folder: path),
                flock(folder.number, LOCK_EX | LOCK_NB) == 0, FileSystem.exists(path)
            else {
                // Another program took the folder for that of a killed program.
                _ = unsafe rmdir(path)
                continue
            }
            self.signals = signals
            self.folder = folder
            self.path = path
            return
        }
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Throws if a signal that ends the program is pending.
    ///
    /// - Throws: ``SystemFailure`` with `EINTR`; the signal takes effect when the folder is removed.
    package borrowing func requireNoSignal() throws {
        if signals.isPending { throw SystemFailure("write", code: EINTR) }
    }

    /// Unblocks signals temporarily, for a prompt that handles them itself. ``blockSignals()`` must follow.
    package borrowing func unblockSignals() { signals.unblock() }

    /// Blocks signals again.
    package borrowing func blockSignals() { signals.block() }

    deinit {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for name in (try? FileSystem.names(in: path)) ?? [] {
            _ = unsafe unlink(path + "/" + name)
        }
        _ = unsafe rmdir(path)
    }

    private static func sweep(_ parent: String) {
        for name in (try? FileSystem.names(in: parent)) ?? [] where name.hasPrefix(prefix) {
            let path = parent + "/" + name
            guard let status = try? FileStatus.of(path: path), status.isFolder,
                status.owner == geteuid(), let folder = try? FileDescriptor(folder: path),
                flock(folder.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            remove(path)
        }
    }
}
