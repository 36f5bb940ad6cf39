/// Attempts and known places.
extension AccountStatement {
    /// What is remembered of attempts: key.
    static let attempts = AccountStatement(
        sqlite: "SELECT key, failures, next, last FROM attempts WHERE key = ?1",
        postgreSQL:
            "SELECT key, failures, next, last FROM taskvault.account_attempts WHERE key = $1")

    /// Remembers attempts: the columns.
    static let putAttempts = AccountStatement(
        sqlite: """
            INSERT INTO attempts (key, failures, next, last) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (key) DO UPDATE SET failures = ?2, next = ?3, last = ?4
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_attempts (key, failures, next, last)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (key) DO UPDATE SET failures = $2, next = $3, last = $4
            """)

    /// Forgets attempts: key.
    static let removeAttempts = AccountStatement(
        sqlite: "DELETE FROM attempts WHERE key = ?1",
        postgreSQL: "DELETE FROM taskvault.account_attempts WHERE key = $1")

    /// The number of keys.
    static let countAttempts = AccountStatement(
        sqlite: "SELECT count(*) FROM attempts",
        postgreSQL: "SELECT count(*) FROM taskvault.account_attempts")

    /// Forgets the oldest attempts: of how many keys.
    static let removeOldestAttempts = AccountStatement(
        sqlite: """
            DELETE FROM attempts WHERE key IN (SELECT key FROM attempts ORDER BY last, key LIMIT ?1)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_attempts
            WHERE key IN (SELECT key FROM taskvault.account_attempts ORDER BY last, key LIMIT $1)
            """)

    /// Forgets attempts: those before when.
    static let purgeAttempts = AccountStatement(
        sqlite: "DELETE FROM attempts WHERE last < ?1",
        postgreSQL: "DELETE FROM taskvault.account_attempts WHERE last < $1")

    /// The places of an account: account.
    static let knownPlaces = AccountStatement(
        sqlite: """
            SELECT account, key, last FROM known_places WHERE account = ?1 ORDER BY last DESC, key
            """,
        postgreSQL: """
            SELECT account, key, last
            FROM taskvault.account_known_places WHERE account = $1 ORDER BY last DESC, key
            """)

    /// Remembers a place: the columns.
    static let putKnownPlace = AccountStatement(
        sqlite: """
            INSERT INTO known_places (account, key, last) VALUES (?1, ?2, ?3)
            ON CONFLICT (account, key) DO UPDATE SET last = ?3
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_known_places (account, key, last) VALUES ($1, $2, $3)
            ON CONFLICT (account, key) DO UPDATE SET last = $3
            """)

    /// Forgets all places but those that were used last: account, how many to keep.
    static let keepKnownPlaces = AccountStatement(
        sqlite: """
            DELETE FROM known_places WHERE account = ?1
            AND key IN (SELECT key FROM known_places WHERE account = ?1 ORDER BY last DESC, key
                LIMIT -1 OFFSET ?2)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_known_places WHERE account = $1
            AND key IN (SELECT key FROM taskvault.account_known_places WHERE account = $1 ORDER BY
                last DESC, key OFFSET $2)
            """)

    /// Forgets the places of an account: account.
    static let removeKnownPlaces = AccountStatement(
        sqlite: "DELETE FROM known_places WHERE account = ?1",
        postgreSQL: "DELETE FROM taskvault.account_known_places WHERE account = $1")

    /// Forgets places: those last used before when.
    static let purgeKnownPlaces = AccountStatement(
        sqlite: "DELETE FROM known_places WHERE last < ?1",
        postgreSQL: "DELETE FROM taskvault.account_known_places WHERE last < $1")

    /// Asks something that costs little.
    static let check = AccountStatement(
        sqlite: "SELECT 1 WHERE EXISTS (SELECT 1 FROM accounts)",
        postgreSQL: "SELECT 1::bigint WHERE EXISTS (SELECT 1 FROM taskvault.account_items)")
}
