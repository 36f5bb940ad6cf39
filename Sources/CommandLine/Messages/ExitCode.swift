/// How a program ends, for scripts: the number is a promise. A number means the same in every program; programs add their own.
package struct ExitCode: Sendable, Hashable {
    /// The number.
    package let rawValue: Int32
    /// The `code` of JSON errors, unless a failure has a more exact one.
    package let name: String

    /// Makes a code.
    package init(_ rawValue: Int32, _ name: String) {
        self.rawValue = rawValue
        self.name = name
    }

    /// Done.
    package static let done = ExitCode(0, "done")
    /// Something unexpected failed.
    package static let failure = ExitCode(1, "failure")
    /// The command line is wrong.
    package static let usage = ExitCode(2, "usage")
    /// There is no such thing.
    package static let notFound = ExitCode(5, "not_found")
    /// There is one already.
    package static let alreadyExists = ExitCode(6, "already_exists")
    /// Refused: against a rule.
    package static let refused = ExitCode(8, "refused")
    /// A server that is needed cannot be reached.
    package static let serverUnreachable = ExitCode(9, "server_unreachable")
    /// Ended by Ctrl-C or another signal.
    package static let interrupted = ExitCode(130, "interrupted")

    /// The codes with which every command can end.
    package static let ofEveryCommand: [ExitCode] = [.done, .failure, .usage, .interrupted]
}

/// What an exit code means in a program.
package struct ExitCodeDescription: Sendable, Hashable {
    /// The code.
    package let code: ExitCode
    /// What it means, beginning in lower case and without full stop.
    package let meaning: String

    /// Describes a code.
    package init(_ code: ExitCode, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}
