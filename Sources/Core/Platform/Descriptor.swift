/// Reads and writes file descriptors; handles interruptions, short writes and non-blocking descriptors.
///
/// Thread-safe to the same extent as the descriptors.
package enum Descriptor {
    /// Descriptor 0.
    package static let standardInput: Int32 = 0
    /// Descriptor 1.
    package static let standardOutput: Int32 = 1
    /// Descriptor 2.
    package static let standardError: Int32 = 2

    /// Returns whether a descriptor is a terminal.
    ///
    /// The corresponding C function is `isatty`.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Ignores `SIGPIPE` and `SIGXFSZ`, so that a write to a closed pipe or beyond the file size limit returns an error. Call it at the
    /// start of `main`.
    ///
    /// The corresponding C function is `signal`. Not thread-safe.
    package static func ignoreWriteSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Restores the default actions of these signals, for a program that replaces this process.
    ///
    /// The corresponding C function is `signal`. Not thread-safe.
    package static func restoreWriteSignals() {
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_DFL)
    }

    /// Opens `/dev/null` for closed standard descriptors. Call it at the start of `main`.
    ///
    /// Otherwise the next opened file, such as the vault, would get such a number and receive the output. Reads then return no data and
    /// writes fail. Not thread-safe.
    package static func fillStandardDescriptors() {
        for descriptor in standardInput...standardError where fcntl(descriptor, F_GETFD) == -1 {
            // All lower descriptors are open, so `open` returns this number.
            _ = unsafe platform_open("/dev/null", O_RDONLY, 0)
        }
    }

    /// Writes all bytes, directly from their memory.
    ///
    /// The corresponding C function is `write`.
    ///
    /// - Throws: ``SystemFailure``, possibly after a partial write. Its code is `EPIPE` if the reader closed the pipe.
    package static func write(_ bytes: RawSpan, to descriptor: Int32) throws {
        var written = 0
        while written < bytes.byteCount {
            let rest = bytes.extracting(written..<bytes.byteCount)
            let count = writeOnce(rest, to: descriptor)
            if count >= 0 {
                written += count
            } else {
                switch errno {
                case EINTR: continue
                case EAGAIN: wait(for: Int16(POLLOUT), on: descriptor)
                default: throw SystemFailure.last("write")
                }
            }
        }
    }

    /// Writes as many bytes as a non-blocking descriptor accepts; at least one byte to a blocking descriptor.
    ///
    /// - Returns: The number of bytes, or -1 with the reason in `errno`.
    package static func writeOnce(_ bytes: RawSpan, to descriptor: Int32) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe Platform.write(descriptor, bytes.baseAddress, bytes.count)
        }
    }

    /// Reads available bytes, at least one, into `buffer` from `offset` on.
    ///
    /// The corresponding C function is `read`.
    ///
    /// - Returns: The number of bytes, 0 at the end of the input.
    /// - Throws: ``SystemFailure``.
    package static func read(
        from descriptor: Int32, into buffer: inout MutableRawSpan, at offset: Int = 0
    ) throws -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[offset...])
                return unsafe Platform.read(descriptor, part.baseAddress, part.count)
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: wait(for: Int16(POLLIN), on: descriptor)
            default: throw SystemFailure.last("read")
            }
        }
    }

    /// Waits until the descriptor is ready: another program may have made a shared terminal or pipe non-blocking.
    private static func wait(for events: Int16, on descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        _ = unsafe poll(&request, 1, -1)
    }
}
