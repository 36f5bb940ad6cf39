internal import Accounts
internal import Database
internal import TextCoding

/// The queries of a database, the same inside and outside of a transaction. Each is one statement.
protocol AccountQueries: AccountReader {
    /// Runs `body` in the transaction, or on a snapshot for one statement.
    func run<Value>(_ body: (Transaction) throws -> Value) throws -> Value
}

/// Public, because a public type has these as members of a public protocol.
extension AccountQueries {
    /// Reads an account; see `AccountReader`.
    public func account(_ id: AccountID) throws -> Account? {
        try run { transaction in
            try transaction.row(
                """
                SELECT id, email, verified, password, created, password_changed, disabled
                FROM accounts WHERE id = $1
                """, [.text(id.text)]
            ) { try Account($0, from: 0) }
        }
    }

    /// Reads an account; see `AccountReader`.
    public func account(_ email: EmailAddress) throws -> Account? {
        try run { transaction in
            try transaction.row(
                """
                SELECT id, email, verified, password, created, password_changed, disabled
                FROM accounts WHERE email = $1
                """, [.text(email.text)]
            ) { try Account($0, from: 0) }
        }
    }

    /// Lists accounts; see `AccountReader`.
    public func accounts(after email: EmailAddress?, limit: Int) throws -> [Account] {
        try run { transaction in
            // The empty text comes before every name.
            try transaction.rows(
                """
                SELECT id, email, verified, password, created, password_changed, disabled
                FROM accounts WHERE email > $1 ORDER BY email LIMIT $2
                """, [.text(email?.text ?? ""), .count(limit)]
            ) { try Account($0, from: 0) }
        }
    }

    /// Reads a token; see `AccountReader`.
    public func accessToken(_ hash: TokenHash) throws -> FoundAccessToken? {
        try run { transaction in
            try transaction.row(
                """
                SELECT t.issued, t.expires, s.id, s.account, s.client, s.created, s.refreshed,
                    s.expires, a.email, a.verified, a.created, a.password_changed, a.disabled
                FROM access_tokens AS t JOIN sessions AS s ON s.id = t.session
                JOIN accounts AS a ON a.id = s.account WHERE t.hash = $1
                """, [.bytes(hash.bytes)]
            ) { row in
                let session = try SignInSession(row, from: 2)
                return FoundAccessToken(
                    token: AccessToken(
                        hash: hash, session: session.id, issued: try row.time(0),
                        expires: try row.time(1)),
                    session: session,
                    account: AccountProfile(
                        id: session.account, email: try row.email(8),
                        isEmailVerified: try row.flag(9), created: try row.time(10),
                        passwordChanged: try row.time(11), isDisabled: try row.flag(12)))
            }
        }
    }

    /// Reads a token; see `AccountReader`.
    public func refreshToken(_ hash: TokenHash) throws -> RefreshToken? {
        try run { transaction in
            try transaction.row(
                """
                SELECT hash, session, predecessor, issued, expires, replaced
                FROM refresh_tokens WHERE hash = $1
                """, [.bytes(hash.bytes)], RefreshToken.init)
        }
    }

    /// Reads a session; see `AccountReader`.
    public func session(_ id: SessionID) throws -> SignInSession? {
        try run { transaction in
            try transaction.row(
                """
                SELECT id, account, client, created, refreshed, expires FROM sessions WHERE id = $1
                """, [.text(id.text)]
            ) { try SignInSession($0, from: 0) }
        }
    }

    /// Lists sessions; see `AccountReader`.
    public func sessions(of account: AccountID) throws -> [SignInSession] {
        try run { transaction in
            try transaction.rows(
                """
                SELECT id, account, client, created, refreshed, expires
                FROM sessions WHERE account = $1 ORDER BY created, id
                """, [.text(account.text)]
            ) { try SignInSession($0, from: 0) }
        }
    }

    /// Reads where a session began; see `AccountReader`.
    public func device(of session: SessionID) throws -> SessionDevice? {
        try run { transaction in
            try transaction.row(
                """
                SELECT session, account, first, name, network, expires
                FROM session_devices WHERE session = $1
                """, [.text(session.text)], SessionDevice.init)
        }
    }

    /// Reads where sessions began; see `AccountReader`.
    public func devices(of account: AccountID) throws -> [SessionDevice] {
        try run { transaction in
            try transaction.rows(
                """
                SELECT session, account, first, name, network, expires
                FROM session_devices WHERE account = $1
                """, [.text(account.text)], SessionDevice.init)
        }
    }

    /// Reads an invitation; see `AccountReader`.
    public func invitation(_ code: TokenHash) throws -> Invitation? {
        try run { transaction in
            try transaction.row(
                "SELECT code, email, created, expires FROM invitations WHERE code = $1",
                [.bytes(code.bytes)], Invitation.init)
        }
    }

