public import TextCoding

// Messages: vaults read and acknowledge them.
extension InboxService {
    /// The inbox of a receiving token.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func inbox(receiving token: String) throws -> Inbox {
        guard let sent = SecretToken(token), sent.kind == .receiving,
            let inbox = try repository.read({ try $0.inbox(receiving: sent.hash) })
        else { throw InboxError.tokenRejected }
        try requireEnabled(inbox.account)
        return inbox
    }

    /// Checks that the tokens with which an inbox was found are still its tokens, and that its account may take messages.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func requireCurrent(_ inbox: Inbox) throws {
        guard try repository.read({ try $0.inbox(receiving: inbox.receiving) }) != nil else {
            throw InboxError.tokenRejected
        }
        try requireEnabled(inbox.account)
    }

    /// Checks that an account may take messages.
    ///
    /// - Throws: `tokenRejected` if it is disabled or removed; an error of the database.
    public func requireEnabled(_ account: AccountID) throws {
        let account = try repository.read { try $0.account(account) }
        guard let account, !account.isDisabled else { throw InboxError.tokenRejected }
    }

    /// The first waiting messages of an inbox with a larger number, the oldest first, at most ``pageSize``.
    ///
    /// - Throws: An error of the database.
    public func messages(
        of inbox: PushID, after number: Int64, at now: PointInTime
    ) throws -> [PushMessage] {
        try repository.read {
            try $0.messages(of: inbox, after: number, at: now, limit: Self.pageSize)
        }
    }

    /// Removes messages that the vault has stored.
    ///
    /// - Returns: The number of those that waited.
    /// - Throws: `tokenRejected`; an error of the database.
    public func acknowledge(_ ids: [PushID], with token: String) throws -> Int {
        guard let sent = SecretToken(token), sent.kind == .acknowledging,
            let inbox = try repository.read({ try $0.inbox(acknowledging: sent.hash) })
        else { throw InboxError.tokenRejected }
        try requireEnabled(inbox.account)
        return try repository.change { try $0.removeMessages(ids, of: inbox.id) }
    }

    /// The number of the last change of any inbox or group of sync.
    ///
    /// - Throws: An error of the database.
    public func lastChange() throws -> Int64 { try repository.read { try $0.lastChange() } }

    /// The inboxes and groups of sync that changed after the change with number `change`, in the order of the changes; at most ``pageSize``.
    ///
    /// - Throws: An error of the database.
    public func changed(after change: Int64) throws -> [(subject: String, change: Int64)] {
        try repository.read { try $0.changed(after: change, limit: Self.pageSize) }
    }
}
