internal import CSQLite
internal import Platform

/// Retries locks every few milliseconds, until the timeout or an interruption.
///
/// SQLite's own busy handler (`sqlite3_busy_timeout`) soon sleeps 100 ms between attempts. With continuous writers it rarely succeeds, and
/// its chance falls with the waiting time.
final class LockWait {
    /// The longest pause between attempts, in milliseconds. The first pause is 1 ms; each later one is 1 ms longer, up to this limit.
    private static let longestPause = 5

    /// In milliseconds.
    private let lockTimeout: Int
    private let interruption: Interruption

    /// Creates a wait of at most `lockTimeout` milliseconds.
    init(lockTimeout: Int, _ interruption: Interruption) {
        self.lockTimeout = lockTimeout
        self.interruption = interruption
    }

    /// The pause before the next attempt.
    ///
    /// Counts pauses instead of elapsed time, so that a suspended machine causes no timeout.
    ///
    /// - Parameters:
    ///   - tries: The number of pauses so far.
    ///   - lockTimeout: The total waiting time, in milliseconds.
    /// - Returns: Milliseconds; nil after the timeout.
    static func pause(after tries: Int, lockTimeout: Int) -> Int? {
        let growing = min(tries, longestPause)
        let waited = growing * (growing + 1) / 2 + (tries - growing) * longestPause
        guard waited < lockTimeout else { return nil }
        return min(growing + 1, longestPause, lockTimeout - waited)
    }

    /// Sets the timeout of a connection, which must keep this value. The corresponding C function is `sqlite3_busy_handler`.
    ///
    /// - Returns: SQLite's result code.
    func install(on handle: OpaquePointer) -> Int32 {
        unsafe sqlite3_busy_handler(
            handle,
            { context, tries in
                guard let context = unsafe context else { return 0 }
                let wait = unsafe Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
                guard !wait.interruption.hasHappened,
                    let pause = LockWait.pause(after: Int(tries), lockTimeout: wait.lockTimeout)
                else { return 0 }
                usleep(UInt32(pause) * 1_000)
                return 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
