internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import Tasks
internal import TextCoding

// Messages as operands and results of commands.
extension CommandContext {
    /// The messages that the operands identify, without duplicates.
    func messages(in inbox: InboxStore) throws -> [InboxMessage] {
        let all = try inbox.messages()
        var found: [InboxMessage] = []
        for typed in invocation.texts(of: .messages) {
            let message = try application.message(typed, of: all)
            if !found.contains(where: { $0.id == message.id }) { found.append(message) }
        }
        return found
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a message as an object.
    mutating func message(_ message: InboxMessage, _ content: MessageContent) throws {
        try beginObject()
        try member("id", message.id)
        try member("sender", message.sender)
        try member("received", milliseconds: message.received.milliseconds)
        try member("state", message.state.rawValue)
        try member("decided", milliseconds: message.decided?.milliseconds)
        try member("task", message.state == .accepted ? message.task : nil)
        try member("title", content.title)
        try member("body", content.body)
        try member("picture", content.picture?.description)
        try member("due", milliseconds: content.due?.milliseconds)
        try member("list", content.list)
        try texts("subtasks", content.subtasks)
        try texts("left_out", content.leftOut)
        try endObject()
    }

    /// Writes messages as an array.
    mutating func messages(
        _ messages: [(message: InboxMessage, content: MessageContent)]
    ) throws {
        try beginArray()
        for (message, content) in messages { try self.message(message, content) }
        try endArray()
    }
}

extension OperandDescription {
    static let message = OperandDescription("ID", "a beginning of the message's id")
    static let messages = OperandDescription(
        "ID", "beginnings of the messages' ids", count: 1...1_000)
}
