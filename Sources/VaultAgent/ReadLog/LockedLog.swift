internal import Platform
internal import Sealing
internal import SecretMemory

/// A file of mode 0600 that no other process changes meanwhile.
struct LockedLog: ~Copyable {
    /// How long it waits for another process, so that one that was stopped holds nothing up.
    private static let patience: Duration = .milliseconds(500)

    let descriptor: Int32

    /// Opens or makes the file, and takes its lock. The corresponding C functions are `open` and `flock`.
    init(_ path: String) throws {
        let descriptor = unsafe platform_open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        let end = MonotonicTime.now + Self.patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR, MonotonicTime.now < end else {
                close(descriptor)
                throw SystemFailure("flock", code: code)
            }
            SystemSleep.sleep(.milliseconds(5))
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Its size, in bytes.
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

    /// The first bytes.
    func bytes(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var offset = 0
        while offset < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: offset), count - offset,
                    off_t(offset))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw SystemFailure("pread", code: read < 0 ? errno : EIO) }
            offset += read
        }
        return bytes
    }

    /// Writes at the end; a part is taken back.
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

    /// The key that the file holds; a new one if it is empty.
    func key(_ random: RandomSource) throws -> SecretBytes {
        if try size == BoxKeyPair.keySize {
            var key = try SecretBytes(count: BoxKeyPair.keySize)
            let count = try key.withMutableBytes { bytes in
                try Descriptor.read(from: descriptor, into: &bytes, at: 0)
            }
            guard count == BoxKeyPair.keySize else { throw SystemFailure("read", code: EIO) }
            return key
        }
        let key = try random.secret(count: BoxKeyPair.keySize)
        try cut(to: 0)
        try key.withBytes { try Descriptor.write($0, to: descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFailure.last("fsync") }
        return key
    }
}
