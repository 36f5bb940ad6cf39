import Foundation

/// A thread of its own, because what blocks would hold up a task's.
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
