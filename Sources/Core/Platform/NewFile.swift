/// A new file of mode 0600 under a temporary name, which gets its real name when it is complete.
///
/// Unless it is published, the file is removed at the end. Signals that end the program are blocked until then.
package struct NewFile: ~Copyable {
    private let signals: BlockedSignals
    private let folder: FileDescriptor
    private let file: FileDescriptor
    private let path: String
    private let name: String
    private let temporaryName: String
    private let isReplacing: Bool
    private let cleanup: UInt64?
    private var isPublished = false

    /// The descriptor to write to.
    package var descriptor: Int32 { file.number }

    /// Creates the file. Others may be able to write to its folder, unlike that of a vault.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isReplacing: Whether to replace an existing regular file.
    /// - Throws: ``SystemFailure``, with `EEXIST` if the path exists; ``UnusableFile`` if it cannot be replaced.
    package init(at path: String, replacing isReplacing: Bool = false) throws {
        let (folderPath, name) = SafeFolder.split(path)
        guard !name.isEmpty, name != ".", name != "..", !path.utf8.contains(0) else {
            throw SystemFailure("open", code: EISDIR)
        }
        let signals = BlockedSignals()
        let folder = try FileDescriptor(folder: try SafeFolder.resolve(folderPath))
        if isReplacing {
            try Self.requireRegularFile(name, in: folder, path)
        } else if try FileStatus.of(name, in: folder) != nil {
            throw SystemFailure("open", code: EEXIST)
        }
        let temporaryName = ".taskvault-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let temporaryPath = (folderPath == "/" ? "" : folderPath) + "/" + temporaryName
        let file = try FileDescriptor(
            temporaryName, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL)
        self.signals = signals
        self.folder = folder
        self.file = file
        self.path = path
        self.name = name
        self.temporaryName = temporaryName
        self.isReplacing = isReplacing
        cleanup = InterruptibleWork.addCleanup { _ = unsafe unlink(temporaryPath) }
    }

    /// Makes the content durable, and gives the file its name.
    ///
    /// - Throws: ``SystemFailure``, ``UnusableFile``. The file is then removed, unless the final sync of the folder failed. `EEXIST` if the
    /// path exists now; `EINTR` if a signal is pending, which then ends the program.
    package consuming func publish() throws {
        try file.sync()
        // After a cancellation, no file may appear.
        if signals.isPending { throw SystemFailure("write", code: EINTR) }
        InterruptibleWork.beginChange(saying: nil)
        if isReplacing {
            try Self.requireRegularFile(name, in: folder, path)
            guard unsafe renameat(folder.number, temporaryName, folder.number, name) == 0 else {
                throw SystemFailure.last("rename")
            }
        } else {
            try folder.rename(temporaryName, to: name)
        }
        isPublished = true
        try folder.sync()
    }

    /// Refuses to replace anything but a regular file, such as a device.
    private static func requireRegularFile(
        _ name: String, in folder: borrowing FileDescriptor, _ path: String
    ) throws {
        guard let status = try FileStatus.of(name, in: folder), !status.isRegularFile else {
            return
        }
        if status.isFolder { throw SystemFailure("open", code: EISDIR) }
        throw UnusableFile(
            path, status.isSymbolicLink ? "it is a symbolic link" : "it is not a file")
    }

    deinit {
        if !isPublished { _ = unsafe unlinkat(folder.number, temporaryName, 0) }
        InterruptibleWork.forget(cleanup)
    }
}
