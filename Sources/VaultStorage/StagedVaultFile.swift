internal import Database
internal import Platform

/// A file about to replace a vault file, under a temporary name in the same folder.
///
/// It is removed when the value ends, unless it was installed. Not thread-safe.
public struct StagedVaultFile: ~Copyable {
    private let location: VaultLocation
    private let name: String
    private var isInstalled = false

    /// The staged file's path.
    public var path: String { location.folder + "/" + name }

    /// Copies any file byte for byte into the folder of the vault at `target`; the content is checked when it is opened.
    ///
    /// - Parameters:
    ///   - source: A regular file; its folder may be less safe than the vault's.
    ///   - target: The vault file to replace. It need not exist, but its folder must.
    /// - Throws: ``DatabaseError/notFound`` if the file does not exist; ``DatabaseError/foreign(reason:)`` if it is not a regular file.
    public init(copyOf source: String, for target: String) throws {
        let location = try VaultLocation(path: target)
        let name = VaultLocation.temporaryName()
        do {
            let folder = try FileDescriptor(folder: location.folder)
            do {
                try Self.copy(source, to: name, in: folder)
            } catch {
                _ = unsafe unlinkat(folder.number, name, 0)
                throw error
            }
        } catch {
            throw DatabaseError(translating: error)
        }
        self.location = location
        self.name = name
    }

    deinit {
        guard !isInstalled else { return }
        for suffix in [""] + VaultLocation.companionSuffixes {
            _ = unsafe unlink(path + suffix)
        }
    }

    /// Removes the staged file.
    public consuming func remove() {}

    /// Looks whether a file can be a vault by its kind and its first bytes, at a small, bounded cost.
    ///
    /// - Throws: As ``init(copyOf:for:)``; `foreign` also for a file of another program.
    public static func requireVault(at source: String) throws {
        do {
            _ = try open(source)
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    /// Opens a file that can be a vault.
    private static func open(_ source: String) throws -> FileDescriptor {
        let (sourceFolder, sourceName) = SafeFolder.split(source)
        guard !sourceName.isEmpty, !source.utf8.contains(0) else { throw DatabaseError.notFound }
        let inputFolder = try FileDescriptor(folder: try SafeFolder.resolve(sourceFolder))
        if let log = try FileStatus.of(sourceName + "-wal", in: inputFolder), log.size > 0 {
            throw DatabaseError.unsafeLocation(
                path: source + "-wal", reason: "holds changes that are not in the file")
        }
        // Opening a device may already do something.
        guard let status = try FileStatus.of(sourceName, in: inputFolder) else {
            throw DatabaseError.notFound
        }
        if status.isSymbolicLink {
            throw DatabaseError.unsafeLocation(path: source, reason: "a symbolic link")
        }
        guard status.isRegularFile else {
            throw DatabaseError.foreign(reason: "not a regular file")
        }
        let input = try FileDescriptor(sourceName, in: inputFolder, flags: O_RDONLY)
        guard try FileStatus.of(input).identity == status.identity else {
            throw DatabaseError.foreign(reason: "replaced while it was opened")
        }
        try Schema.vault.requireHead(try input.bytes(at: 0, count: 100))
        return input
    }

    private static func copy(
        _ source: String, to name: String, in folder: borrowing FileDescriptor
    ) throws {
        let input = try open(source)
        let output = try FileDescriptor(name, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL)
        var offset: Int64 = 0
        while true {
            let bytes = try input.bytes(at: offset, count: 1 << 20)
            if bytes.isEmpty { break }
            try output.append(bytes)
            offset += Int64(bytes.count)
        }
        try output.sync()
    }

    /// Installs the staged file in one atomic step.
    ///
    /// - Parameter isReplacing: Whether to replace an existing file, which is kept under another name.
    /// - Returns: The path of the replaced file, or nil if there was none.
    /// - Throws: ``DatabaseError/alreadyExists`` if a file exists and `isReplacing` is false; ``DatabaseError/busy`` while another process
    ///   has it open.
    public consuming func install(replacing isReplacing: Bool) throws -> String? {
        do {
            return try exchange(replacing: isReplacing)
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    private mutating func exchange(replacing isReplacing: Bool) throws -> String? {
        let folder = try FileDescriptor(folder: location.folder)
        guard try FileStatus.of(location.name, in: folder) != nil else {
            try location.requireNoCompanions(in: folder)
            try folder.rename(name, to: location.name)
            isInstalled = true
            try Self.confirm(folder)
            return nil
        }
        guard isReplacing else { throw DatabaseError.alreadyExists }
        try settleOldFile()
        // A remaining log would then lie beside the wrong file.
        try requireNoLogs(in: folder)
        try folder.exchange(name, location.name)
        // From here on the staged name refers to the old vault, which must not be removed even after an error.
        isInstalled = true
        do {
            try location.requireNoCompanions(in: folder)
        } catch {
            // Another process opened the old file meanwhile: its log must not lie beside another file.
            try folder.exchange(name, location.name)
            isInstalled = false
            throw DatabaseError.busy
        }
        // The vault is installed: a failure now affects only the name of the old file and the confirmed durability.
        let kept = (try? keep(in: folder)) ?? name
        try Self.confirm(folder)
        return location.folder + "/" + kept
    }

    /// Syncs the folder after the change. A full disk is then no ``DatabaseError/full``, after which nothing would have been changed.
    private static func confirm(_ folder: borrowing FileDescriptor) throws {
        do {
            try folder.sync()
        } catch let failure as SystemFailure {
            throw DatabaseError.inputOutput(operation: failure.call, code: Int(failure.code))
        }
    }

    /// Requires that the staged file and the replaced one need no log.
    private borrowing func requireNoLogs(
        in folder: borrowing FileDescriptor
    ) throws {
        try VaultLocation(folder: location.folder, name: name).requireNoCompanions(in: folder)
        do {
            try location.requireNoCompanions(in: folder)
        } catch {
            throw DatabaseError.busy
        }
    }

    /// Moves the old file's log into it, which works only while no other connection has the file open.
    ///
    /// If SQLite cannot open the file, its log is renamed instead.
    private borrowing func settleOldFile() throws {
        let database: VaultDatabase
        do {
            database = try VaultDatabase.open(
                .file(location.path), mode: .readWrite, lockTimeout: .seconds(2))
        } catch let error as DatabaseError {
            switch error {
            case .damaged, .foreign: return try setLogAside()
            default: throw error
            }
        }
        defer { database.close() }
        guard try database.leaveLog() else { throw DatabaseError.busy }
    }

    private borrowing func setLogAside() throws {
        let folder = try FileDescriptor(folder: location.folder)
        for suffix in VaultLocation.companionSuffixes
        where try FileStatus.of(location.name + suffix, in: folder) != nil {
            try folder.rename(location.name + suffix, to: try freeName(in: folder) + suffix)
        }
    }

    /// Gives the old file, which now has the staged name, a descriptive name.
    private borrowing func keep(in folder: borrowing FileDescriptor) throws -> String {
        let kept = try freeName(in: folder)
        try folder.rename(name, to: kept)
        return kept
    }

    private borrowing func freeName(
        in folder: borrowing FileDescriptor
    ) throws -> String {
        for number in 1...9_999 {
            let candidate = "\(location.name).replaced-\(number)"
            if try FileStatus.of(candidate, in: folder) == nil { return candidate }
        }
        throw DatabaseError.alreadyExists
    }
}
