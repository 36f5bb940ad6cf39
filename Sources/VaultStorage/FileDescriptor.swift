internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An open file or folder, closed once.
///
/// Never one for a vault's database file while a connection to it is open: closing any descriptor of a file drops all POSIX locks
/// that the process holds on it, SQLite's among them.
struct FileDescriptor: ~Copyable {
    let number: Int32

    /// Opens a folder. The corresponding C function is `open` with `O_DIRECTORY`.
    init(folder path: String) throws(StorageError) {
        let number = unsafe platform_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard number >= 0 else { throw StorageError(systemError: errno, operation: "open folder") }
        self.number = number
    }

    /// Opens a name in a folder, not following a symbolic link and not waiting for the other end of a pipe.
    ///
    /// The corresponding C function is `openat`.
    init(
        _ name: String, in folder: borrowing FileDescriptor, flags: Int32, mode: mode_t = 0o600
    ) throws(StorageError) {
        let number = unsafe platform_openat(
            folder.number, name, flags | O_NOFOLLOW | O_NONBLOCK, mode)
        guard number >= 0 else { throw StorageError(systemError: errno, operation: "open file") }
        self.number = number
    }

    deinit {
        _ = Self.closeFile(number)
    }

    /// Makes what was written survive a power cut. The corresponding C function is `fsync`.
    borrowing func sync() throws(StorageError) {
        guard fsync(number) == 0 else { throw StorageError(systemError: errno, operation: "sync") }
    }

    /// Reads up to `count` bytes at an offset. The corresponding C function is `pread`.
    borrowing func bytes(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let descriptor = number
        let got = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        }
        guard got >= 0 else { throw StorageError(systemError: errno, operation: "read") }
        bytes.removeLast(count - got)
        return bytes
    }

    /// `close`, which the type's own members would hide. After an error the descriptor is gone all the same.
    private static func closeFile(_ number: Int32) -> Int32 {
        close(number)
    }
}
