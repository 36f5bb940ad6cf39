/// What is shown of messages from others.
package struct MessageNotice: Sendable, Hashable {
    /// What it is about.
    package enum Subject: Sendable, Hashable {
        /// The message of this id, which can be accepted and deleted.
        case message(String)
        /// How many there are; the last one replaces those before.
        case count
        /// An answer to a choice.
        case answer
    }

    /// What it is about.
    package let subject: Subject
    /// One line.
    package let title: String
    /// Lines; may be empty.
    package let body: String
    /// The command that does what the actions do, for daemons without actions.
    package let command: String?

    /// Makes a notice.
    package init(_ subject: Subject, title: String, body: String = "", command: String? = nil) {
        self.subject = subject
        self.title = title
        self.body = body
        self.command = command
    }

    /// The notification, without control characters and of limited length.
    var notification: Notification {
        var actions: [Notification.Action] = []
        if case .message = subject {
            actions = [
                Notification.Action(key: MessageChoice.accept.rawValue, label: "Accept"),
                Notification.Action(key: MessageChoice.delete.rawValue, label: "Delete"),
                // A click on the notification itself.
                Notification.Action(key: MessageChoice.show.rawValue, label: "Show"),
            ]
        }
        return Notification(
            title: ReminderText.cut(title), body: ReminderText.cutText(body), actions: actions,
            hint: command)
    }
}

/// What a person can do with a message.
package enum MessageChoice: String, Sendable, Hashable {
    case accept
    case delete
    case show = "default"
}

/// What the program gives to notifications of messages. Thread-safe.
package protocol MessageSource: Sendable {
    /// Readable when there is something to take.
    var descriptor: Int32 { get }
    /// The file whose change may turn it on or off.
    var file: String { get }
    /// Begins or ends to receive, as the file says.
    func follow()
    /// Takes what there is.
    func take() -> [MessageNotice]
    /// Does what the person chose.
    ///
    /// - Returns: What is shown then; nil for nothing.
    func act(_ choice: MessageChoice, on id: String) -> MessageNotice?
}
