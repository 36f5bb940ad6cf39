internal import Synchronization

/// One connection, from its acceptance until its descriptor is closed.
final class ClientConnection: Sendable {
    let descriptor: Int32
    let address: ClientAddress
    /// The number of the daemon that serves it.
    let daemon: Int
    private let due: Atomic<Int64>
    private let current = Atomic<UInt8>(Phase.idle.rawValue)
    private let served = Atomic<Bool>(false)

    /// What it is doing.
    enum Phase: UInt8, Comparable {
        /// There is no request.
        case idle
        /// The first line of a request was read, but not all of it.
        case reading
        /// The request waits for a worker, or a worker for its answer.
        case waiting
        /// The answer is sent.
        case answering

        static func < (left: Phase, right: Phase) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    init(descriptor: Int32, address: ClientAddress, daemon: Int, end: MonotonicTime) {
        self.daemon = daemon
        self.descriptor = descriptor
        self.address = address
        due = Atomic(end.nanoseconds)
    }

    /// When it is cut off.
    var end: MonotonicTime { MonotonicTime(nanoseconds: due.load(ordering: .relaxed)) }

    /// What it is doing.
    var phase: Phase { Phase(rawValue: current.load(ordering: .acquiring)) ?? .idle }

    /// Whether it had a request before.
    var hadRequest: Bool { served.load(ordering: .relaxed) }

    /// It does something else from now on, and has time for that until `end`.
    func turn(to phase: Phase, until end: MonotonicTime) {
        due.store(end.nanoseconds, ordering: .relaxed)
        if phase == .reading { served.store(true, ordering: .relaxed) }
        current.store(phase.rawValue, ordering: .releasing)
    }

    /// It was cut off, and is closed soon.
    func forgetEnd() {
        due.store(MonotonicTime.never.nanoseconds, ordering: .relaxed)
    }
}
