internal import Platform

/// The attempts whose password this process verifies now. Thread-safe.
///
/// A right password is released a moment later, so a blocked attempt waits for the others of its key. Many right passwords at once then succeed,
/// and wrong ones stay limited.
final class RunningVerifications: Sendable {
    private struct State {
        /// The number of current attempts of each key.
        var current: [AttemptKey: Int] = [:]
        /// The number of attempts that ended.
        var endCount = 0
    }

    /// The longest wait.
    private static let timeLimit = Duration.seconds(10)

    private let state = Monitor(State())

    /// Adds an attempt, before it is counted.
    ///
    /// - Returns: The number of attempts that ended, for ``waitForOthers(_:since:)``.
    func begin(_ key: AttemptKey) -> Int {
        state.update { state in
            state.current[key, default: 0] += 1
            return state.endCount
        }
    }

    /// The number of attempts that ended, for ``hasChanged(_:since:)``.
    var endCount: Int { state.read { $0.endCount } }

    /// Whether an attempt of the key is current, or any attempt ended since.
    func hasChanged(_ key: AttemptKey, since endCount: Int) -> Bool {
        state.read { $0.current[key] != nil || $0.endCount != endCount }
    }

    /// Removes an attempt that ended.
    func end(_ key: AttemptKey) {
        state.update { state in
            Self.remove(key, &state)
            state.endCount += 1
        }
    }

    /// Removes a blocked attempt, and waits until another one ends.
    ///
    /// - Returns: Whether another attempt may be allowed now.
    func waitForOthers(_ key: AttemptKey, since endCount: Int) -> Bool {
        state.update { Self.remove(key, &$0) }
        return state.wait(until: .now + Self.timeLimit) { state -> Bool? in
            if state.endCount != endCount { return true }
            return state.current[key] == nil ? false : nil
        } ?? false
    }

    private static func remove(_ key: AttemptKey, _ state: inout State) {
        let left = (state.current[key] ?? 1) - 1
        state.current[key] = left == 0 ? nil : left
    }
}
