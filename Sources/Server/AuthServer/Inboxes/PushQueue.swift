internal import Accounts
internal import HTTPServer
internal import Platform
internal import Synchronization

/// Pushes that wait for the database. Each commit waits for the disk, so the next one stores all
/// pushes that arrived in the meantime. Thread-safe.
final class PushQueue: Sendable {
    /// A push with its answer.
    typealias Entry = (push: InboxService.Push, answer: DeferredResponse)

    private struct State {
        var waiting: [Entry] = []
        var isStoring = false
    }

    /// The largest number of pushes in one commit.
    private static let batchSize = 256

    private let maximum: Int
    private let startsThread: Bool
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - maximum: The largest number of waiting pushes; 0 for no limit.
    ///   - startsThread: Whether a thread stores pushes; otherwise the first caller of
    ///     ``add(_:_:)`` stores them.
    init(maximum: Int, startsThread: Bool) {
        self.maximum = maximum == 0 ? .max : maximum
        self.startsThread = startsThread
    }

    /// Adds a push. A thread stores the waiting pushes until the queue is empty.
    ///
    /// - Parameters:
    ///   - entry: The push.
    ///   - store: Stores and answers pushes.
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
