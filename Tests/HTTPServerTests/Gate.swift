import Foundation

/// Holds threads up until it is opened.
final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false
    private var holding = 0
    private var most = 0

    /// How many threads are held up.
    var count: Int { locked { holding } }

    /// The most threads that were held up at one time.
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

    /// Waits until so many threads are held up.
    func waitForCount(_ count: Int) {
        locked {
            let end = Date(timeIntervalSinceNow: 20)
            while holding < count, condition.wait(until: end) {}
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}

/// Lets others go on for a while, where what is waited for cannot tell when it is there.
func pause(milliseconds: UInt32) {
    usleep(milliseconds * 1_000)
}

/// Waits until something holds; false if it does not for so long that it never will.
func until(_ holds: () -> Bool) -> Bool {
    for _ in 0..<20_000 {
        if holds() { return true }
        pause(milliseconds: 1)
    }
    return false
}
