import Foundation
import Platform
import Synchronization

/// Blocks threads until it is opened.
final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false
    private var holding = 0
    private var most = 0

    /// The number of blocked threads.
    var count: Int { locked { holding } }

    /// The largest number of threads blocked at one time.
    var maximum: Int { locked { most } }

    func open() {
        locked {
            isOpen = true
            condition.broadcast()
        }
    }

    func pass() {
        locked {
            holding += 1
            most = max(most, holding)
            condition.broadcast()
            while !isOpen { condition.wait() }
            holding -= 1
        }
    }

    /// Waits until this many threads are blocked.
    func waitForCount(_ count: Int) {
        locked {
            let end = Date(timeIntervalSinceNow: 120)
            while holding < count, condition.wait(until: end) {}
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}

/// Sleeps, where an event cannot be waited for.
func pause(milliseconds: UInt32) {
    usleep(milliseconds * 1_000)
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Mutex(MonotonicTime.now)

    var now: MonotonicTime { time.withLock { $0 } }

    func pass(_ duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}

/// A thread for blocking calls, which must not block a task's thread.
final class TestThread: @unchecked Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [ended] in
            body()
            ended.signal()
        }
    }

    /// Waits for its end.
    func join() {
        ended.wait()
    }
}
