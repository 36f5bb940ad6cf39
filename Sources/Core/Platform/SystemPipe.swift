/// A pipe, not inherited by child processes; each end is closed once. Not thread-safe, except for ``signal()``.
package final class SystemPipe: @unchecked Sendable {
    /// The descriptor for reading. It becomes readable by ``signal()``.
    package let reader: Int32
    /// The descriptor for writing.
    package let writer: Int32
    private var isReaderOpen = true
    private var isWriterOpen = true

    /// Creates the pipe. The corresponding C function is `pipe`.
    ///
    /// - Parameter isBlocking: Whether reads and writes block.
    /// - Throws: ``SystemFailure``.
    package init(isBlocking: Bool = true) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe platform_pipe(&ends) == 0 else { throw SystemFailure.last("pipe") }
        reader = ends[0]
        writer = ends[1]
        for end in ends where isBlocking { _ = fcntl(end, F_SETFL, 0) }
    }

    deinit {
        closeReader()
        closeWriter()
    }

    /// Closes the reading end.
    package func closeReader() {
        if isReaderOpen { close(reader) }
        isReaderOpen = false
    }

    /// Closes the writing end.
    package func closeWriter() {
        if isWriterOpen { close(writer) }
        isWriterOpen = false
    }

    /// Makes the reader readable permanently, which wakes a thread that polls it.
    package func signal() {
        var byte: UInt8 = 0
        _ = unsafe write(writer, &byte, 1)
    }

    /// Waits until the reader is readable, up to a time.
    package func isReadable(within time: Duration) -> Bool {
        var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, Int32(clamping: time.milliseconds)) > 0
    }

    /// Reads one byte; nil if every copy of the writing end is closed.
    package func readByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(reader, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }

    /// Reads until every copy of the writing end is closed.
    package func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(reader, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += piece.prefix(count)
        }
    }
}
