/// Operations on files by path. For a database file, see ``FileDescriptor``.
package enum FileSystem {
    /// Whether a path exists; a symbolic link is not followed.
    ///
    /// The corresponding C function is `lstat`.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether a path may exist: only a missing file or folder proves that it does not. Another user's folder may be closed to this one.
    ///
    /// The corresponding C function is `lstat`.
    package static func mayExist(_ path: String) -> Bool {
        exists(path) || ![ENOENT, ENOTDIR].contains(errno)
    }

    /// The size of a file in bytes; nil if it does not exist.
    ///
    /// The corresponding C function is `lstat`.
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The size of a file system and its free space for this user, in bytes.
    ///
    /// The corresponding C function is `statvfs`.
    package static func space(_ path: String) throws -> (total: UInt64, free: UInt64) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw SystemFailure.last("statvfs") }
        let unit = UInt64(status.f_frsize)
        return (UInt64(status.f_blocks) * unit, UInt64(status.f_bavail) * unit)
    }

    /// Whether the files of a folder are in memory only, apart from the swap: its file system is tmpfs or ramfs. Always false on macOS.
    ///
    /// The corresponding C function is `statfs`.
    package static func isInMemory(_ path: String) -> Bool {
        #if os(Linux)
            unsafe platform_is_in_memory(path)
        #else
            false
        #endif
    }

    /// The content of a file; nil if it exceeds `limit` bytes or cannot be read.
    package static func content(_ path: String, limit: Int) -> [UInt8]? {
        beginning(of: path, count: limit + 1).flatMap { $0.count > limit ? nil : $0 }
    }

    /// The first bytes of a file, at most `count`; nil if it cannot be read.
    ///
    /// The corresponding C functions are `open` and `pread`.
    package static func beginning(of path: String, count: Int) -> [UInt8]? {
        let number = unsafe platform_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard number >= 0 else { return nil }
        defer { _ = close(number) }
        var bytes = [UInt8](repeating: 0, count: count)
        let size = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(number, buffer.baseAddress, buffer.count, 0)
        }
        return size < 0 ? nil : Array(bytes.prefix(size))
    }

    /// Sets the times of an existing file to now: a signal for other processes that watch it.
    ///
    /// The corresponding C function is `utimensat`.
    package static func touch(_ path: String) {
        _ = unsafe utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
    }

    /// Whether this process may write a file.
    ///
    /// The corresponding C function is `faccessat` with `AT_EACCESS`.
    package static func isWritable(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
    }

    /// The error if this process has no permission to read a file; nil for a readable or missing file.
    ///
    /// The corresponding C function is `faccessat` with `AT_EACCESS`.
    package static func readPermissionFailure(_ path: String) -> SystemFailure? {
        guard unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 else { return nil }
        let failure = SystemFailure.last("faccessat")
        return [EACCES, EPERM].contains(failure.code) ? failure : nil
    }

    /// The error if this process cannot create an entry in the nearest existing folder above a path; nil if it can.
    ///
    /// The corresponding C function is `faccessat` with `AT_EACCESS`.
    package static func creationPermissionFailure(_ path: String) -> SystemFailure? {
        var folder = path.utf8[...]
        repeat {
            while folder.last == UInt8(ascii: "/") { folder.removeLast() }
            let slash = folder.lastIndex(of: UInt8(ascii: "/"))
            let parent = slash.map { folder[...$0] } ?? ".".utf8[...]
            if unsafe faccessat(AT_FDCWD, String(Substring(parent)), W_OK | X_OK, AT_EACCESS) == 0 {
                return nil
            }
            let failure = SystemFailure.last("faccessat")
            guard failure.code == ENOENT, slash != nil else { return failure }
            folder = parent
        } while folder.count > 1
        return nil
    }

    /// Removes a file if it exists.
    ///
    /// The corresponding C function is `unlink`.
    package static func remove(_ path: String) throws {
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw SystemFailure.last("unlink")
    }

    /// Renames a file to a free name. The corresponding C function is `renameat2` or `renameatx_np`.
    ///
    /// - Throws: ``SystemFailure`` with `EEXIST` if the new name exists; files are never overwritten.
    package static func rename(_ path: String, to target: String) throws {
        try FileDescriptor.rename(path, to: target, in: AT_FDCWD)
    }

    /// Makes changes to the entries of a folder durable.
    ///
    /// The corresponding C function is `fsync`.
    package static func sync(folder: String) throws {
        let descriptor = unsafe platform_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFailure.last("fsync") }
    }

    /// Makes the content of an open file durable.
    ///
    /// The corresponding C function is `fdatasync`, on macOS `fsync`.
    package static func syncContent(of descriptor: Int32) throws {
        #if os(Linux)
            let result = fdatasync(descriptor)
        #else
            let result = fsync(descriptor)
        #endif
        guard result == 0 else { throw SystemFailure.last("fsync") }
    }

    /// The absolute path. The corresponding C function is `getcwd`.
    package static func absolute(_ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        return unsafe String(cString: current) + "/" + path
    }

    /// The names of the entries of a folder, in ascending order.
    ///
    /// The corresponding C functions are `opendir` and `readdir`.
    package static func names(in folder: String) throws -> [String] {
        try unsortedNames(in: folder).sorted()
    }

    /// As ``names(in:)``, in the order of the file system.
    package static func unsortedNames(in folder: String) throws -> [String] {
        guard let stream = unsafe opendir(folder) else {
            throw SystemFailure.last("opendir")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(
                    cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Replaces a file by a new one of mode 0600; after a crash there is the old file or the new one.
    ///
    /// The temporary name is fixed, so that the next process overwrites the file of a killed process. Concurrent processes wait for each
    /// other.
    ///
    /// The corresponding C functions are `open`, `flock`, `write`, `fsync` and `rename`.
    package static func replace(_ path: String, with text: String) throws {
        let fresh = path + ".new"
        let descriptor = try openLocked(fresh, O_WRONLY)
        defer { close(descriptor) }
        do {
            try fill(descriptor, with: text)
            let result = unsafe Platform.rename(fresh, path)
            guard result == 0 else { throw SystemFailure.last("rename") }
        } catch {
            _ = unsafe unlink(fresh)
            throw error
        }
        try sync(folder: SafeFolder.split(path).folder)
    }

    /// Opens or creates a file, locks it exclusively, and makes sure that the locked file still has this name.
    ///
    /// The corresponding C functions are `open` and `flock`.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - access: Flags of `open`, in addition to those for creation and symbolic links.
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: ``SystemFailure``.
    package static func openLocked(_ path: String, _ access: Int32) throws -> Int32 {
        while true {
            // A pipe in its place must not make the process wait.
            let descriptor = unsafe platform_open(
                path, access | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw SystemFailure.last("open") }
            let isLocked = flock(descriptor, LOCK_EX) == 0
            let code = errno
            var own = stat()
            var named = stat()
            if isLocked, unsafe fstat(descriptor, &own) == 0, unsafe lstat(path, &named) == 0,
                own.st_ino == named.st_ino, own.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
            guard isLocked || code == EINTR else { throw SystemFailure("flock", code: code) }
        }
    }

    private static func fill(_ descriptor: Int32, with text: String) throws {
        guard ftruncate(descriptor, 0) == 0 else { throw SystemFailure.last("ftruncate") }
        unsafe try Descriptor.write(text.utf8Span.span.bytes, to: descriptor)
        guard fsync(descriptor) == 0 else { throw SystemFailure.last("fsync") }
    }
}
