/// The identity of a file, independent of its name: device and inode.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
}

/// The status of a file: owner, permissions, size and time (`struct stat`). Unless a function says otherwise, a symbolic link as the last
/// component of a path is not followed.
package struct FileStatus {
    package let identity: FileIdentity
    /// The id of the user who owns the file.
    package let owner: UInt32
    /// The type and the permissions (`st_mode`).
    package let mode: UInt32
    /// The number of hard links.
    package let links: UInt64
    /// The size in bytes.
    package let size: Int64
    /// The modification time (`st_mtim`), in milliseconds since 1970-01-01 UTC.
    package let modified: Int64

    private init(_ status: stat) {
        self.identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
        self.owner = UInt32(status.st_uid)
        self.mode = UInt32(status.st_mode)
        self.links = UInt64(status.st_nlink)
        self.size = Int64(status.st_size)
        #if os(Linux)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        self.modified = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The status of a name in an open folder, or of a path; nil if it does not exist.
    ///
    /// The corresponding C function is `fstatat`.
    package static func of(
        _ name: String, in folder: borrowing FileDescriptor
    ) throws -> FileStatus? {
        try read { status in
            unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// The status of a path; nil if it does not exist. The corresponding C function is `lstat`.
    package static func of(path: String) throws -> FileStatus? {
        try read { status in unsafe lstat(path, &status) }
    }

    /// The status of the target of a path, through symbolic links; nil if it does not exist. The corresponding C function is `stat`.
    package static func ofTarget(path: String) throws -> FileStatus? {
        try read { status in unsafe fstatat(AT_FDCWD, path, &status, 0) }
    }

    /// The status of an open file. The corresponding C function is `fstat`.
    package static func of(_ descriptor: borrowing FileDescriptor) throws -> FileStatus {
        try of(descriptor: descriptor.number)
    }

    /// The status of an open file. The corresponding C function is `fstat`.
    static func of(descriptor: Int32) throws -> FileStatus {
        let status = try read { status in unsafe fstat(descriptor, &status) }
        guard let status else {
            throw SystemFailure("stat", code: ENOENT)
        }
        return status
    }

    private static func read(
        _ call: (inout stat) -> Int32
    ) throws -> FileStatus? {
        var status = stat()
        guard call(&status) != 0 else { return FileStatus(status) }
        let code = errno
        if code == ENOENT || code == ENOTDIR { return nil }
        throw SystemFailure("stat", code: code)
    }
}

extension FileStatus {
    private var kind: UInt32 { mode & UInt32(S_IFMT) }

    package var isFolder: Bool { kind == UInt32(S_IFDIR) }
    package var isSymbolicLink: Bool { kind == UInt32(S_IFLNK) }
    package var isRegularFile: Bool { kind == UInt32(S_IFREG) }
    var isSocket: Bool { kind == UInt32(S_IFSOCK) }

    /// Whether group or others have any permission.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }
    /// Whether group or others may add, rename and remove files of other users in this folder.
    package var allowsOthersToChangeEntries: Bool {
        mode & 0o022 != 0 && mode & UInt32(S_ISVTX) == 0
    }
}
