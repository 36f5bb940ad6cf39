/// The environment variables as a value, so that a test can provide its own.
package struct EnvironmentVariables: Sendable, Hashable {
    private var values: [String: String]

    /// Creates an environment.
    package init(_ values: [String: String]) {
        self.values = values
    }

    /// The environment of this process, without variables that are not UTF-8.
    ///
    /// The corresponding C variable is `environ`.
    package static func ofProcess() -> EnvironmentVariables {
        guard let entries = unsafe platform_environment() else { return Self([:]) }
        var count = 0
        while unsafe entries[count] != nil { count += 1 }
        // Each start reads the environment, and growing step by step costs it a tenth of a millisecond.
        var values = [String: String](minimumCapacity: count)
        var index = 0
        while let entry = unsafe entries[index] {
            index += 1
            guard let text = unsafe String(validatingCString: entry),
                let separator = text.utf8.firstIndex(of: UInt8(ascii: "="))
            else { continue }
            let name = String(text[..<separator])
            // The first of two variables with one name counts, as in getenv.
            if values[name] != nil { continue }
            values[name] = String(text[text.utf8.index(after: separator)...])
        }
        return Self(values)
    }

    /// The value of a variable; nil if it is unset or empty, which the XDG specification treats alike.
    package subscript(_ name: String) -> String? {
        get { values[name].flatMap { $0.isEmpty ? nil : $0 } }
        set { values[name] = newValue }
    }

    /// The names with a prefix, in ascending order.
    package func names(beginningWith prefix: String) -> [String] {
        values.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// All variables as `NAME=value`, in ascending order, for a child process.
    package var entries: [String] {
        values.map { "\($0.key)=\($0.value)" }.sorted()
    }
}
