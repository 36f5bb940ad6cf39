package import TextCoding

/// The meaning of an exit code in a program.
package struct ExitCodeDescription: Sendable, Hashable {
    /// The code.
    package let code: ExitCode
    /// The meaning, in lower case and without a full stop.
    package let meaning: String

    /// Describes a code.
    package init(_ code: ExitCode, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}
