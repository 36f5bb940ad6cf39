package import Inbox
package import SecretMemory
internal import SecureStorage
internal import SignIn
package import Tasks
internal import TextCoding

// Accepting and declining messages, and requests to the server for the signed-in account.
extension Application {
    /// Creates a task from a message and saves the message's state. After a crash between both
    /// steps, the next call finds the task.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - inbox: The inbox of the message.
    ///   - tasks: The list that receives the task.
    /// - Returns: The task.
    /// - Throws: A failure if the message was accepted and its task exists. Otherwise the reason
    ///   why the list or the vault cannot be changed.
    package func accept(
        _ message: InboxMessage, in inbox: InboxStore, _ tasks: OpenTasks
    ) throws -> TodoTask {
        if let task = try acceptedTask(of: message, in: tasks) {
            throw Failure(
                .alreadyExists, code: "accepted",
                "message \(message.shortID) was accepted before as task \(task.text)",
                hint: folders.command("task show \(task.text)"))
        }
        guard let content = try inbox.read([message]).first?.content else {
            throw SecureStoreError.notFound
        }
        let now = options.now()
        // An undo can restore a removed task, so the new task has another id.
        let known = message.state == .accepted ? nil : message.task.flatMap { TaskID($0) }
        let id = try known ?? freeID(tasks)
        // Two machines that accept a message at the same time conflict here.
        var noted = message
        if known == nil {
            noted = try inbox.setState(of: message, to: message.state, task: id.text)
        }
        let task =
            try tasks.list.existing([id])[id] ?? tasks.list.add(self.task(id, of: content, now))
        _ = try inbox.setState(of: noted, to: .accepted, at: now, task: task.id.text)
        return task
    }

    /// The task of an accepted message; nil if the message has none, or the task no longer exists.
    private func acceptedTask(of message: InboxMessage, in tasks: OpenTasks) throws -> TaskID? {
        guard message.state == .accepted, let id = message.task.flatMap({ TaskID($0) }) else {
            return nil
        }
        return try tasks.list.existing([id])[id]?.id
    }

    private func freeID(_ tasks: OpenTasks) throws -> TaskID {
        while true {
            let id = TaskID()
            if try tasks.list.existing([id]).isEmpty { return id }
        }
    }

    /// The task that a message describes, with its reminder on.
    private func task(_ id: TaskID, of content: MessageContent, _ now: PointInTime) -> TodoTask {
        var text = TaskText(name: content.title, notes: content.body)
        for name in content.subtasks { text.addSubtask(name) }
        var task = TodoTask(
            id: id, content: .plain(text), due: content.due.map { .moment($0) }, created: now,
            reminder: content.due.map { .moment($0) })
        task.list = content.list
        return task
    }

    /// Declines a message.
    ///
    /// - Throws: A failure if the message was accepted and its task exists.
    @discardableResult
    package func decline(_ message: InboxMessage, in inbox: InboxStore) throws -> InboxMessage {
        if message.state == .declined { return message }
        let accepted =
            message.state == .accepted
            ? try tasks.withTasks(.reading) { try acceptedTask(of: message, in: $0) } : nil
        if let task = accepted {
            throw Failure(
                .refused, code: "accepted", "message \(message.shortID) was accepted before",
                hint: folders.command("task remove \(task.text)"))
        }
        return try inbox.setState(of: message, to: .declined, at: options.now())
    }

    /// Runs `body` with an access token of the signed-in account.
    ///
    /// - Throws: `unsupported` if the server has no inboxes or lacks the feature. Otherwise the
    ///   reason why the person is not signed in.
    package func withToken(
        _ place: SignInPlace, _ body: (borrowing SecretBytes) throws -> Void
    ) throws {
        let account = try signIn.signedInAccount(place)
        let done: Void? = try signIn.withAccessToken(
            of: account, place, asking: AccountPasswords(), isAskedFor: false, body)
        guard done != nil else { throw SignInError.unsupported }
    }
}
