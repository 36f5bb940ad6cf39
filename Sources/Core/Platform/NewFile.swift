/// A file of mode 0600 under a temporary name, which gets its name when it is complete.
///
/// It is removed if it is not published. Signals that end the program wait until then.
package struct NewFile: ~Copyable {
    private let signals: HeldSignals
    private let folder: FileDescriptor
    private let file: FileDescriptor
    private let name: String
    private let temporaryName: String
    private let isReplacing: Bool
    private var isPublished = false

    /// The descriptor to write to.
    package var descriptor: Int32 { file.number }

    /// Whether a signal has come that ends the program, as it does at the end of this value.
    package var isInterrupted: Bool { signals.isPending }

    /// Creates the file. Its folder may be less safe than a vault's.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - isReplacing: Whether it may take the name of a file, which it replaces as a whole. A symbolic link is replaced, not followed.
    /// - Throws: ``SystemFailure``, with `EEXIST` if something has the name.
    package init(at path: String, replacing isReplacing: Bool = false) throws {
        let (folderPath, name) = SafeFolder.split(path)
        guard !name.isEmpty, name != ".", name != "..", !path.utf8.contains(0) else {
            throw SystemFailure("open", code: EISDIR)
        }
        let signals = HeldSignals()
        let folder = try FileDescriptor(folder: try SafeFolder.resolve(folderPath))
        if !isReplacing, try FileStatus.of(name, in: folder) != nil {
            throw SystemFailure("open", code: EEXIST)
        }
        let temporaryName = ".taskvault-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let file = try FileDescriptor(
            temporaryName, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL)
        self.signals = signals
        self.folder = folder
        self.file = file
        self.name = name
        self.temporaryName = temporaryName
        self.isReplacing = isReplacing
    }

    /// Makes the content durable, and gives the file its name.
    ///
    /// - Throws: ``SystemFailure``: no file is left, unless the last sync, that of the folder, failed. `EEXIST` if something got the name
    ///   meanwhile; `EINTR` if a signal has come that ends the program, which it does at once.
    package consuming func publish() throws {
        try file.sync()
        // A person who cancels must not get the file.
        if signals.isPending { throw SystemFailure("write", code: EINTR) }
        if isReplacing {
            guard unsafe renameat(folder.number, temporaryName, folder.number, name) == 0 else {
                throw SystemFailure.last("rename")
            }
        } else {
            try folder.rename(temporaryName, to: name)
        }
        isPublished = true
        try folder.sync()
    }

    deinit {
        if !isPublished { _ = unsafe unlinkat(folder.number, temporaryName, 0) }
    }
}
