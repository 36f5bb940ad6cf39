/// The exit code of a program, a stable interface for scripts. A number has the same meaning in every program.
package struct ExitCode: Sendable, Hashable {
    /// The number.
    package let rawValue: Int32
    /// The `code` of JSON errors, unless a failure has a more exact one.
    package let name: String

    /// Creates a code.
    package init(_ rawValue: Int32, _ name: String) {
        self.rawValue = rawValue
        self.name = name
    }

    /// Success.
    package static let done = ExitCode(0, "done")
    /// An unexpected failure.
    package static let failure = ExitCode(1, "failure")
    /// A usage error.
    package static let usage = ExitCode(2, "usage")
    /// The vault is locked.
    package static let locked = ExitCode(3, "locked")
    /// The passphrase or recovery code is wrong.
    package static let wrongPassphrase = ExitCode(4, "wrong_passphrase")
    /// The requested object does not exist.
    package static let notFound = ExitCode(5, "not_found")
    /// The object exists already.
    package static let alreadyExists = ExitCode(6, "already_exists")
    /// Damaged, tampered with, rolled back, or of a foreign, earlier or newer format.
    package static let damaged = ExitCode(7, "damaged")
    /// Refused by a rule.
    package static let refused = ExitCode(8, "refused")
    /// A required server is unreachable.
    package static let serverUnreachable = ExitCode(9, "server_unreachable")
    /// The auth server rejected the credentials.
    package static let serverRejected = ExitCode(10, "server_rejected")
    /// A program cannot be run; the code is that of shells.
    package static let cannotRun = ExitCode(126, "cannot_run")
    /// A program does not exist; the code is that of shells.
    package static let noProgram = ExitCode(127, "no_program")
    /// Ended by Ctrl-C or another signal.
    package static let interrupted = ExitCode(130, "interrupted")

    /// The codes of every command.
    package static let ofEveryCommand: [ExitCode] = [.done, .failure, .usage, .interrupted]

    private static let all: [ExitCode] = [
        .done, .failure, .usage, .locked, .wrongPassphrase, .notFound, .alreadyExists, .damaged,
        .refused, .serverUnreachable, .serverRejected, .cannotRun, .noProgram, .interrupted,
    ]

    /// The code of a number; nil for a number that no program of TaskVault ends with.
    package init?(known number: Int32) {
        guard let code = Self.all.first(where: { $0.rawValue == number }) else { return nil }
        self = code
    }
}
