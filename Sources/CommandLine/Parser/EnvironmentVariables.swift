internal import Platform

/// The environment of the process as a value, so that a test can hand in its own.
package struct EnvironmentVariables: Sendable, Hashable {
    private var values: [String: String]

    /// Makes an environment.
    package init(_ values: [String: String]) {
        self.values = values
    }

    /// The environment of this process. Variables that are not UTF-8 are left out.
    ///
    /// The corresponding C variable is `environ`.
    package static func ofProcess() -> EnvironmentVariables {
        var values: [String: String] = [:]
        guard let entries = unsafe platform_environment() else { return Self(values) }
        var index = 0
        while let entry = unsafe entries[index] {
            index += 1
            guard let text = unsafe String(validatingCString: entry),
                let separator = text.utf8.firstIndex(of: UInt8(ascii: "="))
            else { continue }
            let name = String(text[..<separator])
            // Of two variables of one name the first counts, as for getenv.
            if values[name] != nil { continue }
            values[name] = String(text[text.utf8.index(after: separator)...])
        }
        return Self(values)
    }

    /// The value of a variable; nil if it is not set or empty, which by the XDG specification and by custom is the same.
    package subscript(_ name: String) -> String? {
        get { values[name].flatMap { $0.isEmpty ? nil : $0 } }
        set { values[name] = newValue }
    }

    /// The names that begin with some text, in ascending order.
    package func names(beginningWith prefix: String) -> [String] {
        values.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// All variables as `NAME=value`, in ascending order, for a child process.
    package var entries: [String] {
        values.map { "\($0.key)=\($0.value)" }.sorted()
    }
}
