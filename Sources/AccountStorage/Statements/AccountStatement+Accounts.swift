/// Accounts and invitations.
extension AccountStatement {
    /// An account: id.
    static let account = AccountStatement(
        sqlite: """
            SELECT id, email, password, created, password_changed, disabled
            FROM accounts WHERE id = ?1
            """,
        postgreSQL: """
            SELECT id, email, password, created, password_changed, disabled
            FROM taskvault.account_items WHERE id = $1
            """)

    /// An account: name.
    static let accountOfEmail = AccountStatement(
        sqlite: """
            SELECT id, email, password, created, password_changed, disabled
            FROM accounts WHERE email = ?1
            """,
        postgreSQL: """
            SELECT id, email, password, created, password_changed, disabled
            FROM taskvault.account_items WHERE email = $1
            """)

    /// Accounts in the order of their names: the name before, the most there may be.
    static let accountsAfter = AccountStatement(
        sqlite: """
            SELECT id, email, password, created, password_changed, disabled
            FROM accounts WHERE email > ?1 ORDER BY email LIMIT ?2
            """,
        postgreSQL: """
            SELECT id, email, password, created, password_changed, disabled
            FROM taskvault.account_items WHERE email > $1 ORDER BY email LIMIT $2
            """)

    /// Adds an account, unless id or name is taken: the columns.
    static let insertAccount = AccountStatement(
        sqlite: """
            INSERT INTO accounts (id, email, password, created, password_changed, disabled)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_items (id, email, password, created, password_changed,
                disabled)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
            """)

    /// Changes an account: id, password, its time, whether it is disabled.
    static let updateAccount = AccountStatement(
        sqlite:
            "UPDATE accounts SET password = ?2, password_changed = ?3, disabled = ?4 WHERE id = ?1",
        postgreSQL: """
            UPDATE taskvault.account_items SET password = $2, password_changed = $3, disabled = $4
            WHERE id = $1
            """)

    /// Removes an account: id.
    static let removeAccount = AccountStatement(
        sqlite: "DELETE FROM accounts WHERE id = ?1",
        postgreSQL: "DELETE FROM taskvault.account_items WHERE id = $1")

    /// An invitation: code.
    static let invitation = AccountStatement(
        sqlite: "SELECT code, email, created, expires FROM invitations WHERE code = ?1",
        postgreSQL: """
            SELECT code, email, created, expires FROM taskvault.account_invitations WHERE code = $1
            """)

    /// All invitations.
    static let invitations = AccountStatement(
        sqlite: "SELECT code, email, created, expires FROM invitations ORDER BY created, email",
        postgreSQL: """
            SELECT code, email, created, expires
            FROM taskvault.account_invitations ORDER BY created, email
            """)

    /// Adds an invitation: the columns.
    static let insertInvitation = AccountStatement(
        sqlite: "INSERT INTO invitations (code, email, created, expires) VALUES (?1, ?2, ?3, ?4)",
        postgreSQL: """
            INSERT INTO taskvault.account_invitations (code, email, created, expires)
            VALUES ($1, $2, $3, $4)
            """)

    /// Removes an invitation: code.
    static let removeInvitation = AccountStatement(
        sqlite: "DELETE FROM invitations WHERE code = ?1",
        postgreSQL: "DELETE FROM taskvault.account_invitations WHERE code = $1")

    /// Removes the invitation of a name: name.
    static let removeInvitationsOfEmail = AccountStatement(
        sqlite: "DELETE FROM invitations WHERE email = ?1",
        postgreSQL: "DELETE FROM taskvault.account_invitations WHERE email = $1")

    /// Removes invitations that expired: before when.
    static let purgeInvitations = AccountStatement(
        sqlite: "DELETE FROM invitations WHERE expires < ?1",
        postgreSQL: "DELETE FROM taskvault.account_invitations WHERE expires < $1")
}
