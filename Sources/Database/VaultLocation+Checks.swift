internal import Platform

extension VaultLocation {
    /// Checks a resolved folder and all its parent folders, starting at the root.
    package static func requireSafeFolder(_ folder: String) throws {
        try requireSafeAncestor("/")
        // Compares bytes, as the system does: see `split`.
        for index in folder.utf8.indices.dropFirst() where folder.utf8[index] == UInt8(ascii: "/") {
            try requireSafeAncestor(String(folder[..<index]))
        }
        guard let status = try FileStatus.of(path: folder) else { throw DatabaseError.notFound }
        func refuse(_ reason: String) -> DatabaseError {
            .unsafeLocation(path: folder, reason: reason)
        }
        if !status.isFolder { throw refuse("not a folder") }
        if status.owner != geteuid() { throw refuse("owned by another user") }
        if status.isOpenToOthers { throw refuse("accessible to other users") }
    }

    private static func requireSafeAncestor(_ path: String) throws {
        guard let status = try FileStatus.of(path: path) else { throw DatabaseError.notFound }
        func refuse(_ reason: String) -> DatabaseError {
            .unsafeLocation(path: path, reason: reason)
        }
        if !status.isFolder { throw refuse("not a folder") }
        if status.owner != 0 && status.owner != geteuid() {
            throw refuse("owned by another user")
        }
        if status.lendsEntriesToOthers { throw refuse("writable by other users") }
    }

    /// Checks the file and the files that SQLite creates beside it.
    ///
    /// Checks by name without opening the files: see ``FileDescriptor``.
    ///
    /// - Returns: The result for the file; nil if there is none.
    package func checkFiles() throws -> CheckedFile? {
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
            isWritable: isWritable(self.folder) && isWritable(path))
    }

    /// The result of a check of a file.
    package struct CheckedFile {
        let identity: FileIdentity
        let isEmpty: Bool
        /// Whether a non-empty log lies beside it.
        let hasPendingLog: Bool
        /// Whether this process may write the file and create files beside it.
        let isWritable: Bool
    }

    /// Refuses a log or journal beside a new file: SQLite would treat it as part of the new file.
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
        if status.links != 1 { throw refuse("has more than one name") }
        if status.owner != geteuid() { throw refuse("owned by another user") }
        if status.isOpenToOthers { throw refuse("accessible to other users") }
        return status
    }

    /// Refuses a rollback journal that names a super-journal.
    ///
    /// SQLite stores that name for transactions over several files, which are not used here. After replaying the journal it deletes the
    /// named file: a planted journal could delete any file of the user. The name is recognised by the journal's last eight bytes.
    private func requireOwnJournal(
        in folder: borrowing FileDescriptor, size: Int64
    ) throws {
        let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        let journal: FileDescriptor
        do {
            journal = try FileDescriptor(name + "-journal", in: folder, flags: O_RDONLY)
        } catch DatabaseError.notFound {
            return  // Its transaction has just ended in another process.
        }
        if try journal.bytes(at: max(0, size - 8), count: 8) == magic {
            throw DatabaseError.damaged(reason: "the journal beside the file is not its own")
        }
    }

    /// A file in a resolved folder, safe or not.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// The corresponding C function is `faccessat` with `AT_EACCESS`.
    private func isWritable(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
    }
}
