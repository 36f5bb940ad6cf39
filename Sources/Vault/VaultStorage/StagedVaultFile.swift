internal import Database
package import Platform

/// A complete file under a temporary name, which is about to replace a vault file in the same folder.
///
/// The file is removed when the value ends, unless it was installed. Not thread-safe.
public struct StagedVaultFile: ~Copyable {
    private let location: VaultLocation
    private var name: String
    private var isInstalled = false

    /// The staged file's path.
    public var path: String { location.folder + "/" + name }

    /// Chooses a name, without creating a file.
    ///
    /// - Parameter target: The vault file to replace. It need not exist, but its folder must.
    /// - Throws: `DatabaseError` if the folder is missing or unsafe.
    public init(for target: String) throws {
        location = try VaultLocation(path: target)
        name = VaultLocation.temporaryName()
    }

    /// Moves a complete, durable file without a log to the staged path, on the same disk.
    package func adopt(_ file: String) throws {
        do {
            try FileSystem.rename(file, to: path)
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    deinit {
        guard !isInstalled else { return }
        for suffix in [""] + VaultLocation.companionSuffixes {
            _ = unsafe unlink(path + suffix)
        }
    }

    /// Opens a file to be restored, after checking its kind.
    ///
    /// - Parameter source: A regular file; its folder may be less safe than the vault's.
    /// - Returns: The open file.
    /// - Throws: ``DatabaseError/notFound`` if the file does not exist; ``DatabaseError/foreign(reason:)`` if it is not a regular file.
    package static func openSource(_ source: String) throws -> FileDescriptor {
        let (sourceFolder, sourceName) = SafeFolder.split(source)
        guard !sourceName.isEmpty, !source.utf8.contains(0) else { throw DatabaseError.notFound }
        do {
            let folder = try FileDescriptor(folder: try SafeFolder.resolve(sourceFolder))
            // Opening a device file can have effects.
            guard let status = try FileStatus.of(sourceName, in: folder) else {
                throw DatabaseError.notFound
            }
            if status.isSymbolicLink {
                throw DatabaseError.unsafeLocation(path: source, reason: "a symbolic link")
            }
            guard status.isRegularFile else {
                throw DatabaseError.foreign(reason: "not a regular file")
            }
            let input = try FileDescriptor(sourceName, in: folder, flags: O_RDONLY)
            guard try FileStatus.of(input).identity == status.identity else {
                throw DatabaseError.foreign(reason: "replaced while it was opened")
            }
            return input
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    /// Requires that an open file can be a copy of a vault file: by its first bytes, and without a log beside it.
    package static func requireVault(
        _ file: borrowing FileDescriptor, at path: String
    ) throws {
        if let log = FileSystem.size(path + "-wal"), log > 0 {
            throw DatabaseError.unsafeLocation(
                path: path + "-wal", reason: "contains changes that are not in the file")
        }
        try Schema.vault.requireHead(try file.bytes(at: 0, count: 100))
    }

    /// Installs the staged file atomically.
    ///
    /// - Parameter isReplacing: Whether to replace an existing file. The old file is kept under another name.
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
            // A log without its file is set aside as the file would be.
            if isReplacing { _ = try renameLogs() }
            try location.requireNoCompanions(in: folder)
            try folder.rename(name, to: location.name)
            isInstalled = true
            try Self.confirm(folder)
            return nil
        }
        guard isReplacing else { throw DatabaseError.alreadyExists }
        let kept = try checkpointOldFile()
        // Otherwise the log of the old file would lie beside the new one.
        try requireNoLogs(in: folder)
        // The exchange gives the old vault its new name at once, so that the owner finds it after any failure.
        if let kept {
            try folder.rename(name, to: kept)
            name = kept
        } else {
            name = SafeFolder.split(try Self.moveAside(path, besides: location.path)).name
        }
        try folder.exchange(name, location.name)
        // From here on the staged name is the old vault's, which must survive even an error.
        isInstalled = true
        do {
            try location.requireNoCompanions(in: folder)
        } catch {
            // Another process opened the old file meanwhile, and its log must not lie beside another file.
            try folder.exchange(name, location.name)
            isInstalled = false
            throw DatabaseError.busy
        }
        try Self.confirm(folder)
        return path
    }

    /// Syncs the folder after the change. An error must not be ``DatabaseError/full``, which means that nothing was changed.
    private static func confirm(_ folder: borrowing FileDescriptor) throws {
        do {
            try folder.sync()
        } catch let failure as SystemFailure {
            throw DatabaseError.inputOutput(operation: failure.call, code: Int(failure.code))
        }
    }

    /// Requires that neither the staged file nor the replaced one has a log.
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

    /// Checkpoints the old file's log into it. This fails while another connection has the file open.
    ///
    /// If the file cannot be used, whatever it is, its logs are renamed instead.
    ///
    /// - Returns: The name that the file then gets, too.
    private borrowing func checkpointOldFile() throws -> String? {
        do {
            let database = try VaultDatabase.open(
                .file(location.path), mode: .readWrite, lockTimeout: .seconds(2))
            defer { database.close() }
            guard try database.leaveWALMode() else { throw DatabaseError.busy }
            return nil
        } catch let error as DatabaseError {
            guard error.fault(ofFile: location.path) != nil else { throw error }
            return try renameLogs()
        }
    }

    private borrowing func renameLogs() throws -> String {
        let folder = try FileDescriptor(folder: location.folder)
        let kept = SafeFolder.split(try Self.freePath(besides: location.path)).name
        for suffix in VaultLocation.companionSuffixes
        where try FileStatus.of(location.name + suffix, in: folder) != nil {
            try folder.rename(location.name + suffix, to: kept + suffix)
        }
        return kept
    }

    /// Renames a file to a free name beside a vault file that is about to be replaced.
    ///
    /// - Returns: The new path.
    package static func moveAside(_ file: String, besides path: String) throws -> String {
        while true {
            let kept = try freePath(besides: path)
            do {
                try FileSystem.rename(file, to: kept)
                return kept
            } catch let failure as SystemFailure where failure.code == EEXIST {
                // Another process took the name: try the next one.
            }
        }
    }

    /// A free path beside a vault file, for its old content.
    package static func freePath(besides path: String) throws -> String {
        for number in 1...9_999 {
            let candidate = "\(path).replaced-\(number)"
            let names = ([""] + VaultLocation.companionSuffixes).map { candidate + $0 }
            if !names.contains(where: FileSystem.exists) { return candidate }
        }
        throw DatabaseError.alreadyExists
    }
}
