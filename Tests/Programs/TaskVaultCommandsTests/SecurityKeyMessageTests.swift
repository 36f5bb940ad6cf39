import Application
import CommandLine
import Platform
import Platform
import SecretMemory
import SecurityKeys
@testable import TaskVaultCommands
import Testing
import TextCoding

/// Each way in which a security key can fail has a message of its own, with what to do.
@Suite struct SecurityKeyMessageTests {
    private static let errors: [SecurityKeyError] = [
        .libraryMissing, .notPluggedIn, .notPermitted, .busy, .removed, .noTouch, .denied,
        .unknownKey, .alreadyEnrolled, .noHMACSecret, .noCredentialProtection, .noUserVerification,
        .pinNotSet, .pinMustChange, .pinWrong(attemptsLeft: 2), .pinTemporarilyBlocked, .pinBlocked,
        .notRecognised, .readerBlocked, .full, .untrusted, .failed(code: 127),
    ]

    private func failure(_ error: SecurityKeyError) throws -> Failure {
        let parsed = try CommandParser(.taskvault).parse(["unlock", "--key", "--home", "/none"])
        guard case .run(let invocation) = parsed else { throw HarnessFailure("parse", code: 0) }
        let context = try CommandContext(
            invocation,
            Surroundings(
                environment: EnvironmentVariables([:]), standardInput: .standard, output: 1,
                errors: 2, openTerminal: { throw InputError.noTerminal }))
        return context.errors.failure(error)
    }

    @Test func eachIsItsOwn() throws {
        let failures = try Self.errors.map { try failure($0) }
        #expect(Set(failures.map(\.message)).count == Self.errors.count)
        #expect(Set(failures.map(\.code)).count == Self.errors.count)
        for failure in failures {
            #expect(failure.hint != nil, "\(failure.message)")
            #expect(failure.message.first?.isLowercase == true)
            #expect(failure.message.last != ".")
            #expect(
                UnlockCommand.description.allExitCodes.contains(failure.exitCode)
                    || AddKeyCommand.description.allExitCodes.contains(failure.exitCode))
        }
    }

    @Test func whatIsWrongIsFour() throws {
        for error in [.unknownKey, .pinWrong(attemptsLeft: nil), .notRecognised]
            as [SecurityKeyError]
        {
            #expect(try failure(error).exitCode == .wrongPassphrase)
        }
        #expect(try failure(.pinWrong(attemptsLeft: 1)).message == "wrong PIN; 1 attempt left")
        #expect(try failure(.pinWrong(attemptsLeft: nil)).message == "wrong PIN")
        #expect(
            try failure(.alreadyEnrolled).hint == "taskvault key list --home /none shows the keys")
    }
}
