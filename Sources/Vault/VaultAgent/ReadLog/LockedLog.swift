internal import Platform

/// A file of mode 0600 under a lock against changes by other processes.
struct LockedLog: ~Copyable {
    /// The time limit of the wait for another process, so that a stopped one cannot block the log.
    private static let timeLimit: Duration = .milliseconds(500)

    let descriptor: Int32

    /// Opens or creates the file and locks it. The corresponding C functions are `open` and
    /// `flock`.
    init(_ path: String) throws {
        let end = MonotonicTime.now + Self.timeLimit
        while true {
            let descriptor = unsafe platform_open(
                path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw SystemFailure.last("open") }
            do {
                try Self.lock(descriptor, until: end)
                if try Self.isNamed(path, descriptor) {
                    self.descriptor = descriptor
                    return
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    private static func lock(_ descriptor: Int32, until end: MonotonicTime) throws {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR, MonotonicTime.now < end else {
                throw SystemFailure("flock", code: code)
            }
            SystemSleep.sleep(.milliseconds(5))
        }
    }

    /// Whether the path still names the file; another process may have renamed or removed it.
    private static func isNamed(_ path: String, _ descriptor: Int32) throws -> Bool {
        var own = stat()
        guard unsafe fstat(descriptor, &own) == 0 else { throw SystemFailure.last("fstat") }
        let named = try FileStatus.of(path: path)?.identity
        return named?.inode == UInt64(truncatingIfNeeded: own.st_ino)
            && named?.device == UInt64(truncatingIfNeeded: own.st_dev)
    }

    deinit { close(descriptor) }

    /// The size, in bytes.
    var size: Int {
        get throws {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure.last("fstat") }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw SystemFailure("open", code: EINVAL)
            }
            return Int(status.st_size)
        }
    }

    /// Reads bytes from an offset.
    func bytes(_ count: Int, at start: Int = 0) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var offset = 0
        while offset < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: offset), count - offset,
                    off_t(start + offset))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw SystemFailure("pread", code: read < 0 ? errno : EIO) }
            offset += read
        }
        return bytes
    }

    /// The content of a file; nil if it is missing or empty.
    static func content(_ path: String) throws -> [UInt8]? {
        guard FileSystem.exists(path) else { return nil }
        let file = try LockedLog(path)
        let size = try file.size
        return size == 0 ? nil : try file.bytes(size)
    }

    /// Writes at the end; a partial write is undone.
    func append(_ bytes: [UInt8], at end: Int) throws {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: offset), bytes.count - offset,
                    off_t(end + offset))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = count < 0 ? errno : ENOSPC
                try? cut(to: end)
                throw SystemFailure("write", code: code)
            }
            offset += count
        }
    }

    /// Shortens the file.
    func cut(to size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw SystemFailure.last("ftruncate")
        }
    }

    /// Renames the file, and replaces a file of the new name. The corresponding C function is
    /// `rename`.
    func move(from path: String, to target: String) throws {
        // A power loss must not revert records that the vault's head covers.
        try FileSystem.syncContent(of: descriptor)
        guard unsafe rename(path, target) == 0 else { throw SystemFailure.last("rename") }
    }
}
