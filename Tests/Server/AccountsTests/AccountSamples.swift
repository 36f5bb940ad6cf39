import Accounts
import Database
import Sealing
import TextCoding

/// Accounts and their rows, by numbers.
enum AccountSamples {
    static func time(_ milliseconds: Int64) -> PointInTime {
        PointInTime(milliseconds: milliseconds)
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 32 - text.utf8.count) + text
    }

    static func accountID(_ number: Int) -> AccountID {
        guard let id = AccountID(digits(number)) else { preconditionFailure("these are digits") }
        return id
    }

    static func sessionID(_ number: Int) -> SessionID {
        guard let id = SessionID(digits(number)) else { preconditionFailure("these are digits") }
        return id
    }

    static func email(_ text: String) -> EmailAddress {
        guard let email = EmailAddress(text) else { preconditionFailure("no address: \(text)") }
        return email
    }

    /// A string in the form of a hash; no password matches it.
    static func password(_ letter: Character = "A", passes: Int = 3) -> PasswordHash {
        let text =
            "$argon2id$v=19$m=65536,t=\(passes),p=1$" + String(repeating: letter, count: 22) + "$"
            + String(repeating: letter, count: 43)
        guard let hash = PasswordHash(text) else { preconditionFailure("no hash: \(text)") }
        return hash
    }

    static func account(
        _ number: Int, _ email: String? = nil, created: Int64 = 1_000, changed: Int64? = nil,
        isDisabled: Bool = false
    ) -> Account {
        Account(
            id: accountID(number), email: self.email(email ?? "person\(number)@example.org"),
            isEmailVerified: !number.isMultiple(of: 2),
            password: password(), created: time(created), passwordChanged: changed.map(time),
            isDisabled: isDisabled)
    }

    static func session(
        _ number: Int, of account: Int, client: String = "taskvault", created: Int64 = 2_000,
        refreshed: Int64? = nil, expires: Int64 = 900_000
    ) -> SignInSession {
        SignInSession(
            id: sessionID(number), account: accountID(account), client: client,
            created: time(created), refreshed: refreshed.map(time), expires: time(expires))
    }

    static func access(
        _ number: Int, of session: Int, issued: Int64 = 3_000, expires: Int64 = 10_000
    ) -> AccessToken {
        AccessToken(
            hash: TokenHash(of: "access \(number)"), session: sessionID(session),
            issued: time(issued), expires: time(expires))
    }

    static func refresh(
        _ number: Int, of session: Int, after predecessor: Int? = nil, expires: Int64 = 500_000,
        replaced: Int64? = nil
    ) -> RefreshToken {
        RefreshToken(
            hash: TokenHash(of: "refresh \(number)"), session: sessionID(session),
            predecessor: predecessor.map { TokenHash(of: "refresh \($0)") }, issued: time(3_000),
            expires: time(expires), replaced: replaced.map(time))
    }

    static func invitation(
        _ number: Int, _ email: String, created: Int64 = 1_000, expires: Int64 = 600_000
    ) -> Invitation {
        Invitation(
            code: TokenHash(of: "invitation \(number)"), email: self.email(email),
            created: time(created), expires: time(expires))
    }

    static func key(_ number: Int) -> AttemptKey {
        guard let key = AttemptKey(bytes: TokenHash(of: "key \(number)").bytes) else {
            preconditionFailure("a hash has the size of a key")
        }
        return key
    }

    static func attempts(
        _ number: Int, failures: Int64 = 1, last: Int64
    ) -> AttemptRecord {
        AttemptRecord(
            key: key(number),
            guesses: [Guess(origin: UInt64(bitPattern: failures), time: time(last))],
            expires: time(last))
    }

    static func device(
        _ number: Int, of account: Int, last: Int64, isConfirmed: Bool = true
    ) -> KnownDevice {
        KnownDevice(
            hash: TokenHash(of: "device \(number)"), account: accountID(account),
            last: time(last), isConfirmed: isConfirmed)
    }
}

extension AttemptRecord {
    /// The number that a sample counts.
    var failures: Int64 { guesses.first.map { Int64(bitPattern: $0.origin) } ?? 0 }
}

extension AccountRepository {
    /// Adds accounts `1...count`, each with a session, an access token and a refresh token of its number.
    func fill(_ count: Int) throws {
        try change { writer in
            for number in 1...count {
                try writer.insert(AccountSamples.account(number))
                try writer.insert(AccountSamples.session(number, of: number))
                try writer.insert(AccountSamples.access(number, of: number))
                try writer.insert(AccountSamples.refresh(number, of: number))
            }
        }
    }
}

/// All rows with numbers from 0 to 9.
struct Everything: Equatable {
    var accounts: [Account]
    var sessions: [[SignInSession]] = []
    var devices: [[KnownDevice]] = []
    var invitations: [Invitation]
    var access: [AccessTokenDetails?] = []
    var refresh: [RefreshToken?] = []
    var attempts: [AttemptRecord?] = []

    init(_ repository: AccountRepository) throws {
        self = try repository.read { try Everything($0) }
    }

    init(_ transaction: AccountTransaction) throws {
        accounts = try transaction.accounts(after: nil, limit: .max)
        invitations = try transaction.invitations()
        for number in 0..<10 {
            let id = AccountSamples.accountID(number)
            sessions.append(try transaction.sessions(of: id))
            devices.append(try transaction.knownDevices(of: id))
            access.append(try transaction.accessToken(TokenHash(of: "access \(number)")))
            refresh.append(
                try transaction.refreshToken(TokenHash(of: "refresh \(number)")))
            attempts.append(try transaction.attempts(AccountSamples.key(number)))
        }
    }
}

/// The database's error that `body` throws; nil if it throws none or another one.
func databaseError(_ body: () throws -> Void) -> DatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}
