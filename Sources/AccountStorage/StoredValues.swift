internal import Accounts
internal import Sealing
internal import TextCoding

/// What is made of the columns of a row.
protocol StoredValue {
    /// Reads the columns from `column` on, in the order in which every statement has them.
    ///
    /// - Throws: The row's failure, also for what this program never writes.
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure)
}

extension StoredRow where Self: ~Copyable {
    fileprivate func time(at column: Int32) throws(Failure) -> PointInTime {
        PointInTime(milliseconds: try integer(at: column))
    }

    fileprivate func optionalTime(at column: Int32) throws(Failure) -> PointInTime? {
        isNull(at: column) ? nil : try time(at: column)
    }

    fileprivate func text(at column: Int32) throws(Failure) -> String {
        guard let text = try string(at: column) else { throw Self.mismatch }
        return text
    }

    fileprivate func hash(at column: Int32) throws(Failure) -> TokenHash {
        guard let hash = TokenHash(bytes: try bytes(at: column)) else { throw Self.mismatch }
        return hash
    }

    fileprivate func key(at column: Int32) throws(Failure) -> AttemptKey {
        guard let key = AttemptKey(bytes: try bytes(at: column)) else { throw Self.mismatch }
        return key
    }

    fileprivate func accountID(at column: Int32) throws(Failure) -> AccountID {
        guard let id = AccountID(try text(at: column)) else { throw Self.mismatch }
        return id
    }

    fileprivate func sessionID(at column: Int32) throws(Failure) -> SessionID {
        guard let id = SessionID(try text(at: column)) else { throw Self.mismatch }
        return id
    }

    /// A name in its canonical form only: another one would never be found again.
    fileprivate func email(at column: Int32) throws(Failure) -> EmailAddress {
        guard let email = EmailAddress(stored: try text(at: column)) else {
            throw Self.mismatch
        }
        return email
    }

    fileprivate func flag(at column: Int32) throws(Failure) -> Bool {
        switch try integer(at: column) {
        case 0: return false
        case 1: return true
        default: throw Self.mismatch
        }
    }
}

extension Account: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        guard let password = PasswordHash(try row.text(at: column + 2)) else {
            throw Row.mismatch
        }
        self.init(
            id: try row.accountID(at: column), email: try row.email(at: column + 1),
            password: password, created: try row.time(at: column + 3),
            passwordChanged: try row.time(at: column + 4),
            isDisabled: try row.flag(at: column + 5))
    }
}

extension PasswordCostCount: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        guard let passes = UInt32(exactly: try row.integer(at: column)),
            let memory = UInt32(exactly: try row.integer(at: column + 1)),
            let accounts = UInt32(exactly: try row.integer(at: column + 2))
        else { throw Row.mismatch }
        self.init(
            cost: KeyDerivationCost(passes: passes, memoryKiB: memory), accounts: Int(accounts))
    }
}

extension DecoyKey: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        guard let key = DecoyKey(bytes: try row.bytes(at: column)) else { throw Row.mismatch }
        self = key
    }
}

extension SignInSession: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            id: try row.sessionID(at: column), account: try row.accountID(at: column + 1),
            client: try row.text(at: column + 2), created: try row.time(at: column + 3),
            refreshed: try row.time(at: column + 4), expires: try row.time(at: column + 5))
    }
}

extension AccessToken: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            hash: try row.hash(at: column), session: try row.sessionID(at: column + 1),
            issued: try row.time(at: column + 2), expires: try row.time(at: column + 3))
    }
}

/// The columns of the token, the session, and the account.
extension FoundAccessToken: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            token: try AccessToken(row, at: column),
            session: try SignInSession(row, at: column + 4),
            account: try Account(row, at: column + 10))
    }
}

extension RefreshToken: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            hash: try row.hash(at: column), session: try row.sessionID(at: column + 1),
            predecessor: row.isNull(at: column + 2) ? nil : try row.hash(at: column + 2),
            issued: try row.time(at: column + 3), expires: try row.time(at: column + 4),
            replaced: try row.optionalTime(at: column + 5))
    }
}

extension Invitation: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            code: try row.hash(at: column), email: try row.email(at: column + 1),
            created: try row.time(at: column + 2), expires: try row.time(at: column + 3))
    }
}

extension AttemptRecord: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            key: try row.key(at: column), failures: try row.integer(at: column + 1),
            next: try row.time(at: column + 2), last: try row.time(at: column + 3))
    }
}

extension KnownPlace: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self.init(
            account: try row.accountID(at: column), key: try row.key(at: column + 1),
            last: try row.time(at: column + 2))
    }
}

/// A number of rows.
extension Int: StoredValue {
    init<Row: StoredRow & ~Copyable>(_ row: borrowing Row, at column: Int32) throws(Row.Failure) {
        self = Int(try row.integer(at: column))
    }
}
