internal import Platform
internal import SecretMemory
internal import SignIn
internal import TextCoding

/// Messages that wait on this machine until the vault is unlocked: a file of mode 0600 for each, encrypted as it came, in a folder of mode 0700.
///
/// A file has the time and the id of the message as its name, so that a message waits once, and the first is the oldest. Thread-safe; several
/// processes may use one folder.
package struct WaitingMessages: Sendable {
    private static let ending = ".message"
    /// The largest file: a message of 4,096 bytes in Base64, and the rest.
    private static let largest = 16_384

    /// The folder.
    package let folder: String

    /// Names the folder, which is made when it is first needed.
    package init(_ folder: String) {
        self.folder = folder
    }

    /// Makes the folder, and checks that it is the owner's alone.
    ///
    /// - Throws: `SystemFailure`; `UnusableFile`.
    package func make() throws {
        try SafeFolder.create(folder)
        try SafeFolder.require(SafeFolder.resolve(folder))
    }

    private func names() throws -> [String] {
        do {
            return try FileSystem.names(in: folder).filter { $0.hasSuffix(Self.ending) }
        } catch let failure as SystemFailure where failure.isMissingFile {
            return []
        }
    }

    /// The number of messages.
    package func count() throws -> Int { try names().count }

    /// Keeps a message, durably; one that waits already, or that is too many, changes nothing.
    ///
    /// - Returns: Whether it is new here.
    /// - Throws: `SystemFailure`; `UnusableFile`.
    @discardableResult
    package func add(_ message: DeliveredMessage) throws -> Bool {
        try make()
        let names = try names()
        let id = message.messageID
        guard names.count < DeliveredMessage.mostWaiting,
            !names.contains(where: { $0.hasSuffix("-" + id + Self.ending) })
        else { return false }
        var text = #"{"id":"\#(message.id)","subscription":"\#(message.subscription)","#
        text += #""received":"\#(Timestamp.text(message.received.milliseconds))","#
        text += #""body_base64":"\#(Self.base64(message.body))"}"# + "\n"
        try FileSystem.replace(path(of: message), with: text)
        return true
    }

    private func path(of message: DeliveredMessage) -> String {
        let time = String(max(message.received.milliseconds, 0))
        let padded = String(repeating: "0", count: max(0, 15 - time.utf8.count)) + time
        return folder + "/" + padded + "-" + message.messageID + Self.ending
    }

    /// All messages, the oldest first. Files that are none are left out.
    package func all() throws -> [DeliveredMessage] {
        try names().compactMap { name in
            FileSystem.content(folder + "/" + name, limit: Self.largest).flatMap {
                Self.message($0)
            }
        }
    }

    /// Removes a message that is in the vault, if it is there.
    package func remove(_ message: DeliveredMessage) throws {
        let end = "-" + message.messageID + Self.ending
        for name in try names() where name.hasSuffix(end) {
            try FileSystem.remove(folder + "/" + name)
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.urlText(of: bytes), as: UTF8.self)
    }

    private static func message(_ bytes: [UInt8]) -> DeliveredMessage? {
        let span = unsafe bytes.span.bytes
        guard let object = AnswerObject(span), let id = object.text("id", in: span),
            let subscription = object.text("subscription", in: span),
            let received = object.text("received", in: span).flatMap({
                Timestamp.milliseconds($0)
            }),
            let body = object.bytes("body_base64", in: span)
        else { return nil }
        return DeliveredMessage(
            id: id, subscription: subscription, received: PointInTime(milliseconds: received),
            body: body)
    }
}

extension AnswerObject {
    /// The bytes of a text in Base64 that is not secret; nil if there is none.
    func bytes(_ name: String, in bytes: RawSpan) -> [UInt8]? {
        guard let text = text(name, in: bytes) else { return nil }
        let letters = Array(text.utf8)
        do {
            guard let decoded = unsafe try Base64.secret(of: letters.span.bytes) else { return nil }
            return decoded.withBytes { $0.array }
        } catch {
            return nil
        }
    }
}
