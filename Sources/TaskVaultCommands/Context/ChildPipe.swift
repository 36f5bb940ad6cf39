internal import CommandLine
internal import Platform

/// A pipe whose ends close once each; not inherited by children.
final class ChildPipe {
    let reader: Int32
    let writer: Int32
    private var isReaderOpen = true
    private var isWriterOpen = true

    init() throws(SystemFailure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemFailure("pipe", code: errno) }
        reader = ends[0]
        writer = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        closeReader()
        closeWriter()
    }

    func closeReader() {
        if isReaderOpen { close(reader) }
        isReaderOpen = false
    }

    func closeWriter() {
        if isWriterOpen { close(writer) }
        isWriterOpen = false
    }

    func readAll() -> [UInt8] {
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
