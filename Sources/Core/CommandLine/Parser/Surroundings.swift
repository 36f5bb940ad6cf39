internal import Platform

/// The environment of a command: environment variables, input and output, and the terminal.
///
/// A value, so that a test can provide its own.
package struct Surroundings: Sendable {
    /// The environment variables.
    package var environment: EnvironmentVariables
    /// The source of piped values, and of passphrases for the file `-`.
    package var standardInput: SecretInput
    /// The descriptor of results.
    package var output: Int32
    /// The descriptor of errors and warnings, and of a server's log.
    package var errors: Int32
    /// Opens the terminal for questions, or fails with `noTerminal`.
    package var openTerminal: @Sendable () throws -> TerminalPrompt

    /// The time.
    package var now: @Sendable () -> PointInTime

    /// Creates surroundings.
    package init(
        environment: EnvironmentVariables, standardInput: SecretInput, output: Int32, errors: Int32,
        openTerminal: @escaping @Sendable () throws -> TerminalPrompt,
        now: @escaping @Sendable () -> PointInTime = { .now }
    ) {
        self.environment = environment
        self.standardInput = standardInput
        self.output = output
        self.errors = errors
        self.openTerminal = openTerminal
        self.now = now
    }

    /// The surroundings of this process.
    package static func ofProcess() -> Surroundings {
        Surroundings(
            environment: .ofProcess(), standardInput: .standard, output: Descriptor.standardOutput,
            errors: Descriptor.standardError,
            openTerminal: { try TerminalPrompt() })
    }
}

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
        var values: [String: String] = [:]
        guard let entries = unsafe platform_environment() else { return Self(values) }
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

/// The user's folders for the programs, by the XDG base directory specification; nil without a home folder.
package struct StandardFolders: Sendable, Hashable {
    /// The data of the programs.
    package let data: String?
    /// The state of this machine.
    package let state: String?
    /// The configuration of the user.
    package let configuration: String?

    /// Finds the folders by `XDG_DATA_HOME`, `XDG_STATE_HOME`, `XDG_CONFIG_HOME` and `HOME`.
    package init(_ environment: EnvironmentVariables) {
        let person = Self.absolute(environment["HOME"]) ?? Self.homeOfUser()
        data = Self.absolute(environment["XDG_DATA_HOME"]) ?? person.map { $0 + "/.local/share" }
        state = Self.absolute(environment["XDG_STATE_HOME"]) ?? person.map { $0 + "/.local/state" }
        configuration =
            Self.absolute(environment["XDG_CONFIG_HOME"]) ?? person.map { $0 + "/.config" }
    }

    /// An absolute path; the XDG specification requires that others are ignored.
    package static func absolute(_ path: String?) -> String? {
        path?.utf8.first == UInt8(ascii: "/") ? path : nil
    }

    /// The corresponding C function is `getpwuid`.
    private static func homeOfUser() -> String? {
        guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else {
            return nil
        }
        return absolute(unsafe String(validatingCString: home))
    }
}
