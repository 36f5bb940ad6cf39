internal import Synchronization

/// One connection, from its acceptance until its descriptor is closed.
final class ClientConnection: Sendable {
    let descriptor: Int32
    let address: ClientAddress
    /// The number of the daemon that serves it.
    let daemon: Int
    private let due: Atomic<Int64>
    private let serving = Atomic<Bool>(false)
    private let served = Atomic<Bool>(false)

    init(descriptor: Int32, address: ClientAddress, daemon: Int, end: MonotonicTime) {
        self.daemon = daemon
        self.descriptor = descriptor
        self.address = address
        due = Atomic(end.nanoseconds)
    }

    /// When it is cut off.
    var end: MonotonicTime { MonotonicTime(nanoseconds: due.load(ordering: .relaxed)) }

    /// Changes that.
    func end(at time: MonotonicTime) {
        due.store(time.nanoseconds, ordering: .relaxed)
    }

    /// Whether there is a request whose answer is not complete.
    var isServing: Bool { serving.load(ordering: .acquiring) }

    /// Whether it had a request before.
    var hadRequest: Bool { served.load(ordering: .relaxed) }

    /// The first line of a request arrived.
    func beginRequest() {
        serving.store(true, ordering: .releasing)
        served.store(true, ordering: .relaxed)
    }

    /// The answer is complete.
    func endRequest() {
        serving.store(false, ordering: .releasing)
    }
}
