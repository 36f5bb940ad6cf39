internal import Accounts
internal import CSodium
internal import Sealing
internal import TextCoding

/// Accounts that all have the same password, each with a session and its tokens.
struct SampleAccounts {
    /// An account with tokens that are good for an hour at least.
    struct Entry: Sendable {
        let email: String
        let access: String
        let refresh: String
    }

    static let password = "correct horse battery"
    static let clientName = "benchmark"
    static let clientSecret = "tvc_" + String(repeating: "5", count: 64)
    static var clientSecretHash: String {
        TokenHash(of: clientSecret).bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The Argon2id string of the password, with the cost that a server has by itself.
    let hash: String
    let entries: [Entry]

    init(count: Int) throws {
        hash = try BareVerification.hash(of: Self.password, AccountRules.standardPasswordCost)
        entries = (0..<count).map { number in
            let digits = String(100_000 + number)
            return Entry(
                email: "ada.\(digits)@example.org", access: "tva_" + Self.randomLetters(43),
                refresh: "tvr_" + Self.randomLetters(43))
        }
    }

    /// Puts them into a database.
    func fill(_ repository: AccountRepository) throws {
        guard let password = PasswordHash(hash) else { throw BenchmarkFailure("no hash") }
        let now = PointInTime.now
        let later = now.advanced(by: .seconds(24 * 60 * 60))
        try repository.change { writer in
            for entry in entries {
                guard let email = EmailAddress(entry.email) else {
                    throw BenchmarkFailure("no name")
                }
                let account = Account(email: email, password: password, created: now)
                let session = SignInSession(
                    account: account.id, client: OAuthClientName.taskvault, created: now,
                    expires: later)
                try writer.insert(account)
                try writer.insert(session)
                try writer.insert(
                    AccessToken(
                        hash: TokenHash(of: entry.access), session: session.id, issued: now,
                        expires: later))
                try writer.insert(
                    RefreshToken(
                        hash: TokenHash(of: entry.refresh), session: session.id, issued: now,
                        expires: later))
            }
        }
    }

    /// Makes sure that every account has the hash that the baseline verifies.
    func requireSameHashes(_ repository: AccountRepository) throws {
        for entry in entries {
            guard let email = EmailAddress(entry.email),
                try repository.read({ try $0.account(email) })?.password.text == hash
            else { throw BenchmarkFailure("the server verified another hash than the baseline") }
        }
    }

    private static func randomLetters(_ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return String((0..<count).map { _ in letters[Int(randombytes_uniform(64))] })
    }
}

/// Names of OAuth clients.
enum OAuthClientName {
    /// The public client that every server knows.
    static let taskvault = "taskvault"
}
