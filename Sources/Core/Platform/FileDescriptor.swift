/// An open file or folder, closed exactly once.
///
/// Never use one for a database file with an open connection: closing any descriptor of a file releases all POSIX locks of the
/// process on that file, including SQLite's.
package struct FileDescriptor: ~Copyable {
    package let number: Int32

    /// Opens a folder. The corresponding C function is `open` with `O_DIRECTORY`.
    package init(folder path: String) throws {
        let number = unsafe platform_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard number >= 0 else { throw SystemFailure.last("open") }
        self.number = number
    }

    /// Opens a name in a folder without following a symbolic link and without blocking on a FIFO.
    ///
    /// The corresponding C function is `openat`.
    package init(
        _ name: String, in folder: borrowing FileDescriptor, flags: Int32, mode: mode_t = 0o600
    ) throws {
        let number = unsafe platform_openat(
            folder.number, name, flags | O_NOFOLLOW | O_NONBLOCK, mode)
        guard number >= 0 else { throw SystemFailure.last("open") }
        self.number = number
    }

    deinit {
        _ = Self.closeFile(number)
    }

    /// Flushes written data to the medium. The corresponding C function is `fsync`.
    package borrowing func sync() throws {
        guard fsync(number) == 0 else { throw SystemFailure.last("fsync") }
    }

    /// Creates an empty file in this folder and closes it. Safe only while no connection of this process has the file open.
    package borrowing func createFile(_ name: String) throws -> FileIdentity {
        let file = try FileDescriptor(name, in: self, flags: O_RDWR | O_CREAT | O_EXCL)
        return try FileStatus.of(file).identity
    }

    /// Renames a file in this folder, durably after ``sync()``. The corresponding C function is `renameat2` or `renameatx_np`.
    ///
    /// - Throws: ``SystemFailure`` with `EEXIST` if the new name exists; files are never overwritten.
    package borrowing func rename(_ name: String, to newName: String) throws {
        try Self.rename(name, to: newName, in: number)
    }

    /// As ``rename(_:to:)``, in an open folder, or with paths and `AT_FDCWD`.
    static func rename(_ name: String, to newName: String, in folder: Int32) throws {
        if unsafe platform_rename_exclusive(folder, name, newName) == 0 { return }
        guard errno == EINVAL || errno == ENOSYS else {
            throw SystemFailure.last("rename")
        }
        // The file system lacks exclusive renaming: reserve the name with an empty file.
        let reserved = unsafe platform_openat(folder, newName, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard reserved >= 0 else { throw SystemFailure.last("rename") }
        _ = closeFile(reserved)
        guard unsafe renameat(folder, name, folder, newName) == 0 else {
            let code = errno
            _ = unsafe unlinkat(folder, newName, 0)
            throw SystemFailure("rename", code: code)
        }
    }

    /// Exchanges two files in this folder atomically. The corresponding C function is `renameat2` or `renameatx_np`.
    package borrowing func exchange(_ first: String, _ second: String) throws {
        guard unsafe platform_exchange(number, first, second) == 0 else {
            throw SystemFailure.last("rename")
        }
    }

    /// Reads up to `count` bytes at an offset. The corresponding C function is `pread`.
    package borrowing func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let descriptor = number
        let got = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        }
        guard got >= 0 else { throw SystemFailure.last("pread") }
        bytes.removeLast(count - got)
        return bytes
    }

    /// Writes all bytes at the current offset. The corresponding C function is `write`.
    package borrowing func append(_ bytes: [UInt8]) throws {
        let descriptor = number
        var done = 0
        while done < bytes.count {
            let start = done
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure.last("write") }
            done += count
        }
    }

    /// Calls `close`, whose name a member of this type would hide. The descriptor is closed even after an error.
    private static func closeFile(_ number: Int32) -> Int32 {
        close(number)
    }
}
