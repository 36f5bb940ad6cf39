/// A table in memory whose changes can be taken back: it keeps what it held before for as long as they are not committed.
struct JournaledTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What it holds, uncommitted changes included.
    private(set) var values: [Key: Value] = [:]
    private var before: [Key: Value?] = [:]

    subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            if before.index(forKey: key) == nil { before.updateValue(values[key], forKey: key) }
            values[key] = newValue
        }
    }

    /// What it holds, with `initial` where there is nothing yet.
    subscript(key: Key, default initial: Value) -> Value {
        get { self[key] ?? initial }
        set { self[key] = newValue }
    }

    /// Keeps the changes.
    mutating func commit() {
        before = [:]
    }

    /// Takes the changes back.
    mutating func rollBack() {
        for (key, value) in before { values[key] = value }
        before = [:]
    }
}
