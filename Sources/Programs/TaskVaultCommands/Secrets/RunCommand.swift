internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding

/// `run`: runs a program with secrets.
enum RunCommand: Command {
    private static let program = OperandDescription(
        "COMMAND", "the program and its arguments", count: 1...65_536)
    private static let descriptor = OptionDescription(
        "fd", .text("NAME=REF"), "set the variable NAME to a path from which the value is read",
        isRepeated: true)
    private static let variable = OptionDescription(
        "env", .text("NAME=REF"),
        "set the variable NAME to the value; other programs of the same user can read it",
        isRepeated: true)
    private static let variables = OptionDescription(
        "env-file", .file("FILE"), "set the variables of a file of lines NAME=VALUE",
        isRepeated: true)
    /// The maximum size of a variable with its name, in bytes: the kernel's `MAX_ARG_STRLEN`, less the final zero byte.
    private static let variableLimit = 131_071

    static let description = CommandDescription(
        path: ["run"],
        summary: "run a program with secrets",
        operands: [program],
        options: [descriptor, variable, variables],
        notes: [
            """
            REF is SERVICE/ACCOUNT or SERVICE/ACCOUNT/FIELD, with %2F for a slash in a name; taskvault:// may precede it. Write -- before \
            COMMAND. All values are read first: if one is missing, COMMAND does not start.
            """,
            """
            With --fd, NAME is a path such as /dev/fd/3 of a file in memory that only you can read and that cannot be changed. Programs that \
            close inherited files, such as ssh and sudo, cannot read it. With --env, the value has at most 128 KiB and no NUL byte.
            """,
            """
            A VALUE of an env file that begins with taskvault:// is a reference; others are set as they are. Lines may begin with export. \
            VALUE may be in single quotes, or in double quotes with \\n, \\r, \\t, \\", \\$ and \\\\; variables in it are not expanded. A # \
            at the beginning of a line or after a blank begins a comment. --fd and --env go before files, and a later file before an earlier one.
            """,
            """
            COMMAND takes the place of taskvault: signals reach it, and the exit code is that of COMMAND. It cannot write core dumps.
            """,
        ],
        examples: [
            .init(
                "taskvault run --fd PGPASSFILE=db.example/pgpass -- psql -h db.example",
                "a file that psql reads"),
            .init("taskvault run --env TOKEN=ci.example/bot -- deploy", "a variable"),
            .init("taskvault run --env-file .env -- npm start", "several variables"),
        ],
        exitCodes: .opening + [.cannotRun, .noProgram],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        guard [descriptor, variable, variables].contains(where: invocation.has) else {
            throw Failure.usage(
                "no reference to a secret",
                hint: "give --fd NAME=REF, --env NAME=REF or --env-file FILE")
        }
        var wanted = Assignments()
        for text in invocation.texts(of: descriptor) {
            try wanted.add(text, isFile: true, "option '\(descriptor.spelling)'")
        }
        for text in invocation.texts(of: variable) {
            try wanted.add(text, isFile: false, "option '\(variable.spelling)'")
        }
        // The last file counts, so it is added first.
        for path in invocation.texts(of: variables).reversed() {
            try wanted.add(EnvironmentFile(path, context.console))
        }
        let values = try context.values(of: wanted.all.compactMap(\.content.name))
        context.finish()
        try become(invocation.texts(of: program), wanted.all, values)
    }

