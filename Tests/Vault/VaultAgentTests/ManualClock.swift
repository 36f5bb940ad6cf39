import Foundation
import Testing
import VaultAgent

/// A clock that goes when the test says so.
final class ManualClock: SessionClock, @unchecked Sendable {
    private let moved = NSCondition()
    private var time = Duration.seconds(1_000)
    private var alarms: [Duration] = []

    var now: Duration { moved.withLock { time } }

    /// The remaining time of each thread that sleeps now.
    var sleepers: [Duration] { moved.withLock { alarms.map { $0 - time } } }

    func advance(by step: Duration) {
        moved.withLock {
            time += step
            moved.broadcast()
        }
    }

    func sleep(until alarm: Duration) {
        moved.withLock {
            guard time < alarm else { return }
            alarms.append(alarm)
            while time < alarm { moved.wait() }
            if let place = alarms.firstIndex(of: alarm) { alarms.remove(at: place) }
        }
    }
}

/// Runs `body` in a thread of its own.
final class Worker<Result: Sendable>: @unchecked Sendable {
    private let done = NSCondition()
    private var result: Swift.Result<Result, any Error>?

    init(_ body: @escaping @Sendable () throws -> Result) {
        Thread.detachNewThread { [self] in
            let result = Swift.Result(catching: body)
            done.withLock {
                self.result = result
                done.broadcast()
            }
        }
    }

    var isDone: Bool { done.withLock { result != nil } }

    /// Its result or error.
    func get() throws -> Result {
        try done.withLock {
            while result == nil { done.wait() }
            return try #require(result).get()
        }
    }
}
