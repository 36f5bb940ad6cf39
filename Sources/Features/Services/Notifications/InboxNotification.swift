/// A desktop notification about inbox messages.
package struct InboxNotification: Sendable, Hashable {
    /// The subject of the notification.
    package enum Subject: Sendable, Hashable {
        /// One message, by its id. Its actions are accept, delete and show.
        case message(String)
        /// The number of new messages. It replaces the previous count.
        case count
        /// The result of an action.
        case answer
    }

    /// The subject of the notification.
    package let subject: Subject
    /// The title, one line.
    package let title: String
    /// The text, one or more lines; may be empty.
    package let body: String
    /// The equivalent command, shown by daemons without actions.
    package let command: String?

    /// Makes a notification.
    package init(_ subject: Subject, title: String, body: String = "", command: String? = nil) {
        self.subject = subject
        self.title = title
        self.body = body
        self.command = command
    }

    /// The notification without control characters, cut to the daemon's limits.
    var notification: Notification {
        var actions: [Notification.Action] = []
        if case .message = subject {
            actions = [
                Notification.Action(key: InboxAction.accept.rawValue, label: "Accept"),
                Notification.Action(key: InboxAction.delete.rawValue, label: "Delete"),
                // `default` is the action of a click on the notification itself.
                Notification.Action(key: InboxAction.show.rawValue, label: "Show"),
            ]
        }
        return Notification(
            title: ReminderText.cut(title), body: ReminderText.cutText(body), actions: actions,
            hint: command)
    }
}

/// An action of a message's notification.
package enum InboxAction: String, Sendable, Hashable {
    case accept
    case delete
    case show = "default"
}

/// The source of inbox notifications. Thread-safe.
package protocol InboxNotificationSource: Sendable {
    /// Becomes readable when ``takeNotifications()`` has something to return.
    var descriptor: Int32 { get }
    /// The settings file. A change of it starts or stops the receiver.
    var file: String { get }
    /// Starts or stops the receiver, depending on ``file``.
    func reload()
    /// Returns the new notifications and clears the list.
    func takeNotifications() -> [InboxNotification]
    /// Performs an action of the notification.
    ///
    /// - Returns: A notification of the result; nil for none.
    func act(_ choice: InboxAction, on id: String) -> InboxNotification?
}
