internal import Platform
internal import SecretMemory
internal import SignIn
internal import TextCoding

/// Encrypted messages on disk, until the vault is unlocked. Each is a file of mode 0600, in a
/// folder of mode 0700.
///
/// A file name consists of the time and the id of a message. So a message is stored once, and the
/// first file is the oldest message. Thread-safe; several processes may use one folder.
package struct MessageSpool: Sendable {
    /// The maximum number of messages.
    package static let maximumCount = 2_000
    private static let suffix = ".message"
    /// The maximum size of a file: a message of 4,096 bytes in Base64, and the other members.
    private static let maximumFileSize = 16_384

    /// The folder.
    package let folder: String

    /// Names the folder. The first use creates it.
    package init(_ folder: String) {
        self.folder = folder
    }

    /// Creates the folder, and checks that only the owner can access it.
    ///
    /// - Throws: `SystemFailure`; `UnusableFile`.
    package func make() throws {
        try SafeFolder.create(folder)
        try SafeFolder.require(SafeFolder.resolve(folder))
    }

    /// The names of the files, in no order: each new message looks for its own among them.
    private func names() throws -> [String] {
        do {
            return try FileSystem.unsortedNames(in: folder).filter { $0.hasSuffix(Self.suffix) }
        } catch let failure as SystemFailure where failure.isMissingFile {
            return []
        }
    }

    /// The number of stored messages.
    package func count() throws -> Int { try names().count }

    /// Stores a message durably. Does nothing if the message is stored already, or if the spool is
    /// full.
    ///
    /// - Returns: Whether the message is new in the spool.
    /// - Throws: `SystemFailure`; `UnusableFile`.
    @discardableResult
    package func add(_ message: SealedMessage) throws -> Bool {
        try make()
        let names = try names()
        let id = message.messageID
        guard names.count < Self.maximumCount,
            !names.contains(where: { $0.hasSuffix("-" + id + Self.suffix) })
        else { return false }
        var text = #"{"id":"\#(message.id)","subscription":"\#(message.subscription)","#
        text += #""received":"\#(Timestamp.text(message.received.milliseconds))","#
        text += #""body_base64":"\#(Base64.urlText(of: message.body))"}"# + "\n"
        try FileSystem.replace(path(of: message), with: text)
        return true
    }

    private func path(of message: SealedMessage) -> String {
        let time = String(max(message.received.milliseconds, 0))
        let padded = String(repeating: "0", count: max(0, 15 - time.utf8.count)) + time
        return folder + "/" + padded + "-" + message.messageID + Self.suffix
    }

    /// All messages, oldest first. Invalid files are ignored.
    package func all() throws -> [SealedMessage] {
        try names().sorted().compactMap { name in
            FileSystem.content(folder + "/" + name, limit: Self.maximumFileSize).flatMap {
                Self.message($0)
            }
        }
    }

    /// Removes a message if it is in the spool. The vault must have it already.
    package func remove(_ message: SealedMessage) throws {
        let end = "-" + message.messageID + Self.suffix
        for name in try names() where name.hasSuffix(end) {
            try FileSystem.remove(folder + "/" + name)
        }
    }

    private static func message(_ bytes: [UInt8]) -> SealedMessage? {
        let span = unsafe bytes.span.bytes
        guard let object = JSONObject(answer: span), let id = object.text("id", in: span),
            let subscription = object.text("subscription", in: span),
            let received = object.text("received", in: span).flatMap({
                Timestamp.milliseconds($0)
            }),
            let body = object.bytes("body_base64", in: span)
        else { return nil }
        return SealedMessage(
            id: id, subscription: subscription, received: PointInTime(milliseconds: received),
            body: body)
    }
}

extension JSONObject {
    /// The bytes of a Base64 string that is not secret; nil without one.
    func bytes(_ name: String, in bytes: RawSpan) -> [UInt8]? {
        text(name, in: bytes).flatMap { Base64.bytes(of: $0, .any) }
    }
}
