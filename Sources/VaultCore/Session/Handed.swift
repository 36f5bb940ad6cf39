/// A result on its way out of a lock to the one caller who waits for it; `Mutex` asks for that to be visible.
package struct Handed<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let value: Value

    /// Hands a result out.
    package init(_ value: consuming Value) {
        self.value = value
    }

    /// Takes it.
    package consuming func take() -> Value { value }
}
