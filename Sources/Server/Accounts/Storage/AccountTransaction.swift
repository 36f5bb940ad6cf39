internal import Database
public import TextCoding

/// Statements about accounts and their rows. Each is in one place: its text, its parameters, and the reading of its rows.
///
/// In ``AccountRepository/change(_:)`` they form one transaction, and queries see its changes. In ``AccountRepository/read(_:)`` only
/// queries are allowed. After that call every use fails. Not thread-safe.
public struct AccountTransaction {
    let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    /// Removes sessions, tokens, invitations and attempts that expired before `time`, and devices last used before `devices`. A session is
    /// removed with all its tokens.
    ///
    /// - Returns: The number of removed rows, without tokens that had not expired themselves.
    @discardableResult
    public func purge(
        expiredBefore time: PointInTime, devicesBefore devices: PointInTime
    ) throws -> Int {
        let expired = [DatabaseValue.time(time)]
        let tokens =
            try transaction.change("DELETE FROM access_tokens WHERE expires < $1", expired)
            + transaction.change("DELETE FROM refresh_tokens WHERE expires < $1", expired)
        // These tokens have not expired themselves, and are not counted.
        try transaction.change(
            """
            DELETE FROM access_tokens WHERE session IN (SELECT id FROM sessions WHERE expires < $1)
            """, expired)
        try transaction.change(
            """
            DELETE FROM refresh_tokens WHERE session IN (SELECT id FROM sessions WHERE expires < $1)
            """, expired)
        try transaction.change("DELETE FROM session_devices WHERE expires < $1", expired)
        return try tokens
            + transaction.change("DELETE FROM sessions WHERE expires < $1", expired)
            + transaction.change("DELETE FROM invitations WHERE expires < $1", expired)
            + transaction.change("DELETE FROM attempts WHERE expires < $1", expired)
            + transaction.change("DELETE FROM known_devices WHERE last < $1", [.time(devices)])
    }

    /// Removes events before `time` that a server has written into its log.
    ///
    /// - Returns: The number of removed rows.
    func purgeAuditEvents(before time: PointInTime) throws -> Int {
        try transaction.change(
            "DELETE FROM audit_events WHERE logged = 1 AND time < $1", [.time(time)])
    }

    /// Removes messages that expired before `time`, and subscriptions that ended before `ended`.
    ///
    /// - Returns: The number of removed rows.
    public func purgeInboxes(
        expiredBefore time: PointInTime, endedBefore ended: PointInTime
    ) throws -> Int {
        try transaction.change("DELETE FROM messages WHERE expires < $1", [.time(time)])
            + transaction.change("DELETE FROM subscriptions WHERE ended < $1", [.time(ended)])
    }
}

extension DatabaseValue {
    /// A number of rows for `LIMIT` or `OFFSET`; none instead of a negative number.
    static func count(_ count: Int) -> DatabaseValue { .integer(Int64(max(count, 0))) }

    static func time(_ time: PointInTime?) -> DatabaseValue { .integer(time?.milliseconds) }

    static func flag(_ flag: Bool) -> DatabaseValue { .integer(flag ? 1 : 0) }
}

// The columns of this program. Another value than those that it writes is damage.
extension Row {
    func time(_ column: Int32) throws -> PointInTime {
        PointInTime(milliseconds: try integer(column))
    }

    func optionalTime(_ column: Int32) throws -> PointInTime? {
        isNull(column) ? nil : try time(column)
    }

    func hash(_ column: Int32) throws -> TokenHash {
        try valid(TokenHash(bytes: bytes(column)))
    }

    func accountID(_ column: Int32) throws -> AccountID {
        try valid(AccountID(text(column)))
    }

    func sessionID(_ column: Int32) throws -> SessionID {
        try valid(SessionID(text(column)))
    }

    func pushID(_ column: Int32) throws -> PushID {
        try valid(PushID(text(column)))
    }

    /// A name in canonical form only: another one would never be found again.
    func email(_ column: Int32) throws -> EmailAddress {
        try valid(EmailAddress(stored: text(column)))
    }

    /// A scope, and in the next column the service.
    func grant(_ column: Int32) throws -> TokenGrant {
        // One value for nearly all rows.
        let text = try text(column)
        let scope = try text == "account" ? .account : valid(TokenScope(text))
        return TokenGrant(scope: scope, resource: try optionalText(column + 1))
    }

    func count(_ column: Int32) throws -> Int {
        try valid(Int(exactly: integer(column)))
    }

    func flag(_ column: Int32) throws -> Bool {
        switch try integer(column) {
        case 0: false
        case 1: true
        default: throw DatabaseError.invalidColumn
        }
    }

    func valid<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw DatabaseError.invalidColumn }
        return value
    }
}

extension DatabaseError {
    /// A column of a value that this program never writes.
    static var invalidColumn: DatabaseError {
        .damaged(reason: "a column has an unexpected type or range")
    }
}
