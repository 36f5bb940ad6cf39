internal import Synchronization

/// One call at a time. Not recursive: a call from inside another on the same thread never returns, or ends the process.
///
/// `Mutex` alone wants results that can be sent anywhere. Those of a caller's function stay on the thread that made them.
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
