/// Work that a signal such as Ctrl-C interrupts: the program says at once what it leaves, and ends without waiting for the work.
///
/// Until the first lasting change the program ends within ``pause``, in any state of its threads, and removes its temporary files. After
/// ``beginChange(saying:)`` it says what it still completes, and the signal takes effect after that. A process does one such work at a time;
/// others inside it or beside it run as if without. Thread-safe.
package enum InterruptibleWork {
    /// The time between two looks at the signals.
    package static let pause: Duration = .milliseconds(50)

    private struct Watched {
        let id: UInt64
        let say: @Sendable (String) -> Void
        /// The sentence for a signal.
        var sentence: String
        /// Whether the work must be completed.
        var isChanging = false
        var hasSaid = false
        /// Functions for the case that the program ends at once, in the order of creation.
        var cleanups: [(id: UInt64, run: @Sendable () -> Void)] = []

        /// Says the sentence for a signal, once.
        mutating func announce() {
            if !hasSaid { say(sentence) }
            hasSaid = true
        }
    }

    private struct State {
        var lastID: UInt64 = 0
        var watched: Watched?
    }

    private static let state = Monitor(State())

    /// Runs `body`, and watches the signals that end a program in another thread.
    ///
    /// A signal that it leaves pending takes effect at its end.
    ///
    /// - Parameters:
    ///   - sentence: What a signal leaves before the first change, such as `interrupted; nothing was changed`.
    ///   - say: Prints a sentence; called in any thread.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    package static func run<Result>(
        _ sentence: String, saying say: @escaping @Sendable (String) -> Void,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let id = state.update { state -> UInt64? in
            guard state.watched == nil else { return nil }
            state.lastID += 1
            state.watched = Watched(id: state.lastID, say: say, sentence: sentence)
            return state.lastID
        }
        guard let id else { return try body() }
        // Blocked before the thread starts, which inherits it.
        let signals = BlockedSignals()
        // Without a thread, the work looks at the signals only where it does so by itself.
        _ = DetachedThread.start { watch(id) }
        do {
            let result = try body()
            finish(signals)
            return result
        } catch {
            finish(signals)
            throw error
        }
    }

    private static func finish(_ signals: consuming BlockedSignals) {
        state.update { state in
            if BlockedSignals.arePending, state.watched?.isChanging == false {
                state.watched?.announce()
            }
            state.watched = nil
        }
        _ = consume signals
    }

    /// Begins a lasting change, which is completed after a signal. Ends the program if a signal is pending already.
    ///
    /// - Parameter sentence: What is still completed after a signal; nil to say nothing, for a change that is complete at once.
    package static func beginChange(saying sentence: String?) {
        state.update { state in
            if let watched = state.watched, !watched.isChanging, BlockedSignals.arePending {
                end(&state)
            }
            guard let sentence else {
                // Inside a change that says more, its sentence stays.
                if state.watched?.isChanging == false { state.watched?.hasSaid = true }
                state.watched?.isChanging = true
                return
            }
            state.watched?.isChanging = true
            state.watched?.sentence = sentence
        }
    }

    /// Whether a change has begun, and a signal is pending that takes effect after it.
    package static var isCompleting: Bool {
        BlockedSignals.arePending && state.read { $0.watched?.isChanging == true }
    }

    /// Adds a function that removes something if the program ends at once.
    ///
    /// - Returns: Its number for ``forget(_:)``; nil if no work is watched.
    package static func addCleanup(_ cleanup: @escaping @Sendable () -> Void) -> UInt64? {
        state.update { state in
            guard state.watched != nil else { return nil }
            state.lastID += 1
            state.watched?.cleanups.append((state.lastID, cleanup))
            return state.lastID
        }
    }

    /// Removes a function of ``addCleanup(_:)``.
    package static func forget(_ cleanup: UInt64?) {
        guard let cleanup else { return }
        state.update { state in state.watched?.cleanups.removeAll { $0.id == cleanup } }
    }

    private static func watch(_ id: UInt64) {
        while true {
            let isOver: Bool? = state.wait(until: .now + pause) { state in
                guard state.watched?.id == id else { return true }
                guard BlockedSignals.arePending else { return nil }
                if state.watched?.isChanging == true {
                    state.watched?.announce()
                } else {
                    end(&state)
                }
                return nil
            }
            if isOver == true { return }
        }
    }

    /// Ends the program by the pending signal. The lock is held, so that no change can begin.
    private static func end(_ state: inout State) {
        state.watched?.announce()
        for cleanup in state.watched?.cleanups.reversed() ?? [] { cleanup.run() }
        BlockedSignals.unblockAll()
    }
}
