@testable import AccountStorage
import Database
import Testing
import TestSupport

/// That statements stay quick is seen in how the databases will find their rows, and not measured.
@Suite("Rows of accounts")
struct QueryPlanTests {
    /// A statement that finds rows by an index or a key, and the index in SQLite's plan.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statement: AccountStatement
        let parameters: [StoredParameter]
        let steps: [String]
    }

    private static let text = StoredParameter.text("")
    private static let bytes = StoredParameter.bytes([])
    private static let number = StoredParameter.integer(5)

    static let cases = [
        Case(
            testDescription: "an access token", statement: .accessToken, parameters: [bytes],
            steps: [
                "SEARCH t USING PRIMARY KEY (hash=?)", "SEARCH s USING PRIMARY KEY (id=?)",
                "SEARCH a USING PRIMARY KEY (id=?)",
            ]),
        Case(
            testDescription: "an account of a name", statement: .accountOfEmail,
            parameters: [text],
            steps: ["SEARCH accounts USING INDEX accounts_by_email (email=?)"]),
        Case(
            testDescription: "a page of accounts", statement: .accountsAfter,
            parameters: [text, number],
            steps: ["SEARCH accounts USING INDEX accounts_by_email (email>?)"]),
        Case(
            testDescription: "sessions of an account", statement: .sessionsOfAccount,
            parameters: [text],
            steps: ["SEARCH sessions USING INDEX sessions_by_account (account=?)"]),
        Case(
            testDescription: "the current refresh token", statement: .currentRefreshToken,
            parameters: [text],
            steps: [
                "SEARCH refresh_tokens USING INDEX refresh_tokens_by_session (session=? AND replaced=?)"
            ]),
        Case(
            testDescription: "access tokens of a session", statement: .removeAccessTokensOfSession,
            parameters: [text],
            steps: [
                "SEARCH access_tokens USING COVERING INDEX access_tokens_by_session (session=?)"
            ]),
        Case(
            testDescription: "refresh tokens of a session",
            statement: .removeRefreshTokensOfSession, parameters: [text],
            steps: [
                "SEARCH refresh_tokens USING COVERING INDEX refresh_tokens_by_session (session=?)"
            ]),
        Case(
            testDescription: "the oldest access tokens of a session",
            statement: .removeAccessTokensBeyond, parameters: [text, number],
            steps: [
                "SEARCH access_tokens USING PRIMARY KEY (hash=?)", "LIST SUBQUERY 1",
                "SEARCH access_tokens USING COVERING INDEX access_tokens_by_session (session=?)",
            ]),
        Case(
            testDescription: "the newest replaced token that is one too many",
            statement: .replacedTokenBeyond, parameters: [text, number],
            steps: [
                "SEARCH refresh_tokens USING INDEX refresh_tokens_by_session (session=? AND replaced>?)"
            ]),
        Case(
            testDescription: "the oldest replaced tokens of a session",
            statement: .removeReplacedTokensUpTo, parameters: [text, number, bytes],
            steps: [
                "SEARCH refresh_tokens USING COVERING INDEX refresh_tokens_by_session (session=? AND (replaced,hash)<(?,?))"
            ]),
        Case(
            testDescription: "access tokens that expired", statement: .purgeAccessTokens,
            parameters: [number],
            steps: [
                "SEARCH access_tokens USING COVERING INDEX access_tokens_by_expiry (expires<?)"
            ]),
        Case(
            testDescription: "refresh tokens that expired", statement: .purgeRefreshTokens,
            parameters: [number],
            steps: [
                "SEARCH refresh_tokens USING COVERING INDEX refresh_tokens_by_expiry (expires<?)"
            ]),
        Case(
            testDescription: "sessions that expired", statement: .purgeSessions,
            parameters: [number],
            steps: ["SEARCH sessions USING COVERING INDEX sessions_by_expiry (expires<?)"]),
        Case(
            testDescription: "invitations that are void", statement: .purgeInvitations,
            parameters: [number],
            steps: ["SEARCH invitations USING COVERING INDEX invitations_by_expiry (expires<?)"]),
        Case(
            testDescription: "the oldest attempts", statement: .removeOldestAttempts,
            parameters: [number],
            steps: [
                "SEARCH attempts USING PRIMARY KEY (key=?)", "LIST SUBQUERY 1",
                "SCAN attempts USING COVERING INDEX attempts_by_time",
            ]),
        Case(
            testDescription: "old attempts", statement: .purgeAttempts, parameters: [number],
            steps: ["SEARCH attempts USING COVERING INDEX attempts_by_time (last<?)"]),
        Case(
            testDescription: "old places", statement: .purgeKnownPlaces, parameters: [number],
            steps: ["SEARCH known_places USING COVERING INDEX known_places_by_time (last<?)"]),
    ]

    // Not here: `password_costs` has as many rows as there ever were costs, and is read whole; the sessions of one account, of which there is a
    // bounded number, are sorted when somebody signs in.

    @Test("are found by an index in a file, without sorting", arguments: cases)
    func file(example: Case) throws {
        let connection = try SQLiteConnection(
            path: ":memory:", options: .init(access: .create))
        defer { connection.close() }
        try connection.run(script: HostileAccountFile.schema)
        let statement = try connection.statement(
            assembled: "EXPLAIN QUERY PLAN \(example.statement.sqlite)")
        var steps: [String] = []
        while try statement.step() {
            steps.append(String(decoding: try statement.text(at: 3), as: UTF8.self))
        }
        #expect(steps == example.steps)
    }

    @Test(
        "can be found by an index on a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func server() throws {
        try withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            try PostgreSQLAccountRepository.open(address).close()
            let server = try PostgreSQLConnection(to: address)
            defer { server.close() }
            // Tables without rows are read from end to end by whoever may.
            try server.run(script: "SET enable_seqscan = off; SET enable_bitmapscan = off")
            for example in Self.cases {
                let rows = try server.rows(
                    once: "EXPLAIN \(example.statement.postgreSQL)",
                    example.parameters.map(PostgreSQLParameter.init))
                let plan = try rows.map { try $0.text(at: 0) }.joined(separator: "\n")
                #expect(plan.contains("Index"), "\(example.testDescription)\n\(plan)")
                #expect(
                    !plan.contains("Seq Scan") && !plan.contains("Sort"),
                    "\(example.testDescription)\n\(plan)")
            }
        }
    }
}
