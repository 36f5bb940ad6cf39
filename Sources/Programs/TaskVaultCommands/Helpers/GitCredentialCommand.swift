internal import Application
internal import CommandLine
internal import SecretMemory
internal import TextCoding

/// `git-credential`: git's credential helper, also under the name `git-credential-taskvault`.
enum GitCredentialCommand: Command {
    private static let operation = OperandDescription(
        "OPERATION", "get, store, erase or capability; others do nothing")

    static let description = CommandDescription(
        path: ["git-credential"],
        summary: "keep the passwords of git, which calls this",
        operands: [operation],
        notes: [
            """
            The credential is read from standard input, in the form of git-credential(1). Protocol, host and port must match, and the path if \
            git gives one. A secret for https is never given to http.
            """,
            """
            If the vault is locked, nothing is printed and git asks. Storing an equal password writes nothing. Only the \
            password that git names is erased.
            """,
        ],
        examples: [
            .init("taskvault git-credential get < request", "the password for a request of git")
        ],
        exitCodes: .opening,
        traits: [.usesAgent, .answersProgram])

    static func run(_ context: CommandContext) throws {
        let console = context.console
        let operation = context.invocation.text(of: operation)
        switch operation {
        case "capability":
            return try console.print { output in
                try output.write("version 0\ncapability authtype\ncapability state\n")
            }
        case "get", "store", "erase": break
        // Later versions of git may send other operations.
        default: return
        }
        let input = try console.readHelperInput(limit: GitMessage.limit)
        // If the setting denies access, git asks as if no credential were stored.
        guard try context.folders.isOn(.servicesGit) else { return }
        let request = try GitMessage(input)
        try context.vault.withStore(operation == "get" ? .reading : .changing) { store in
            let credentials = GitCredentials(store: store.secrets)
            try store.secrets.retryingConflicts {
                switch operation {
                case "get":
                    guard let (item, hasToken) = try credentials.answer(to: request) else { return }
                    try console.print { output in
                        try credentials.print(
                            item, withToken: hasToken, for: request, to: &output)
                    }
                case "store": try credentials.keep(request)
                default: try credentials.erase(request)
                }
            }
        }
    }
}

extension Console {
    /// Reads the input from another program, after the line of `--passphrase-file -`.
    func readHelperInput(limit: Int) throws -> SecretBytes {
        do {
            if canAsk { throw InputError.wouldShow }
            try skipPassphrase()
            return try surroundings.standardInput.readAll(limit: limit)
        } catch let error as InputError {
            throw Failure(error, reading: "the input")
        }
    }
}
