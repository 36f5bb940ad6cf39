import Accounts
@testable import Database
import Testing
import TestSupport

/// Statements stay quick however many accounts there are: the databases' plans show it, without a measurement.
@Suite("Statements of accounts")
struct QueryPlanTests {
    /// A call, and the plans of its statements in SQLite.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let plans: [[String]]
        let call: @Sendable (AccountTransaction) throws -> Void

        init(
            _ testDescription: String, _ plans: [[String]],
            _ call: @escaping @Sendable (AccountTransaction) throws -> Void
        ) {
            self.testDescription = testDescription
            self.plans = plans
            self.call = call
        }
    }

    private static let byAccount = "SEARCH sessions USING INDEX sessions_by_account (account=?)"
    private static let ofAccount =
        "SEARCH sessions USING COVERING INDEX sessions_by_account (account=?)"
    private static let accessOfSession =
        "SEARCH access_tokens USING COVERING INDEX access_tokens_by_session (session=?)"
    private static let refreshOfSession =
        "SEARCH refresh_tokens USING COVERING INDEX refresh_tokens_by_session (session=?)"

    private static func expired(_ table: String) -> String {
        "SEARCH \(table) USING COVERING INDEX \(table)_by_expiry (expires<?)"
    }

    static let cases = [
        Case(
            "find an access token",
            [
                [
                    "SEARCH t USING PRIMARY KEY (hash=?)", "SEARCH s USING PRIMARY KEY (id=?)",
                    "SEARCH a USING PRIMARY KEY (id=?)",
                ]
            ]
        ) { _ = try $0.accessToken(TokenHash(of: "access 1")) },
        Case(
            "find an account by its name",
            [["SEARCH accounts USING INDEX accounts_by_email (email=?)"]]
        ) { _ = try $0.account(AccountSamples.email("person1@example.org")) },
        Case(
            "list a page of accounts",
            [["SEARCH accounts USING INDEX accounts_by_email (email>?)"]]
        ) { _ = try $0.accounts(after: nil, limit: 5) },
        Case(
            "list the newest events of an account",
            [["SEARCH audit_events USING INDEX audit_events_by_subject (subject=?)"]]
        ) { _ = try $0.auditEvents(of: AccountSamples.accountID(1), limit: 20) },
        Case("list the sessions of an account", [[byAccount]]) {
            _ = try $0.sessions(of: AccountSamples.accountID(1))
        },
        Case(
            "find the current refresh token",
            [
                [
                    "SEARCH refresh_tokens USING INDEX refresh_tokens_by_session (session=? AND replaced=?)"
                ]
            ]
        ) { _ = try $0.currentRefreshToken(of: AccountSamples.sessionID(1)) },
        Case(
            "end a session",
            [
                [accessOfSession], [refreshOfSession],
                ["SEARCH sessions USING PRIMARY KEY (id=?)"],
            ]
        ) { try $0.end(AccountSamples.sessionID(1)) },
        Case(
            "end the sessions of an account",
            [
                [accessOfSession, "LIST SUBQUERY 1", ofAccount],
                [refreshOfSession, "LIST SUBQUERY 1", ofAccount], [ofAccount],
            ]
        ) { try $0.endSessions(of: AccountSamples.accountID(1)) },
        Case(
            "remove the oldest access tokens of a session",
            [
                [
                    "SEARCH access_tokens USING PRIMARY KEY (hash=?)", "LIST SUBQUERY 1",
                    accessOfSession,
                ]
            ]
        ) { try $0.removeAccessTokens(of: AccountSamples.sessionID(1), keeping: 5) },
        Case(
            "remove the oldest replaced tokens of a session",
            [
                [
                    "SEARCH refresh_tokens USING INDEX refresh_tokens_by_session (session=? AND replaced>?)"
                ],
                [
                    "SEARCH refresh_tokens USING COVERING INDEX refresh_tokens_by_session (session=? AND (replaced,hash)<(?,?))"
                ],
            ]
        ) { _ = try $0.removeReplacedTokens(of: AccountSamples.sessionID(2), keeping: 0) },
        Case(
            "remove attempts without effect",
            [[expired("attempts")]]
        ) { try $0.removeAttempts(expiredAt: AccountSamples.time(0)) },
        Case(
            "list the devices of an account",
            [
                [
                    "SEARCH known_devices USING COVERING INDEX known_devices_by_account (account=?)"
                ]
            ]
        ) { _ = try $0.knownDevices(of: AccountSamples.accountID(1)) },
        Case(
            "list the second factors of an account",
            [["SEARCH second_factors USING INDEX second_factors_by_account (account=?)"]]
        ) { _ = try $0.secondFactors(of: AccountSamples.accountID(1)) },
        Case(
            "take a recovery code",
            [["SEARCH recovery_codes USING PRIMARY KEY (hash=?)"]]
        ) {
            _ = try $0.takeRecoveryCode(TokenHash(of: "code"), of: AccountSamples.accountID(1))
        },
        Case(
            "count the recovery codes of an account",
            [["SEARCH recovery_codes USING COVERING INDEX recovery_codes_by_account (account=?)"]]
        ) { _ = try $0.countRecoveryCodes(of: AccountSamples.accountID(1)) },
        Case(
            "list where the sessions of an account began",
            [["SEARCH session_devices USING INDEX session_devices_by_account (account=?)"]]
        ) { _ = try $0.devices(of: AccountSamples.accountID(1)) },
        Case(
            "purge expired rows",
            [
                [expired("access_tokens")], [expired("refresh_tokens")],
                [accessOfSession, "LIST SUBQUERY 1", expired("sessions")],
                [refreshOfSession, "LIST SUBQUERY 1", expired("sessions")],
                [expired("session_devices")], [expired("sessions")], [expired("invitations")],
                [expired("attempts")],
                ["SEARCH known_devices USING COVERING INDEX known_devices_by_time (last<?)"],
            ]
        ) { writer in
            let time = AccountSamples.time(0)
            _ = try writer.purge(expiredBefore: time, devicesBefore: time)
        },
        Case(
            "find a subscription by its endpoint",
            [["SEARCH subscriptions USING INDEX subscriptions_by_endpoint (endpoint=?)"]]
        ) { _ = try $0.subscription(TokenHash(of: "endpoint 1")) },
        Case(
            "find an inbox by its token",
            [["SEARCH inboxes USING INDEX inboxes_by_receiving (receiving=?)"]]
        ) { _ = try $0.inbox(receiving: TokenHash(of: "receiving 1")) },
        Case(
            "read the messages of an inbox",
            [["SEARCH messages USING PRIMARY KEY (inbox=? AND number>?)"]]
        ) {
            _ = try $0.messages(
                of: InboxSamples.id(1), after: 0, at: AccountSamples.time(0), limit: 5)
        },
        Case(
            "remove the message of a topic",
            [["SEARCH messages USING PRIMARY KEY (inbox=?)"]]
        ) {
            _ = try $0.removeMessages(
                of: InboxSamples.subscription(1), topic: "t", at: AccountSamples.time(0))
        },
        Case(
            "find the inboxes and groups that changed",
            [
                ["SEARCH changes USING PRIMARY KEY (id=?)"],
                ["SEARCH inboxes USING COVERING INDEX inboxes_by_change (changed>? AND changed<?)"],
                [
                    "SEARCH sync_groups USING COVERING INDEX sync_groups_by_change (changed>? AND changed<?)"
                ],
            ]
        ) { _ = try $0.changed(after: 0, limit: 5) },
        Case(
            "find the account of a token of sync",
            [["SEARCH t USING PRIMARY KEY (hash=?)", "SEARCH a USING PRIMARY KEY (id=?)"]]
        ) { _ = try $0.syncAccount(TokenHash(of: "sync 1")) },
        Case(
            "list the names of an area",
            [
                [
                    "SEARCH sync_blobs USING COVERING INDEX sync_blobs_by_place (account=? AND circle=? AND area=? AND name>?)"
                ]
            ]
        ) {
            _ = try $0.blobNames(
                AccountSamples.accountID(1), InboxSamples.id(1), .members, after: "", limit: 5)
        },
        Case(
            "list the names of all areas",
            [
                [
                    "SEARCH sync_blobs USING COVERING INDEX sync_blobs_by_place (account=? AND circle=? AND (area,name)>(?,?) AND area<?)"
                ]
            ]
        ) {
            _ = try $0.blobPlaces(
                AccountSamples.accountID(1), InboxSamples.id(1), after: ("", ""),
                before: "files", limit: 5)
        },
        Case(
            "find a blob",
            [
                [
                    "SEARCH sync_blobs USING INDEX sync_blobs_by_place (account=? AND circle=? AND area=? AND name=?)"
                ]
            ]
        ) { _ = try $0.blob(AccountSamples.accountID(1), SyncSamples.place("1")) },
        Case(
            "acknowledge a message",
            [["SEARCH messages USING PRIMARY KEY (inbox=?)"]]
        ) { _ = try $0.removeMessages([InboxSamples.id(1_001)], of: InboxSamples.id(1)) },
        Case(
            "purge expired messages and ended subscriptions",
            [
                ["SEARCH messages USING COVERING INDEX messages_by_expiry (expires<?)"],
                ["SEARCH subscriptions USING COVERING INDEX subscriptions_by_end (ended<?)"],
            ]
        ) { writer in
            let time = AccountSamples.time(0)
            _ = try writer.purgeInboxes(expiredBefore: time, endedBefore: time)
        },
    ]

    // Not here: `countMessagesBySubscription(of:at:)`, which reads the bounded number of messages of an inbox; `checklists()`, which sorts all of them; `endSessions(of:keeping:)`, which sorts the bounded number of sessions of one account.

    /// The statements of a call on a database in memory with two accounts.
    private static func statements(of example: Case) throws -> [StatementLog.Entry] {
        let log = StatementLog()
        let repository = try AccountRepository.openOrCreate(.memory, log.options(DatabaseOptions()))
        defer { repository.close() }
        try repository.fill(2)
        return try repository.change { writer in
            try writer.setReplaced(TokenHash(of: "refresh 2"), at: AccountSamples.time(5))
            _ = log.take()
            try example.call(writer)
            return log.take()
        }
    }

    @Test("use an index in a file, and sort nothing", arguments: cases)
    func file(example: Case) throws {
        let connection = try SQLiteConnection(path: ":memory:", options: .init(access: .create))
        defer { connection.close() }
        try connection.run(script: HostileAccountFile.schema)
        let plans = try Self.statements(of: example).map { sql, _ in
            let statement = try connection.statement(
                assembled: "EXPLAIN QUERY PLAN \(sql.sqlite.string)")
            var steps: [String] = []
            while try statement.step() { steps.append(try statement.row.text(3)) }
            return steps
        }
        #expect(plans == example.plans)
    }

    @Test(
        "can use an index on a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func server() throws {
        try withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            try AccountRepository.openOrCreate(.server(address)).close()
            let server = try PostgreSQLConnection(to: address)
            defer { server.close() }
            // Otherwise the planner prefers to read small tables as a whole.
            try server.run(
                script: """
                    SET search_path = taskvault_accounts;
                    SET enable_seqscan = off; SET enable_bitmapscan = off
                    """)
            for example in Self.cases {
                for (sql, values) in try Self.statements(of: example) {
                    let own = sql.postgreSQL.string
                    let text = own.hasPrefix("SELECT") ? server.bounded(own) : own
                    let rows = try server.answer(once: "EXPLAIN \(text)", values).rows
                    let plan = try rows.map { try $0.text(0) }.joined(separator: "\n")
                    #expect(plan.contains("Index"), "\(example.testDescription)\n\(plan)")
                    #expect(
                        !plan.contains("Seq Scan") && !plan.contains("Sort"),
                        "\(example.testDescription)\n\(plan)")
                }
            }
        }
    }
}

extension SQL.Text {
    var string: String {
        switch self {
        case .literal(let text): "\(text)"
        case .constant(let text): text.text
        case .assembled(let text): text
        }
    }
}