    /// Replaces this process by the program.
    private static func become(
        _ words: [String], _ assignments: [Assignments.One], _ values: [SecretName: HeldSecret]
    ) throws -> Never {
        var files: [HeldFile] = []
        var entries: [HeldSecret] = []
        func value(_ name: SecretName) throws -> HeldSecret {
            guard let value = values[name] else { throw SecureStoreError.notFound }
            return value
        }
        for assignment in assignments {
            switch assignment.content {
            case .file(let name):
                let file = HeldFile(try value(name).value.withBytes { try SealedFile($0) })
                files.append(file)
                entries.append(try entry(assignment.variable, text: file.file.path))
            case .secret(let name):
                entries.append(try entry(assignment.variable, value(name).value))
            case .text(let text):
                entries.append(try entry(assignment.variable, text: text))
            }
        }
        var pointers: [UnsafeMutablePointer<CChar>] = unsafe []
        for entry in entries {
            // The memory stays valid until the program replaces this process. The call does not change it.
            entry.value.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { buffer in
                    if let start = buffer.baseAddress {
                        unsafe pointers.append(
                            UnsafeMutablePointer(
                                mutating: start.assumingMemoryBound(to: CChar.self)))
                    }
                }
            }
        }
        ProcessHardening.restoreFileMode()
        Descriptor.restoreWriteSignals()
        let failure = unsafe Executable.become(words, assignments.map(\.variable), pointers)
        // The files and entries must live until this point.
        withExtendedLifetime((files, entries)) {}
        throw self.failure(of: words.first ?? "", failure)
    }

    /// Explains why a program could not be started.
    private static func failure(of word: String, _ failure: SystemFailure) -> Failure {
        let name = ShellText.quote(word)
        if failure.isMissingFile {
            if let found = Executable.missingInterpreter(of: word) {
                return Failure(
                    .cannotRun, code: "no_interpreter",
                    "cannot run \(name): its interpreter \(ShellText.quote(found.interpreter)) does not exist",
                    hint: "\(found.program) names it: install it, or correct the name")
            }
            return Failure(
                .noProgram, "there is no command \(name)", hint: "check its name, and PATH")
        }
        return Failure(
            .cannotRun, "cannot run \(name): \(failure.explanation)",
            hint: failure.code == E2BIG
                ? "arguments and variables together are too large: give large values with --fd"
                : nil)
    }

    /// An entry of `NAME=text` and a zero byte.
    private static func entry(_ variable: String, text: String) throws -> HeldSecret {
        try entry(
            variable, try unsafe SecretBytes(copying: text.utf8Span.span.bytes))
    }

    private static func entry(
        _ variable: String, _ value: borrowing SecretBytes
    ) throws -> HeldSecret {
        guard !value.withBytes({ $0.contains(0) }) else {
            throw Failure(
                .refused, code: "has_nul", "the value of \(variable) contains a NUL byte",
                hint: "give it with --fd instead of --env")
        }
        let name = variable + "="
        let size = name.utf8.count
        guard size + value.count <= variableLimit else {
            throw Failure(
                .refused, code: "too_large",
                "the value of \(variable) is too large for a variable: \(value.count) bytes, at most \(variableLimit - size)",
                hint: "give it with --fd instead of --env")
        }
        // New memory is zero, so the entry ends with a zero byte.
        var entry = try SecretBytes(count: size + value.count + 1)
        entry.withMutableBytes { entry in
            unsafe entry.copy(name.utf8Span.span.bytes)
            value.withBytes { entry.copy($0, at: size) }
        }
        return HeldSecret(entry)
    }
}

/// Holds a sealed file, so that an array can contain it.
private final class HeldFile {
    let file: SealedFile

    init(_ file: consuming SealedFile) { self.file = file }
}

/// The environment variables for a program. The first of several with one name counts.
private struct Assignments {
    /// The content of a variable.
    enum Content {
        /// The path of a file with the value of a secret.
        case file(SecretName)
        /// The value of a secret.
        case secret(SecretName)
        /// A text that is no secret of the vault.
        case text(String)

        /// The secret; nil for a text.
        var name: SecretName? {
            switch self {
            case .file(let name), .secret(let name): name
            case .text: nil
            }
        }
    }

    /// A variable and its content.
    struct One {
        let variable: String
        let content: Content
    }

    private(set) var all: [One] = []

    /// Adds the assignment `NAME=REF` of an option.
    ///
    /// - Parameters:
    ///   - text: The text. Messages do not repeat it, because it may be a secret.
    ///   - isFile: Whether the variable is the path of a file with the value.
    ///   - place: The place of the text, for messages.
    /// - Throws: A failure that names the place.
    mutating func add(_ text: String, isFile: Bool, _ place: String) throws {
        // The text is split by bytes, because Swift does not match `=` with a combining accent.
        let parts = text.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        guard parts.count == 2, EnvironmentFile.isName(parts[0]) else {
            throw Failure.usage(
                "\(place) is not NAME=REF", hint: "such as TOKEN=taskvault://ci.example/bot")
        }
        let name = try Self.name(parts[1], place)
        guard !contains(parts[0]) else {
            throw Failure.usage("variable \(parts[0]) is given twice", hint: "give it once")
        }
        all.append(One(variable: parts[0], content: isFile ? .file(name) : .secret(name)))
    }

    /// Adds the variables of a file, except those that are there already.
    mutating func add(_ file: EnvironmentFile) throws {
        for variable in file.variables {
            let isReference = variable.value.utf8.starts(with: SecretReference.scheme.utf8)
            let content: Content =
                isReference
                ? .secret(try Self.name(variable.value, variable.place)) : .text(variable.value)
            if !contains(variable.name) {
                all.append(One(variable: variable.name, content: content))
            }
        }
    }

    private func contains(_ variable: String) -> Bool {
        all.contains { $0.variable == variable }
    }

    private static func name(_ reference: String, _ place: String) throws -> SecretName {
        do {
            return try SecretReference(reference).name
        } catch let error as SecretReferenceError {
            throw Failure(error, "\(place) the reference")
        }
    }
}
