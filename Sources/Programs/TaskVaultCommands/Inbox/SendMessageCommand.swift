internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import SecretMemory
internal import SignIn
internal import Tasks
internal import TextCoding

/// `inbox send`: sends a message to the inbox of another person.
enum SendMessageCommand: Command {
    private static let address = OperandDescription(
        "ADDRESS", .file, "the file with the address that the owner of the inbox gave")
    private static let title = OptionDescription(
        "title", .text("TEXT"), "the name of the task")
    private static let body = OptionDescription(
        "body", .text("TEXT"), "the description")
    private static let due = OptionDescription(
        "due", .text("WHEN"), "when it is due, as for task add")
    private static let subtask = OptionDescription(
        "subtask", .text("TEXT"), "a subtask; may be given several times", isRepeated: true)
    private static let picture = OptionDescription(
        "picture", .text("URL"), "the https address of a picture")
    /// The time for which a push service keeps the message: four weeks, in seconds.
    private static let lifetime = 28 * 86_400

    static let description = CommandDescription(
        path: ["inbox", "send"],
        summary: "send a message to another inbox",
        operands: [address],
        options: [title, body, due, subtask, picture, .inList],
        notes: [
            """
            Without --title, the message is read from standard input: JSON as in Docs/Inbox.md, or the title in the first line and the description in the \
            others. It is encrypted for the owner of the inbox; a server sees its size in steps of 256 bytes. The server's certificate must be in the \
            system's store: the setting server-ca does not count here.
            """
        ],
        examples: [
            .init(
                "taskvault inbox send ada.json --title 'Water the plants' --due 'sat 9:00'",
                "a task for Ada"),
            .init("taskvault inbox send ada.json < task.json", "a message as JSON"),
        ],
        exitCodes: [.notFound, .refused, .serverUnreachable])

    static func run(_ context: CommandContext) throws {
        let path = context.invocation.text(of: address)
        guard path != "-" else {
            throw Failure.usage(
                "the address is a file: standard input is for the message",
                hint: "save the address that you got in a file that only you can read")
        }
        let recipient = try PushAddress.read(
            context.console.readFile(path, limit: PushAddress.maximumSize))
        context.errors.server = recipient.endpoint.host
        let text = try message(context)
        if let problem = text.withBytes({ MessageContent.problem(of: $0) }) {
            throw Failure.usage(
                "this is not a message: \(problem)",
                hint: "--title gives a title; Docs/Inbox.md describes messages in JSON")
        }
        let sealed = try recipient.seal(text)
        do {
            try InboxClient.push(
                sealed, to: recipient.endpoint, lifetime: lifetime,
                HTTPClient(HTTPClientOptions()))
        } catch SignInError.unsupported {
            throw Failure(
                .notFound, code: "no_inbox", "this address is no longer valid",
                hint: "ask the owner of the inbox for another one")
        } catch SignInError.rejected {
            throw Failure(
                .refused, code: "vapid_required",
                "this address takes only messages that are signed by a VAPID key",
                hint: "send it by a Web Push library that has the key")
        } catch SignInError.untrusted(let detail, true) {
            throw Failure(
                .serverUnreachable, code: "server_untrusted",
                "\(recipient.endpoint.host) is not trusted: \(detail)",
                hint: "nothing was sent; its certificate must be in the system's store")
        }
        guard context.console.isJSON else { return try context.console.printLine("sent") }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("sent", true)
            try json.endObject()
        }
    }

    /// The message, as JSON.
    private static func message(_ context: CommandContext) throws -> SecretBytes {
        let invocation = context.invocation
        let options = [body, due, subtask, picture, .inList]
        guard let title = invocation.text(of: Self.title) else {
            if let option = options.first(where: { invocation.has($0) }) {
                throw Failure.usage(
                    "\(option.spelling) needs --title", hint: "give --title")
            }
            let input = try context.console.readFile("-", limit: MessageContent.maximumSize)
            if input.withBytes({ JSONObject.isObject($0) }) { return input }
            guard let text = input.withBytes({ $0.text() }) else {
                throw Failure(.notText, reading: "standard input")
            }
            let lines = text.unicodeScalars.split(
                separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return try json(
                title: String(lines[0]), body: lines.count > 1 ? String(lines[1]) : nil, context)
        }
        if let url = invocation.text(of: picture),
            (try? WebURL(url))?.scheme != .https
        {
            throw Failure.usage("--picture takes an https address")
        }
        return try json(title: title, body: invocation.text(of: body), context)
    }

    private static func json(
        title: String, body: String?, _ context: CommandContext
    ) throws -> SecretBytes {
        let invocation = context.invocation
        // A message has no days: a day is its last minute.
        let due = try context.time(due).map { time in
            time.moment ?? time.end(in: context.tasks.calendar).advanced(by: .seconds(-60))
        }
        let subtasks = invocation.texts(of: subtask)
        var json = JSONWriter(ByteCollector())
        try json.beginObject()
        try json.member("title", title)
        if let body { try json.member("body", body) }
        if let due { try json.member("due", milliseconds: due.milliseconds) }
        if let list = invocation.text(of: .inList) { try json.member("list", list) }
        if !subtasks.isEmpty { try json.texts("subtasks", subtasks) }
        if let picture = invocation.text(of: picture) { try json.member("picture", picture) }
        try json.endObject()
        let bytes = try json.finish().bytes
        return unsafe try SecretBytes(copying: bytes.span.bytes)
    }
}

extension PushAddress {
    /// Reads an address from a file.
    fileprivate static func read(_ file: borrowing SecretBytes) throws -> PushAddress {
        try file.withBytes { (bytes) throws in try PushAddress(bytes) }
    }
}

/// The bytes of a message that a person typed on the command line.
private struct ByteCollector: ByteSink {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ bytes: RawSpan) { self.bytes += bytes.array }

    mutating func write(secret bytes: RawSpan) { self.bytes += bytes.array }
}