    /// Lists invitations; see `AccountReader`.
    public func invitations() throws -> [Invitation] {
        try run { transaction in
            try transaction.rows(
                "SELECT code, email, created, expires FROM invitations ORDER BY created, email", [],
                Invitation.init)
        }
    }

    /// Reads attempts; see `AccountReader`.
    public func attempts(_ key: AttemptKey) throws -> AttemptRecord? {
        try run { transaction in
            try transaction.row(
                "SELECT key, guesses, rests FROM attempts WHERE key = $1",
                [.bytes(key.bytes)], AttemptRecord.init)
        }
    }

    /// Reads a device; see `AccountReader`.
    public func knownDevice(_ hash: TokenHash) throws -> KnownDevice? {
        try run { transaction in
            try transaction.row(
                "SELECT hash, account, last, confirmed FROM known_devices WHERE hash = $1",
                [.bytes(hash.bytes)], KnownDevice.init)
        }
    }

    /// Lists devices; see `AccountReader`.
    public func knownDevices(of account: AccountID) throws -> [KnownDevice] {
        try run { transaction in
            try transaction.rows(
                """
                SELECT hash, account, last, confirmed FROM known_devices
                WHERE account = $1 ORDER BY confirmed DESC, last DESC, hash DESC
                """, [.text(account.text)], KnownDevice.init)
        }
    }
}

extension DatabaseValue {
    /// A number of rows for `LIMIT` or `OFFSET`; none instead of a negative number.
    static func count(_ count: Int) -> DatabaseValue { .integer(Int64(max(count, 0))) }

    static func time(_ time: PointInTime?) -> DatabaseValue { .integer(time?.milliseconds) }
}

extension Account {
    fileprivate init(_ row: any Row, from column: Int32) throws {
        self.init(
            id: try row.accountID(column), email: try row.email(column + 1),
            isEmailVerified: try row.flag(column + 2),
            password: try row.valid(Account.password(stored: row.text(column + 3))),
            created: try row.time(column + 4),
            passwordChanged: try row.time(column + 5), isDisabled: try row.flag(column + 6))
    }
}

extension SignInSession {
    init(_ row: any Row, from column: Int32) throws {
        self.init(
            id: try row.sessionID(column), account: try row.accountID(column + 1),
            client: try row.text(column + 2), created: try row.time(column + 3),
            refreshed: try row.time(column + 4), expires: try row.time(column + 5))
    }
}

extension SessionDevice {
    fileprivate init(_ row: any Row) throws {
        self.init(
            session: try row.sessionID(0), account: try row.accountID(1),
            first: try row.sessionID(2), name: try row.text(3), network: try row.text(4),
            expires: try row.time(5))
    }
}

extension RefreshToken {
    init(_ row: any Row) throws {
        self.init(
            hash: try row.hash(0), session: try row.sessionID(1),
            predecessor: row.isNull(2) ? nil : try row.hash(2), issued: try row.time(3),
            expires: try row.time(4), replaced: row.isNull(5) ? nil : try row.time(5))
    }
}

extension Invitation {
    fileprivate init(_ row: any Row) throws {
        self.init(
            code: try row.hash(0), email: try row.email(1), created: try row.time(2),
            expires: try row.time(3))
    }
}

extension AttemptRecord {
    fileprivate init(_ row: any Row) throws {
        self.init(
            key: try row.valid(AttemptKey(bytes: row.bytes(0))),
            guesses: try row.valid(AttemptRecord.guesses(stored: row.bytes(1))),
            rests: try row.time(2))
    }
}

extension AuditEvent {
    init(_ row: any Row) throws {
        self.init(
            id: try row.accountID(0), time: try row.time(1),
            action: try row.valid(Action(rawValue: row.text(2))),
            subject: try row.accountID(3), actor: try row.text(4))
    }
}

extension KnownDevice {
    fileprivate init(_ row: any Row) throws {
        self.init(
            hash: try row.hash(0), account: try row.accountID(1), last: try row.time(2),
            isConfirmed: try row.flag(3))
    }
}

extension Row {
    func time(_ column: Int32) throws -> PointInTime {
        PointInTime(milliseconds: try integer(column))
    }

    func hash(_ column: Int32) throws -> TokenHash {
        try valid(TokenHash(bytes: bytes(column)))
    }

    func accountID(_ column: Int32) throws -> AccountID {
        try valid(AccountID(text(column)))
    }

    fileprivate func sessionID(_ column: Int32) throws -> SessionID {
        try valid(SessionID(text(column)))
    }

    /// A name in canonical form only: another one would never be found again.
    fileprivate func email(_ column: Int32) throws -> EmailAddress {
        try valid(EmailAddress(stored: text(column)))
    }

    fileprivate func flag(_ column: Int32) throws -> Bool {
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
        .damaged(reason: "a column has another type or range than it should")
    }
}
