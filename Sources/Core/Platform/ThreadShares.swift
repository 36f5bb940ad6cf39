internal import CPlatform

/// Parts of a value, of which each thread uses its own, so that threads that run all the time do not wait for one another. Beyond 32 threads some
/// share a part. Thread-safe.
package final class ThreadShares<Value>: Sendable {
    private static var count: Int { 32 }

    private let parts: [LockedValue<Value>]

    /// Makes parts with one initial value.
    package init(_ value: @autoclosure () -> Value) {
        parts = (0..<Self.count).map { _ in LockedValue(value()) }
    }

    /// Uses the part of the calling thread.
    package func withOwn<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try parts[Int(platform_thread_number()) % Self.count].withLock(body)
    }

    /// Uses all parts, one after another.
    package func forEach(_ body: (inout Value) throws -> Void) rethrows {
        for part in parts { try part.withLock(body) }
    }
}
