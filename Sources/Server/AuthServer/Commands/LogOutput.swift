internal import CommandLine
internal import HTTPServer
internal import Platform

/// Writes the log from its own thread, so that a stalled reader does not block requests.
/// Lines that exceed the buffer are dropped, and a later line reports their number. Thread-safe.
final class LogOutput: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        var leftOut = 0
    }

    /// The size of the buffer, in bytes: some thousand lines.
    private static let maximumSize = 1_048_576

    private let descriptor: Int32
    private let state = Monitor(State())
    private let hasThread: Bool

    /// Creates a log. If no thread can be started, the caller's thread writes.
    ///
    /// - Parameters:
    ///   - descriptor: Where the lines go.
    ///   - pause: Called after each write. Under load, the lines of this period are written
    ///     together: waking the thread for each line would take a quarter of the time of an
    ///     introspection.
    init(descriptor: Int32, pause: @escaping @Sendable () -> Void = { usleep(10_000) }) {
        self.descriptor = descriptor
        let state = state
        hasThread = DetachedThread.start {
            while Self.writeNext(state, to: descriptor) { pause() }
        }
    }

    /// Writes a line with its line end.
    func write(_ line: [UInt8]) {
        guard hasThread else {
            unsafe try? Descriptor.write(line.span.bytes, to: descriptor)
            return
        }
        state.update { state in
            guard state.waiting.count + line.count <= Self.maximumSize else {
                state.leftOut += 1
                return
            }
            state.waiting += line
        }
    }

    /// Waits until all lines are written, at most this long.
    func finish(within duration: Duration) {
        _ = state.wait(until: .now + duration) { state in
            state.waiting.isEmpty && !state.isWriting ? () : nil
        }
    }

    private static func writeNext(_ state: Monitor<State>, to descriptor: Int32) -> Bool {
        let lines = state.wait { state -> [UInt8]? in
            guard !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            state.isWriting = true
            guard state.leftOut > 0 else { return state.waiting }
            // Dropped lines are reported now, because no later line may follow.
            defer { state.leftOut = 0 }
            return state.waiting
                + Array("{\"event\":\"log_left_out\",\"lines\":\(state.leftOut)}\n".utf8)
        }
        guard let lines else { return false }
        unsafe try? Descriptor.write(lines.span.bytes, to: descriptor)
        state.update { $0.isWriting = false }
        return true
    }
}
