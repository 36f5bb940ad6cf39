internal import Platform

/// Wakes a polling thread. Thread-safe.
final class WakePipe: Sendable {
    /// The descriptor that becomes readable after a wake-up.
    let reader: Int32
    private let writer: Int32

    /// Creates the pipe. The corresponding C function is `pipe`.
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

    /// Wakes the thread; the descriptor stays readable.
    func signal() {
        var byte: UInt8 = 0
        _ = unsafe write(writer, &byte, 1)
    }
}
