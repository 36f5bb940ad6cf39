internal import Platform
internal import VaultStorage

/// Opens and describes the verified rows of buckets in a thread beside the one that reads and verifies them: more than half of the work
/// of a session's first list or search.
///
/// One thread adds the rows and takes the results. It ends the work before the keys of the session may change.
final class DescriptionWork: Sendable {
    fileprivate struct State {
        var waiting: [(bucket: Int, rows: [ItemRecord])] = []
        var done: [(bucket: Int, descriptions: BucketDescriptions)] = []
        /// The error of the lowest bucket that failed: a list goes bucket by bucket (`Docs/Format.md`).
        var failure: (bucket: Int, error: any Error)?
        var isBusy = false
        var isEnded = false
    }

    /// The number of rows from which a thread is worth its start.
    private static let manyRows = 2_000
    /// The number of buckets that wait before the adding thread describes one itself.
    private static let longestQueue = 4

    private let session: VaultSession
    private let state = Monitor(State())
    private let hasThread: Bool

    /// - Parameters:
    ///   - session: The session, whose keys open the rows.
    ///   - count: The number of rows to come.
    init(_ session: VaultSession, rows count: UInt64) {
        self.session = session
        guard count >= Self.manyRows else {
            hasThread = false
            return
        }
        let (session, state) = (session, state)
        hasThread = DetachedThread.start {
            while let job = state.wait(for: { $0.next() }) {
                guard let job else { return }
                Self.describe(job.rows, of: job.bucket, session, state)
                state.update { $0.isBusy = false }
            }
        }
    }

    /// Adds the rows of a bucket.
    func add(_ rows: [ItemRecord], of bucket: Int) {
        let isQueued =
            hasThread
            && state.update { state in
                guard state.waiting.count < Self.longestQueue else { return false }
                state.waiting.append((bucket, rows))
                return true
            }
        if !isQueued { Self.describe(rows, of: bucket, session, state) }
    }

    /// Waits for the end of all work.
    ///
    /// - Returns: The descriptions of the buckets that were added.
    /// - Throws: The error of a row that does not open.
    func finish() throws -> [(bucket: Int, descriptions: BucketDescriptions)] {
        while let job = state.update({ $0.waiting.popLast() }) {
            Self.describe(job.rows, of: job.bucket, session, state)
        }
        end()
        let (done, failure) = state.read { ($0.done, $0.failure) }
        if let failure { throw failure.error }
        return done
    }

    /// Drops what waits, and waits until the thread uses the session no longer.
    func end() {
        state.update { state in
            state.isEnded = true
            state.waiting = []
        }
        _ = state.wait { $0.isBusy ? nil : true }
    }

    private static func describe(
        _ rows: [ItemRecord], of bucket: Int, _ session: VaultSession, _ state: Monitor<State>
    ) {
        do {
            let descriptions = try session.describe(rows)
            state.update { $0.done.append((bucket, descriptions)) }
        } catch {
            state.update { state in
                if let earlier = state.failure, earlier.bucket < bucket { return }
                state.failure = (bucket, error)
            }
        }
    }
}

extension DescriptionWork.State {
    /// The next rows; a nil in it after the end, and nil as long as there are none.
    fileprivate mutating func next() -> (bucket: Int, rows: [ItemRecord])?? {
        if isEnded { return .some(nil) }
        guard !waiting.isEmpty else { return nil }
        isBusy = true
        return waiting.removeFirst()
    }
}
