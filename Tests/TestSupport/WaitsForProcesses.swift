internal import Foundation
package import Testing

/// Runs tests that wait for other processes on threads of their own. The pool has one thread for each processor, and a test that blocks
/// one of them delays all other tests.
package struct WaitsForProcesses: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == WaitsForProcesses {
    package static var waitsForProcesses: Self { Self() }
}

/// Twice as many threads as processors: keeps them busy, and limits the memory of concurrent key derivations.
private final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads()
    private let queue: OperationQueue

    private init() {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2 * ProcessInfo.processInfo.activeProcessorCount
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.addOperation { unsafe job.runSynchronously(on: executor) }
    }
}
