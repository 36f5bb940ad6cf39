internal import Database

/// Second factors and recovery codes.
extension AccountTransaction {
    /// The second factors of an account, the oldest first.
    public func secondFactors(of account: AccountID) throws -> [SecondFactor] {
        try transaction.rows(
            """
            SELECT id, account, label, credential, key, created, used, spent FROM second_factors
            WHERE account = $1 ORDER BY created, id
            """, [.text(account.text)], SecondFactor.init)
    }

    /// Adds a second factor.
    ///
    /// - Throws: ``AccountError/alreadyExists`` if its id is taken.
    public func insert(_ factor: SecondFactor) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO second_factors (id, account, label, credential, key, created, used, spent)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """,
            [
                .text(factor.id.text), .text(factor.account.text), .text(factor.label),
                .bytes(factor.credential), .bytes(factor.key),
                .time(factor.created), .time(factor.used), .bytes(factor.spent),
            ])
        guard inserted == 1 else { throw AccountError.alreadyExists }
    }

    /// Stores what a second factor accepted, and when.
    ///
    /// - Throws: ``AccountError/missing``.
    public func update(_ factor: SecondFactor) throws {
        let updated = try transaction.change(
            "UPDATE second_factors SET used = $2, spent = $3 WHERE id = $1",
            [.text(factor.id.text), .time(factor.used), .bytes(factor.spent)])
        guard updated == 1 else { throw AccountError.missing }
    }

    /// Removes a second factor, if it exists.
    public func removeSecondFactor(_ id: SecondFactorID) throws {
        try transaction.change("DELETE FROM second_factors WHERE id = $1", [.text(id.text)])
    }

    /// Removes the second factors and the recovery codes of an account.
    public func removeSecondFactors(of account: AccountID) throws {
        try transaction.change(
            "DELETE FROM second_factors WHERE account = $1", [.text(account.text)])
        try transaction.change(
            "DELETE FROM recovery_codes WHERE account = $1", [.text(account.text)])
    }

    /// Stores recovery codes in place of the earlier ones of the account.
    public func put(recoveryCodes codes: [TokenHash], of account: AccountID) throws {
        try transaction.change(
            "DELETE FROM recovery_codes WHERE account = $1", [.text(account.text)])
        for code in codes {
            try transaction.change(
                "INSERT INTO recovery_codes (hash, account) VALUES ($1, $2)",
                [.bytes(code.bytes), .text(account.text)])
        }
    }

    /// The number of recovery codes that an account has.
    public func countRecoveryCodes(of account: AccountID) throws -> Int {
        try transaction.row(
            "SELECT count(*) FROM recovery_codes WHERE account = $1", [.text(account.text)]
        ) { Int(try $0.integer(0)) } ?? 0
    }

    /// Removes a recovery code of an account.
    ///
    /// - Returns: Whether it existed.
    public func takeRecoveryCode(_ code: TokenHash, of account: AccountID) throws -> Bool {
        try transaction.change(
            "DELETE FROM recovery_codes WHERE hash = $1 AND account = $2",
            [.bytes(code.bytes), .text(account.text)]) == 1
    }
}

extension SecondFactor {
    fileprivate init(_ row: any Row) throws {
        self.init(
            id: try row.valid(SecondFactorID(row.text(0))), account: try row.accountID(1),
            label: try row.text(2), credential: row.isNull(3) ? nil : try row.bytes(3),
            key: try row.bytes(4), created: try row.time(5), used: try row.optionalTime(6),
            spent: try row.bytes(7))
    }
}
