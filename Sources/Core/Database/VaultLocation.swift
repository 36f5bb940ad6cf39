package import Platform

/// The location of a vault file that only its owner and the administrator can change.
///
/// The folder's path is resolved and then checked, starting at the root. Each folder must belong to the user or the administrator. Other
/// users must not be able to rename or replace its entries. So they cannot exchange a checked folder, or the file between check and use.
/// The vault's own folder has mode 0700. Immutable; thread-safe.
public struct VaultLocation: Sendable {
    /// The folder, absolute and without symbolic links.
    public let folder: String
    /// The name of the file in it.
    public let name: String

    /// The path of the file, absolute; only its last component may be a symbolic link.
    public var path: String { folder == "/" ? "/" + name : folder + "/" + name }

    /// The suffixes of the files that SQLite creates beside the database.
    package static let companionSuffixes = ["-wal", "-shm", "-journal"]

    /// A random name for a file that is not complete yet.
    package static func temporaryName() -> String {
        ".taskvault-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Resolves and checks the folder of `path`, but not the file.
    ///
    /// - Parameter path: The vault file. Symbolic links before the last component are followed.
    /// - Throws: ``DatabaseError/notFound`` if the folder does not exist; ``DatabaseError/unsafeLocation(path:reason:)`` if it is not safe.
    public init(path: String) throws {
        let (folder, name) = SafeFolder.split(path)
        guard !name.isEmpty else { throw DatabaseError.notFound }
        guard !path.utf8.contains(0), name != ".", name != ".." else {
            throw DatabaseError.unsafeLocation(path: path, reason: "not the name of a file")
        }
        do {
            self.folder = try SafeFolder.resolve(folder)
            try SafeFolder.require(self.folder)
        } catch {
            throw DatabaseError(translating: error)
        }
        self.name = name
    }

    /// Creates the location of a file in a resolved folder, without checks.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Creates the folder `path` and its missing parent folders, with mode 0700, and checks it.
    ///
    /// The corresponding C function is `mkdir`.
    ///
    /// - Throws: ``DatabaseError/unsafeLocation(path:reason:)`` if it exists and is unsafe; the system's error if it cannot be created.
    public static func prepareFolder(at path: String) throws {
        guard !path.utf8.contains(0) else {
            throw DatabaseError.unsafeLocation(path: path, reason: "not the name of a folder")
        }
        do {
            try SafeFolder.create(path)
            try SafeFolder.require(try SafeFolder.resolve(path))
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    /// Checks, without creating anything, that a file can be opened for writing, or created with its missing folders.
    ///
    /// - Throws: ``DatabaseError/unsafeLocation(path:reason:)``, ``DatabaseError/readOnly``, or another error of the system.
    public static func checkWritable(path: String) throws {
        do {
            let location = try VaultLocation(path: path)
            let isWritable =
                try location.checkFiles()?.isWritable ?? FileSystem.isWritable(location.folder)
            guard isWritable else { throw DatabaseError.readOnly }
        } catch DatabaseError.notFound {
            try requireCreatable(SafeFolder.split(path).folder)
        }
    }

    /// Checks that a missing folder can be created in the nearest existing one.
    private static func requireCreatable(_ folder: String) throws {
        let parent: String
        do {
            parent = try SafeFolder.resolve(folder)
        } catch let failure as SystemFailure where failure.code == ENOENT && folder != "/" {
            return try requireCreatable(SafeFolder.split(folder).folder)
        } catch {
            throw DatabaseError(translating: error)
        }
        guard FileSystem.isWritable(parent) else {
            throw DatabaseError.unsafeLocation(
                path: parent, reason: "this user cannot create a folder in it")
        }
    }

    /// Checks the file and the files that SQLite creates beside it.
    ///
    /// Checks by name, without opening the files: see ``FileDescriptor``.
    ///
    /// - Returns: The result for the file; nil if it does not exist.
    package func checkFiles() throws -> CheckedFile? {
        do {
            return try checkedFiles()
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    private func checkedFiles() throws -> CheckedFile? {
        let folder = try FileDescriptor(folder: folder)
        guard let status = try checkFile(name, in: folder) else { return nil }
        let log = try checkFile(name + "-wal", in: folder)
        _ = try checkFile(name + "-shm", in: folder)
        if let journal = try checkFile(name + "-journal", in: folder), journal.size > 0 {
            try requireOwnJournal(in: folder, size: journal.size)
        }
        return CheckedFile(
            identity: status.identity, isEmpty: status.size == 0,
            hasPendingLog: (log?.size ?? 0) > 0,
            isWritable: FileSystem.isWritable(self.folder) && FileSystem.isWritable(path))
    }

    /// The result of the check of a file.
    package struct CheckedFile {
        let identity: FileIdentity
        let isEmpty: Bool
        /// Whether a non-empty log lies beside it.
        let hasPendingLog: Bool
        /// Whether this process may write the file and create files beside it.
        let isWritable: Bool
    }

    /// Rejects a log or journal beside a new file: SQLite would treat it as part of the new file.
    package func requireNoCompanions(in folder: borrowing FileDescriptor) throws {
        for suffix in Self.companionSuffixes
        where try FileStatus.of(name + suffix, in: folder) != nil {
            throw DatabaseError.unsafeLocation(
                path: path + suffix, reason: "left over from another file")
        }
    }

    private func checkFile(
        _ name: String, in folder: borrowing FileDescriptor
    ) throws -> FileStatus? {
        guard let status = try FileStatus.of(name, in: folder) else { return nil }
        let path = VaultLocation(folder: self.folder, name: name).path
        func refuse(_ reason: String) -> DatabaseError {
            .unsafeLocation(path: path, reason: reason)
        }
        if status.isSymbolicLink { throw refuse("a symbolic link") }
        if !status.isRegularFile { throw refuse("not a regular file") }
        if status.links != 1 { throw refuse("has more than one hard link") }
        if status.owner != geteuid() { throw refuse("owned by another user") }
        if status.isOpenToOthers { throw refuse("accessible to other users") }
        return status
    }

    /// Rejects a rollback journal that names a super-journal.
    ///
    /// SQLite stores that name for transactions over several files, which are not used here. After replaying the journal it deletes the
    /// named file, so a planted journal could delete any file of the user. The journal's last eight bytes reveal the name.
    private func requireOwnJournal(
        in folder: borrowing FileDescriptor, size: Int64
    ) throws {
        let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        let journal: FileDescriptor
        do {
            journal = try FileDescriptor(name + "-journal", in: folder, flags: O_RDONLY)
        } catch let error as SystemFailure where error.code == ENOENT {
            return  // Its transaction has just ended in another process.
        }
        if try journal.bytes(at: max(0, size - 8), count: 8) == magic {
            throw DatabaseError.damaged(
                reason: "the journal beside the file belongs to another file")
        }
    }
}
