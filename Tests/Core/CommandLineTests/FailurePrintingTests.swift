@testable import CommandLine
import SecretMemory
import Testing
import Platform
import TextCoding

@Suite struct FailurePrintingTests {
    private static let option = OptionDescription("key-file", .file("FILE"), "the key")

    private func printed(_ failure: Failure, asJSON json: Bool) throws -> String {
        String(
            decoding: try failure.print(of: "taskvault", asJSON: json, to: CollectedOutput()).all,
            as: UTF8.self)
    }

    @Test func aFailureIsTwoLines() throws {
        let failure = Failure(
            .notFound, "there is no vault", hint: "taskvault init")
        #expect(
            try printed(failure, asJSON: false) == """
                taskvault: error: there is no vault
                taskvault: hint: taskvault init

                """)
        #expect(
            try printed(failure, asJSON: true) == """
                {"code":"not_found","message":"there is no vault","hint":"taskvault init"}

                """)
    }

    @Test func withoutHintTheJSONHasNull() throws {
        let failure = Failure(.refused, code: "too_large", "the value is too large")
        #expect(
            try printed(failure, asJSON: true)
                == "{\"code\":\"too_large\",\"message\":\"the value is too large\",\"hint\":null}\n"
        )
        #expect(
            try printed(failure, asJSON: false) == "taskvault: error: the value is too large\n")
    }

    @Test func hostileTextInAFailureIsVisible() throws {
        let failure = Failure(.usage, "unknown command 'a\n\u{1B}[2J'")
        #expect(
            try printed(failure, asJSON: false)
                == "taskvault: error: unknown command 'a\\u{A}\\u{1B}[2J'\n")
    }

    @Test func aBrokenPipeIsQuiet() throws {
        let failure = Failure(unexplained: SystemFailure("write", code: 32))
        #expect(try printed(failure, asJSON: false) == "")
        #expect(try printed(failure, asJSON: true) == "")
        #expect(failure.exitCode == .failure)
    }

    @Test(
        arguments: [
            (.interrupted(signal: 2), .interrupted, "interrupted"),
            (
                .noTerminal, .usage,
                "cannot ask for the passphrase: standard input is not a terminal"
            ),
            (.endOfInput, .usage, "unexpected end of input: the passphrase is missing"),
            (.tooLong(maximum: 7), .refused, "the passphrase is larger than 7 bytes"),
            (
                .failed(SystemFailure("open", code: 2)), .usage,
                "cannot read the passphrase: no such file or directory"
            ),
            (
                .failed(SystemFailure("read", code: 5)), .failure,
                "cannot read the passphrase: input/output error"
            ),
        ] as [(InputError, ExitCode, String)])
    func inputErrorsAreExplained(error: InputError, exitCode: ExitCode, message: String) {
        let failure = Failure(error, reading: "the passphrase", insteadOf: Self.option)
        #expect(failure.exitCode == exitCode)
        #expect(failure.message == message)
        let isAdvised = failure.hint?.hasSuffix("or give --key-file FILE") == true
        #expect(isAdvised == (error == .noTerminal))
    }
}
