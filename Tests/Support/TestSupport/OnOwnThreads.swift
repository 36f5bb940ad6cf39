internal import Foundation
package import Testing

/// Runs tests on threads of their own. The pool has one thread for each processor, and a test that blocks one of them delays all other
/// tests.
package struct OnOwnThreads: SuiteTrait, TestTrait, TestScoping {
    fileprivate let threads: OwnThreads
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(threads) { try await function() }
    }
}

extension Trait where Self == OnOwnThreads {
    /// For tests that wait for other processes.
    package static var waitsForProcesses: Self { Self(threads: .waiting) }

    /// For tests that wait longest, such as for the timeouts of other programs. They begin with the first tests; in the line of
    /// ``waitsForProcesses`` they would be the last, and wait alone.
    package static var waitsLong: Self { Self(threads: .long) }

    /// For tests whose body runs in a process that ends. The testing library asks the system for ended processes without a pause until
    /// such a test goes on, which takes half a processor if it stands in line with all others.
    package static var endsProcess: Self { Self(threads: .ending) }
}

private final class OwnThreads: TaskExecutor {
    /// Four times as many threads as processors: such a test waits most of its time, for clocks, terminals and other programs. More would
    /// need too much memory for concurrent key derivations.
    static let waiting = OwnThreads(4 * ProcessInfo.processInfo.activeProcessorCount)
    static let long = OwnThreads(2)
    static let ending = OwnThreads(ProcessInfo.processInfo.activeProcessorCount)
    private let queue: OperationQueue

    private init(_ count: Int) {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = count
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.addOperation { unsafe job.runSynchronously(on: executor) }
    }
}
