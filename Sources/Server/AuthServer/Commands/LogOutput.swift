internal import CommandLine
internal import HTTPServer
internal import Platform
internal import Synchronization

/// Writes the log from its own thread, so that a stalled reader does not block requests.
/// Lines that exceed the buffer are dropped, and a later line reports their number. Thread-safe.
///
/// Each thread puts its lines into a buffer of its own, so that none waits for another one. A number gives the lines their order.
final class LogOutput: Sendable {
    private struct Line {
        let number: UInt64
        let bytes: [UInt8]
    }

    /// The size of all buffers, in bytes: some thousand lines.
    private static let maximumSize = 1_048_576

    private let descriptor: Int32
    private let buffers = ThreadShares<[Line]>([])
    private let numbers = Atomic<UInt64>(0)
    /// The size of the lines that are not written yet, in bytes.
    private let size = Atomic<Int>(0)
    private let leftOut = Atomic<Int>(0)
    /// Whether the thread found no line, and must be woken.
    private let isAsleep = Atomic<Bool>(false)
    /// Changes when the thread must wake up, and after each write.
    private let changes = Monitor(())
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
        let start = Monitor<LogOutput?>(nil)
        hasThread = DetachedThread.start {
            // The thread keeps the log until the process ends, as its lines must be written.
            guard let log = start.wait(for: { $0 }) else { return }
            while true {
                log.writeNext()
                pause()
            }
        }
        start.update { $0 = self }
    }

    /// Writes a line with its line end.
    func write(_ line: [UInt8]) {
        guard hasThread else {
            unsafe try? Descriptor.write(line.span.bytes, to: descriptor)
            return
        }
        guard
            size.add(line.count, ordering: .relaxed).newValue <= Self.maximumSize
        else {
            size.subtract(line.count, ordering: .relaxed)
            leftOut.add(1, ordering: .relaxed)
            wake()
            return
        }
        buffers.withOwn { buffer in
            let number = numbers.add(1, ordering: .sequentiallyConsistent).newValue
            buffer.append(Line(number: number, bytes: line))
        }
        wake()
    }

    /// Waits until all lines are written, at most this long.
    func finish(within duration: Duration) {
        _ = changes.wait(until: .now + duration) { [self] _ in
            size.load(ordering: .acquiring) == 0 ? () : nil
        }
    }

    private func wake() {
        if isAsleep.load(ordering: .sequentiallyConsistent),
            isAsleep.exchange(false, ordering: .sequentiallyConsistent)
        {
            changes.update { _ in }
        }
    }

    /// Writes the lines that are there; waits for some.
    private func writeNext() {
        var lines = take()
        if lines.isEmpty {
            isAsleep.store(true, ordering: .sequentiallyConsistent)
            // A line may have come before the thread was asleep for others.
            lines = take()
            if lines.isEmpty {
                _ = changes.wait { [self] _ in
                    isAsleep.load(ordering: .sequentiallyConsistent) ? nil : true
                }
                lines = take()
            }
            isAsleep.store(false, ordering: .sequentiallyConsistent)
        }
        var bytes: [UInt8] = []
        for line in lines { bytes += line.bytes }
        let written = bytes.count
        // Dropped lines are reported now, because no later line may follow.
        let count = leftOut.exchange(0, ordering: .relaxed)
        if count > 0 {
            bytes += Array("{\"event\":\"log_left_out\",\"lines\":\(count)}\n".utf8)
        }
        guard !bytes.isEmpty else { return }
        unsafe try? Descriptor.write(bytes.span.bytes, to: descriptor)
        size.subtract(written, ordering: .releasing)
        changes.update { _ in }
    }

    /// Takes the lines out of all buffers, in their order.
    ///
    /// A line that is numbered while this runs waits for the next call: another one that was written before it may be in a buffer that was emptied
    /// already.
    private func take() -> [Line] {
        let last = numbers.load(ordering: .sequentiallyConsistent)
        var lines: [Line] = []
        buffers.forEach { buffer in
            let count = buffer.prefix { $0.number <= last }.count
            lines += buffer.prefix(count)
            buffer.removeFirst(count)
        }
        return lines.sorted { $0.number < $1.number }
    }
}
