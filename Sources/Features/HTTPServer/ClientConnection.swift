internal import Platform
internal import Synchronization

/// One connection, from its acceptance until its descriptor is closed.
final class ClientConnection: Sendable {
    let descriptor: Int32
    let address: ClientAddress
    /// The number of the daemon that serves the connection.
    let daemon: Int
    /// Whether the connection uses a place reserved for the options' reserved path.
    let isReserve: Bool
    /// Whether the peer is a trusted proxy.
    let isProxy: Bool
    private let due: Atomic<Int64>
    private let completed: Atomic<Int64>
    private let current = Atomic<UInt8>(Phase.idle.rawValue)
    private let served = Atomic<Bool>(false)

    /// The phase of a connection.
    enum Phase: UInt8, Comparable {
        /// The connection has no request.
        case idle
        /// A request is being read.
        case reading
        /// The request waits for another thread's response.
        case waiting
        /// The response is being sent.
        case answering

        static func < (left: Phase, right: Phase) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    init(
        descriptor: Int32, address: ClientAddress, daemon: Int, isReserve: Bool = false,
        isProxy: Bool = false, end: MonotonicTime
    ) {
        self.daemon = daemon
        self.descriptor = descriptor
        self.address = address
        self.isReserve = isReserve
        self.isProxy = isProxy
        due = Atomic(end.nanoseconds)
        completed = Atomic(MonotonicTime.now.nanoseconds)
    }

    /// The time at which the connection is closed.
    var end: MonotonicTime { MonotonicTime(nanoseconds: due.load(ordering: .relaxed)) }

    /// The time at which the last request was complete; before that, the time of acceptance.
    var lastCompletion: MonotonicTime {
        MonotonicTime(nanoseconds: completed.load(ordering: .relaxed))
    }

    /// The current phase.
    var phase: Phase { Phase(rawValue: current.load(ordering: .acquiring)) ?? .idle }

    /// Whether the connection has had a request.
    var hadRequest: Bool { served.load(ordering: .relaxed) }

    /// Enters a phase with a new deadline.
    func enter(_ phase: Phase, until end: MonotonicTime) {
        due.store(end.nanoseconds, ordering: .relaxed)
        switch phase {
        case .reading: served.store(true, ordering: .relaxed)
        case .waiting, .answering:
            completed.store(MonotonicTime.now.nanoseconds, ordering: .relaxed)
        case .idle: break
        }
        current.store(phase.rawValue, ordering: .releasing)
    }

    /// Removes the deadline. Called after the connection was shut down.
    func clearDeadline() {
        due.store(MonotonicTime.never.nanoseconds, ordering: .relaxed)
    }
}
