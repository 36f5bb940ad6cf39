internal import CSQLite
internal import Platform

/// How a connection waits for others: it tries again every few milliseconds until its time is over.
///
/// SQLite's own waiting (`sqlite3_busy_timeout`) soon sleeps a tenth of a second between two tries. Where others write without a pause it
/// seldom tries in the right moment, so whoever has waited longest has the smallest chance.
enum BusyWait {
    /// The longest pause between two tries, in milliseconds; the first is one, and each is one longer until then.
    private static let longestPause = 5

    /// The pause before the next try.
    ///
    /// Pauses are counted and not the time that passes: a machine that stood still is not held against whoever waits.
    ///
    /// - Parameters:
    ///   - tries: How many pauses there were.
    ///   - limit: How long to wait altogether, in milliseconds.
    /// - Returns: Milliseconds; nil if the time is over.
    static func pause(after tries: Int, limit: Int) -> Int? {
        let growing = min(tries, longestPause)
        let waited = growing * (growing + 1) / 2 + (tries - growing) * longestPause
        guard waited < limit else { return nil }
        return min(growing + 1, longestPause, limit - waited)
    }

    /// Lets a connection wait so long. The corresponding C function is `sqlite3_busy_handler`.
    ///
    /// - Returns: SQLite's code.
    static func install(on handle: OpaquePointer, milliseconds limit: Int) -> Int32 {
        // The limit itself is what SQLite hands back as context.
        let context = unsafe UnsafeMutableRawPointer(bitPattern: limit)
        return unsafe sqlite3_busy_handler(
            handle,
            { context, tries in
                let limit = Int(bitPattern: context)
                guard let pause = BusyWait.pause(after: Int(tries), limit: limit) else { return 0 }
                usleep(UInt32(pause) * 1_000)
                return 1
            }, context)
    }
}
