import Accounts
import AccountStorage
import Database
import Foundation
import Platform
import Sealing
import TestSupport
import VaultStorage

/// Makes files that pretend to hold accounts.
enum HostileAccountFile {
    /// The schema as the page tells it, and not taken from the code.
    static let schema =
        Checkout.statements(under: "### accounts.db").joined(separator: ";\n")
        + ";\nPRAGMA application_id = 1414938947;\nPRAGMA user_version = 2;\n"

    /// What makes a file of version 1 of one of version 2.
    static let olderSchema = """
        DROP TABLE password_costs;
        DROP TABLE secrets;
        DROP INDEX access_tokens_by_session;
        DROP INDEX refresh_tokens_by_session;
        CREATE INDEX access_tokens_by_session ON access_tokens (session);
        CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session, replaced);
        PRAGMA user_version = 1;

        """

    /// Account 1 of `AccountSamples`, with session, access and refresh token 1.
    static let rows: String = {
        let account = AccountSamples.account(1)
        let session = AccountSamples.session(1, of: 1)
        func hash(_ token: String) -> String {
            TokenHash(of: token).bytes.map { byte in
                let digits = String(byte, radix: 16)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }.joined()
        }
        return """
            INSERT INTO accounts VALUES ('\(account.id.text)', '\(account.email.text)',
                '\(account.password.text)', 1000, 1000, 0);
            INSERT INTO password_costs VALUES (3, 65536, 1);
            INSERT INTO sessions VALUES ('\(session.id.text)', '\(account.id.text)', 'taskvault',
                2000, 2000, 900000);
            INSERT INTO access_tokens VALUES (x'\(hash("access 1"))', '\(session.id.text)',
                3000, 10000);
            INSERT INTO refresh_tokens VALUES (x'\(hash("refresh 1"))', '\(session.id.text)', NULL,
                3000, 500000, NULL);

            """
    }()

    /// Makes an SQLite file of mode 0600 by SQL.
    static func make(at path: String, script: String) throws {
        let database = try SQLiteConnection(path: path, options: .init(access: .create))
        defer { database.close() }
        try database.run(script: script)
        guard unsafe chmod(path, 0o600) == 0 else { throw TestFile.Failure(code: errno) }
    }
}

/// What opening a file for writing and for reading fails with; nil where it does not.
func openErrors(_ path: String) -> [AccountRepositoryError?] {
    [
        accountError { try SQLiteAccountRepository.openOrCreate(at: path).close() },
        accountError { try SQLiteAccountRepository.open(at: path, mode: .readWrite)?.close() },
        accountError { try SQLiteAccountRepository.open(at: path, mode: .readOnly)?.close() },
    ]
}

extension AccountRepository {
    /// Whether access token 1 is found.
    func hasToken() throws -> Bool {
        try accessToken(TokenHash(of: "access 1")) != nil
    }
}
