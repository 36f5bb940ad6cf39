/// What makes names without an account look like accounts.
extension AccountStatement {
    /// How many accounts have passwords of each cost.
    static let passwordCosts = AccountStatement(
        // A wrong number must not keep everybody out: less than none is none.
        sqlite: "SELECT passes, memory, max(accounts, 0) FROM password_costs",
        postgreSQL: """
            SELECT passes, memory, greatest(accounts, 0) FROM taskvault.account_password_costs
            """)

    /// Counts accounts of a cost: passes, memory, how many more.
    static let countPasswordCost = AccountStatement(
        sqlite: """
            INSERT INTO password_costs (passes, memory, accounts) VALUES (?1, ?2, ?3)
            ON CONFLICT (passes, memory) DO UPDATE SET accounts = accounts + ?3
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_password_costs AS c (passes, memory, accounts)
            VALUES ($1, $2, $3)
            ON CONFLICT (passes, memory) DO UPDATE SET accounts = c.accounts + $3
            """)

    /// The key of decoys.
    static let decoyKey = AccountStatement(
        sqlite: "SELECT value FROM secrets WHERE name = 'decoys'",
        postgreSQL: "SELECT value FROM taskvault.account_secrets WHERE name = 'decoys'")

    /// Adds the key of decoys: the key.
    static let insertDecoyKey = AccountStatement(
        sqlite: "INSERT INTO secrets (name, value) VALUES ('decoys', ?1)",
        postgreSQL: "INSERT INTO taskvault.account_secrets (name, value) VALUES ('decoys', $1)")
}
