internal import Synchronization

/// Serialises calls. Not recursive: a nested call on the same thread deadlocks or ends the process.
///
/// `Mutex` alone requires sendable results; the results of a caller's function stay on their own thread.
struct CallLock: ~Copyable {
    private let mutex = Mutex(())

    borrowing func withLock<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var value: Value?
        try mutex.withLock { (_: inout sending Void) throws(Failure) in value = try body() }
        guard let value else { preconditionFailure("the body returned without a value") }
        return value
    }
}
