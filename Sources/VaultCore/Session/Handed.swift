/// A result passed out of a lock to its single receiver; `Mutex` requires an explicit transfer.
package struct Handed<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let value: Value

    /// Wraps a result.
    package init(_ value: consuming Value) {
        self.value = value
    }

    /// Unwraps the result.
    package consuming func take() -> Value { value }
}
