internal import HTTPServer
internal import Platform
internal import Synchronization

/// Changes of one kind that wait for the database. Each commit waits for the disk, so the next one stores all that arrived in the meantime.
/// Thread-safe.
final class BatchQueue<Change: Sendable>: Sendable {
    /// A waiting change, and the response to send after its commit.
    typealias Entry = (change: Change, answer: DeferredResponse)

    private struct State {
        var waiting: [Entry] = []
        var isStoring = false
    }

    /// The largest number of changes in one commit.
    private static var batchSize: Int { 256 }

    private let maximum: Int
    private let startsThread: Bool
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - maximum: The largest number of waiting changes; 0 for no limit.
    ///   - startsThread: Whether a thread stores changes; otherwise the first caller of
    ///     ``add(_:_:)`` stores them.
    init(maximum: Int, startsThread: Bool) {
        self.maximum = maximum == 0 ? .max : maximum
        self.startsThread = startsThread
    }

    /// Adds a change. A thread stores the waiting changes until the queue is empty.
    ///
    /// - Parameters:
    ///   - entry: The change.
    ///   - store: Stores and answers changes.
    /// - Returns: Whether there was room.
    func add(_ entry: Entry, _ store: @escaping @Sendable ([Entry]) -> Void) -> Bool {
        let (hasRoom, isFirst) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting.count < maximum else { return (false, false) }
            state.waiting.append(entry)
            let isFirst = !state.isStoring
            state.isStoring = true
            return (true, isFirst)
        }
        guard isFirst else { return hasRoom }
        let work: @Sendable () -> Void = { [self] in while let batch = next() { store(batch) } }
        if !startsThread || !DetachedThread.start(work) { work() }
        return true
    }

    private func next() -> [Entry]? {
        state.withLock { state -> [Entry]? in
            guard !state.waiting.isEmpty else {
                state.isStoring = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.batchSize))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}
