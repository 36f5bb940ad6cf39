internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// `inbox picture`: loads the picture of a message.
enum MessagePictureCommand: Command {
    private static let message = OperandDescription(
        "ID", "a beginning of the message's id; the newest message with a picture if left out",
        count: 0...1)
    fileprivate static let privateNetwork = OptionDescription(
        "private-network", "also load it from an address of this machine or a private network")

    static let description = CommandDescription(
        path: ["inbox", "picture"],
        summary: "load the picture of a message",
        operands: [message],
        options: [.exportedFile, privateNetwork],
        notes: [
            """
            Loads it by https from a public address, at most 5 MiB in 10 seconds, and keeps it encrypted in the vault. Without --output, only its \
            type and size are shown on a terminal, and with --json also elsewhere.
            """
        ],
        examples: [
            .init("taskvault inbox picture 3f2a --output plan.png", "into a new file"),
            .init("taskvault inbox picture > latest", "the picture of the newest message"),
        ],
        exitCodes: .opening + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let target = try ExportTarget(context)
        let typed = context.invocation.texts(of: message).first
        try context.application.withInbox { inbox in
            let found: (message: InboxMessage, content: MessageContent)?
            if let typed {
                found = try inbox.read([try context.application.message(typed, in: inbox)]).first
            } else {
                found = try inbox.read(inbox.messages()).first { $0.content.picture != nil }
            }
            guard let found, let url = found.content.picture else {
                throw Failure(
                    .notFound, code: "no_picture",
                    typed == nil ? "no message has a picture" : "the message has no picture",
                    hint: context.folders.command("inbox list"))
            }
            switch try inbox.picture(of: found.message) {
            case .some(let kept): try write(kept, to: target, context)
            case .none:
                let loaded = try context.loadPicture(url)
                try inbox.store(loaded, of: found.message)
                try write(loaded, to: target, context)
            }
        }
    }

    private static func write(
        _ picture: borrowing Picture, to target: ExportTarget, _ context: CommandContext
    ) throws {
        let isJSON = context.console.isJSON
        guard !target.isTerminal, !isJSON || target.isFile else {
            guard isJSON else {
                return try context.console.printLine(
                    "\(picture.mediaType), \(byteText(UInt64(picture.content.count)))")
            }
            let (mediaType, size) = (picture.mediaType, picture.content.count)
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("media_type", mediaType)
                try json.member("size", size)
                try json.endObject()
            }
        }
        try target.write { descriptor in
            guard !Descriptor.isTerminal(descriptor) else { throw Failure.wouldShow("the output") }
            try picture.content.withBytes { try Descriptor.write($0, to: descriptor) }
        }
    }
}

extension CommandContext {
    /// Loads a picture.
    ///
    /// - Throws: A failure that names the picture's server.
    func loadPicture(_ url: WebURL) throws -> Picture {
        let option = MessagePictureCommand.privateNetwork
        let isPrivateAllowed = invocation.takes(option) && invocation.has(option)
        do {
            return try Picture.load(
                url, Picture.options(allowingPrivate: isPrivateAllowed))
        } catch let error as HTTPClientError {
            throw Failure(picture: error, at: url.host)
        }
    }
}
