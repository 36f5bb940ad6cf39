internal import Accounts
internal import CommandLine
internal import SecretMemory

/// Where the new password of an account comes from.
enum NewAccountPassword {
    private static let subject = "the new password"

    /// Takes the first line of a file or of standard input, or asks twice on a terminal until both are the same.
    static func read(_ context: ServerContext) throws -> AccountPassword {
        let input = context.surroundings.standardInput
        let path = context.invocation.text(of: .passwordFile)
        if path == nil, input.isTerminal { return try ask(context) }
        let line: SecretBytes
        do {
            let file = try PassphraseFile(
                path: path ?? "-", standardInput: input, of: "password", warning: context.notices)
            guard let first = try file.nextLine() else { throw InputError.endOfInput }
            line = first
        } catch let error as InputError {
            throw CommandFailure(error, reading: subject, insteadOf: .passwordFile)
        }
        return try acceptable(line)
    }

    private static func ask(_ context: ServerContext) throws -> AccountPassword {
        let prompt: TerminalPrompt
        do {
            prompt = try context.surroundings.openTerminal()
        } catch let error as InputError {
            throw CommandFailure(error, reading: subject, insteadOf: .passwordFile)
        }
        return try acceptable(
            NewSecret.ask(
                prompt, ("New password", "Repeat the password"), (subject, "passwords"),
                insteadOf: .passwordFile, program: CommandTable.server.program
            ) { typed in _ = try acceptable(typed) })
    }

    private static func acceptable(
        _ typed: borrowing SecretBytes
    ) throws -> AccountPassword {
        let sizes = AccountPassword.sizes
        do throws(AccountPasswordError) {
            return try AccountPassword(typed: typed)
        } catch {
            switch error {
            case .tooShort:
                throw CommandFailure(
                    .refused, code: "password_policy",
                    "the password has fewer than \(sizes.lowerBound) bytes")
            case .tooLong:
                throw CommandFailure(
                    .refused, code: "password_policy",
                    "the password has more than \(sizes.upperBound) bytes")
            case .encoding:
                throw CommandFailure(.usage, code: "not_text", "\(subject) is not valid UTF-8")
            case .outOfMemory:
                throw CommandFailure(.failure, code: "out_of_memory", "no guarded memory left")
            }
        }
    }
}
