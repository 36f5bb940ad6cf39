internal import Platform

/// When rounds begin by themselves: soon after a change here or at the remote, and never two at a time. Knows no clock and no process.
struct SyncSchedule {
    /// The kind of a round.
    enum Kind: Hashable {
        /// Asks the remote only if something changed here.
        case sending
        case whole
    }

    /// The delay after a change here: one command may write several times.
    private static let delay: Duration = .milliseconds(50)
    /// The delay of a second look. A commit becomes visible only after its sync, and a sync is no file change.
    private static let secondDelay: Duration = .seconds(2)
    /// The time between two rounds, at least.
    private static let spacing: Duration = .milliseconds(250)
    /// The pauses after failures, the first and the longest.
    private static let pauses: (Duration, Duration) = (.seconds(5), .seconds(60))

    private(set) var isRunning = false
    private var sending: MonotonicTime = .never
    private var second: MonotonicTime = .never
    private var whole: MonotonicTime
    private var kind = Kind.whole
    private var ended: MonotonicTime
    private var earliest: MonotonicTime
    private var pause: Duration = .zero

    /// Begins with a whole round.
    init(at now: MonotonicTime) {
        (whole, ended, earliest) = (now, now, now)
    }

    /// When the next round begins; never while one runs.
    var next: MonotonicTime {
        isRunning ? .never : max(earliest, min(sending, second, whole))
    }

    /// Notes a change of vault or list. During a round it is most likely the round's own; if not, the second look finds it.
    mutating func noteChangeHere(at now: MonotonicTime) {
        if !isRunning { sending = min(sending, now + Self.delay) }
        second = now + Self.secondDelay
    }

    /// Notes a change at the remote, that it can be reached again, or that more can be applied here. This shortens a pause.
    mutating func noteChangeThere(at now: MonotonicTime) {
        whole = min(whole, now)
        earliest = min(earliest, ended + (pause == .zero ? Self.spacing : Self.pauses.0))
    }

    /// Notes that a round has begun.
    ///
    /// - Returns: Its kind.
    mutating func begin(at now: MonotonicTime) -> Kind {
        isRunning = true
        kind = whole <= now ? .whole : .sending
        if kind == .whole { whole = .never }
        sending = .never
        if second <= now { second = .never }
        return kind
    }

    /// Notes the end of a round. One that failed is repeated.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isDone: Whether it was successful.
    ///   - interval: The time from one whole round to the next without any change, for what no watch reports, such as the other end of a
    ///     network drive.
    mutating func end(at now: MonotonicTime, isDone: Bool, interval: Duration) {
        isRunning = false
        ended = now
        pause = isDone ? .zero : min(max(pause * 2, Self.pauses.0), Self.pauses.1)
        earliest = now + (isDone ? Self.spacing : pause)
        if !isDone {
            whole = min(whole, earliest)
        } else if kind == .whole {
            whole = min(whole, now + interval)
        }
    }
}
