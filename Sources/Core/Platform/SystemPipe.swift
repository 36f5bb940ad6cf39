/// A pipe whose ends close once each; not inherited by children. Not thread-safe, except for ``signal()``.
package final class SystemPipe: @unchecked Sendable {
    /// The descriptor from which bytes are read; with ``signal()``, it becomes readable.
    package let reader: Int32
    /// The descriptor to which bytes are written.
    package let writer: Int32
    private var isReaderOpen = true
    private var isWriterOpen = true

    /// Creates the pipe. The corresponding C function is `pipe`.
    ///
    /// - Parameter isBlocking: Whether reads and writes wait.
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

    /// Wakes a thread that polls the reader, which stays readable.
    package func signal() {
        var byte: UInt8 = 0
        _ = unsafe write(writer, &byte, 1)
    }

    /// Reads until the writing end is closed everywhere.
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
