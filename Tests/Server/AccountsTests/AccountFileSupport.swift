import Accounts
import Database
import Platform
import Sealing
import TestSupport

/// Account files that are made by SQL and not by the code under test.
enum HostileAccountFile {
    /// The schema in `Docs/Storage.md`.
    static let schema =
        Checkout.statements(under: "### accounts.db").joined(separator: ";\n") + numbers(11)

    /// The schema of an earlier version, from 7, with ``rows``.
    static func earlier(_ version: Int) -> String {
        let added = [
            ", scope TEXT NOT NULL DEFAULT 'account', resource TEXT",
            ", network TEXT NOT NULL DEFAULT '', device TEXT NOT NULL DEFAULT ''"
                + ", logged INTEGER NOT NULL DEFAULT 0",
        ]
        let tables = version < 8 ? ["second_factors", "recovery_codes"] : []
        let sync = version < 10 ? " sync_" : "sync_blobs_by_place"
        let later = (version < 9 ? ["audit_events_by_"] : []) + tables + [sync]
        let statements = Checkout.statements(under: "### accounts.db").filter { statement in
            !later.contains { statement.contains($0) }
        }
        let all = statements.joined(separator: ";\n")
        if version == 10 {
            let key = ", PRIMARY KEY (account, circle, area, name)) STRICT, WITHOUT ROWID"
            let blobs = all.replacing(
                "content BLOB NOT NULL) STRICT", with: "content BLOB NOT NULL" + key)
            return blobs + numbers(version) + rows + blob
        }
        guard version < 9 else { return all + numbers(version) + rows }
        let schema = added.reduce(all) { text, columns in text.replacing(columns, with: "") }
        return schema + numbers(version) + rows.replacing(", 'account', NULL", with: "")
    }

    /// The blob at `SyncSamples.place("1")` of account 1.
    private static let blob: String = {
        let place = SyncSamples.place("1")
        return """
            INSERT INTO sync_blobs VALUES ('\(AccountSamples.accountID(1).text)',
                '\(place.group.text)', '\(place.area.text)', '\(place.name)', x'0102');

            """
    }()

    private static func numbers(_ version: Int) -> String {
        ";\nPRAGMA application_id = 1414938947;\nPRAGMA user_version = \(version);\n"
    }

    /// Account 1 of `AccountSamples`, with session, access token and refresh token 1.
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
            INSERT INTO accounts VALUES ('\(account.id.text)', '\(account.email.text)', 1,
                '\(account.password.text)', 1000, 1000, 0);
            INSERT INTO sessions VALUES ('\(session.id.text)', '\(account.id.text)', 'taskvault',
                2000, 2000, 900000, 'account', NULL);
            INSERT INTO access_tokens VALUES (x'\(hash("access 1"))', '\(session.id.text)',
                3000, 10000, 'account', NULL);
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

/// The errors of opening a file in each of three ways; nil for success.
func openErrors(_ path: String) -> [DatabaseError?] {
    [
        databaseError { try AccountRepository.openOrCreate(.file(path)).close() },
        databaseError { try AccountRepository.open(.file(path)).close() },
        databaseError { try AccountRepository.open(.file(path), readOnly).close() },
    ]
}

let readOnly = DatabaseOptions(mode: .readOnly, connections: 5)

extension AccountRepository {
    /// Whether access token 1 is found.
    func hasToken() throws -> Bool {
        try read { try $0.accessToken(TokenHash(of: "access 1")) } != nil
    }
}
