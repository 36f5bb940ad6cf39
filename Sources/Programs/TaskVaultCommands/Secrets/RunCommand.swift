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
        "env-file", .file("FILE"), "as --env, for each line NAME=REF of a file")

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
            With --fd, NAME is a path such as /dev/fd/3 of a file in memory that cannot be changed. With --env, the value has no NUL byte. An \
            env file may have empty lines and comments that begin with #; --env goes before it.
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
            .init("taskvault run --env-file .env.refs -- npm start", "several variables"),
        ],
        exitCodes: .opening + [.cannotRun, .noProgram],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        var wanted = Assignments()
        for text in invocation.texts(of: descriptor) {
            try wanted.add(text, isFile: true, "option '\(descriptor.spelling)'")
        }
        for text in invocation.texts(of: variable) {
            try wanted.add(text, isFile: false, "option '\(variable.spelling)'")
        }
        if let path = invocation.text(of: variables) { try wanted.add(file: path, context) }
        guard !wanted.all.isEmpty else {
            throw Failure.usage(
                "no reference to a secret",
                hint: "give --fd NAME=REF, --env NAME=REF or --env-file FILE")
        }
        let values = try context.values(of: wanted.all.map(\.name))
        context.finish()
        try become(invocation.texts(of: program), wanted.all, values)
    }

    /// Replaces this process by the program.
    private static func become(
        _ words: [String], _ assignments: [Assignments.One], _ values: [SecretName: HeldSecret]
    ) throws -> Never {
        var files: [HeldFile] = []
        var entries: [HeldSecret] = []
        for assignment in assignments {
            guard let value = values[assignment.name] else { throw SecureStoreError.notFound }
            if assignment.isFile {
                let file = HeldFile(try value.value.withBytes { try SealedFile($0) })
                files.append(file)
                entries.append(try entry(assignment.variable, text: file.file.path))
            } else {
                entries.append(try entry(assignment.variable, value.value))
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
        let name = ShellText.quote(words.first ?? "")
        if failure.isMissingFile {
            throw Failure(
                .noProgram, "there is no command \(name)", hint: "check its name, and PATH")
        }
        throw Failure(.cannotRun, "cannot run \(name): \(failure.explanation)")
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

/// The environment variables for a program.
private struct Assignments {
    /// A variable and its secret.
    struct One {
        let variable: String
        let name: SecretName
        /// Whether the variable is the path of a file with the value.
        let isFile: Bool
    }

    /// The maximum size of an env file, in bytes.
    private static let limit = 1_048_576

    private(set) var all: [One] = []

    /// Adds the assignment `NAME=REF`.
    ///
    /// - Parameters:
    ///   - text: The text. Messages do not repeat it, because it may be a secret.
    ///   - isFile: Whether the variable is the path of a file with the value.
    ///   - place: The place of the text, for messages.
    /// - Throws: A failure that names the place.
    mutating func add(_ text: String, isFile: Bool, _ place: String) throws {
        let one = try Self.parse(text, isFile: isFile, place)
        guard !all.contains(where: { $0.variable == one.variable }) else {
            throw Failure.usage(
                "variable \(one.variable) is given twice", hint: "give it once")
        }
        all.append(one)
    }

    /// Adds the lines of a file, except variables that an option sets.
    mutating func add(file path: String, _ context: CommandContext) throws {
        let bytes = try context.console.readFile(path, limit: Self.limit)
        guard var text = bytes.withBytes({ $0.text() }) else {
            throw Failure(.usage, code: "not_text", "\(path) is not valid UTF-8")
        }
        // A file may begin with a byte order mark.
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        var lines = Assignments()
        for (index, line) in SettingLine.lines(of: text).enumerated() {
            let place = "\(path), line \(index + 1),"
            switch SettingLine(line) {
            case .empty: continue
            case .setting(let name, let value):
                try lines.add("\(name)=\(value)", isFile: false, place)
            case .malformed: throw Self.malformed(place)
            }
        }
        all += lines.all.filter { line in !all.contains { $0.variable == line.variable } }
    }

    private static func parse(_ text: String, isFile: Bool, _ place: String) throws -> One {
        // The text is split by bytes, because Swift does not match `=` with a combining accent.
        let parts = text.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        guard parts.count == 2, isName(parts[0]) else { throw malformed(place) }
        do {
            return One(
                variable: parts[0], name: try SecretReference(parts[1]).name, isFile: isFile)
        } catch let error as SecretReferenceError {
            throw Failure(error, "\(place) the reference")
        }
    }

    /// Whether a shell accepts the name (POSIX, 8.1).
    private static func isName(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || byte == UInt8(ascii: "_")
        }
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    }

    private static func malformed(_ place: String) -> Failure {
        Failure.usage(
            "\(place) is not NAME=REF", hint: "such as TOKEN=taskvault://ci.example/bot")
    }
}
