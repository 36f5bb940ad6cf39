internal import Platform

/// Wakes a thread that polls. Thread-safe.
final class WakePipe: Sendable {
    /// The descriptor that can be read after a signal.
    let reader: Int32
    private let writer: Int32

    /// Makes it. The corresponding C function is `pipe`.
    init() throws(AgentError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe platform_pipe(&ends) == 0 else { throw .system("pipe", errno) }
        reader = ends[0]
        writer = ends[1]
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Wakes it, for good.
    func signal() {
        var byte: UInt8 = 0
        _ = unsafe write(writer, &byte, 1)
    }
}
