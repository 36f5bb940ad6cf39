internal import Database
public import TextCoding

/// Tokens of sync.
extension AccountTransaction {
    /// Stores the token of a device, in place of an earlier one.
    public func setSyncToken(
        _ token: TokenHash, of account: AccountID, for first: SessionID, at time: PointInTime
    ) throws {
        try transaction.change(
            "DELETE FROM sync_tokens WHERE account = $1 AND first = $2",
            [.text(account.text), .text(first.text)])
        try transaction.change(
            "INSERT INTO sync_tokens (hash, account, first, created) VALUES ($1, $2, $3, $4)",
            [.bytes(token.bytes), .text(account.text), .text(first.text), .time(time)])
    }

    /// The account of a token; nil if the token is unknown, or the account is disabled.
    public func syncAccount(_ token: TokenHash) throws -> AccountID? {
        try transaction.row(
            """
            SELECT a.id FROM sync_tokens t JOIN accounts a ON a.id = t.account
            WHERE t.hash = $1 AND a.disabled = 0
            """, [.bytes(token.bytes)]
        ) { try $0.accountID(0) }
    }

    /// Removes the tokens of devices.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - firsts: The first sessions of the devices; nil for all.
    ///   - kept: That of a device whose token stays.
    /// - Throws: An error of the database.
    func endSyncTokens(
        of account: AccountID, for firsts: Set<SessionID>?, except kept: SessionID?
    ) throws {
        guard let firsts else {
            try transaction.change(
                "DELETE FROM sync_tokens WHERE account = $1 AND first <> $2",
                [.text(account.text), .text(kept?.text ?? "")])
            return
        }
        for first in firsts {
            try transaction.change(
                "DELETE FROM sync_tokens WHERE account = $1 AND first = $2",
                [.text(account.text), .text(first.text)])
        }
    }
}

/// Groups of sync, and what the blobs of an account count.
extension AccountTransaction {
    /// The groups of an account, ascending.
    public func syncGroups(of account: AccountID) throws -> [PushID] {
        try transaction.rows(
            "SELECT id FROM sync_groups WHERE account = $1 ORDER BY id", [.text(account.text)]
        ) { try $0.pushID(0) }
    }

    /// The number of the last change of a group; 0 if there is none.
    public func syncChange(of group: PushID, _ account: AccountID) throws -> Int64 {
        try transaction.row(
            "SELECT changed FROM sync_groups WHERE account = $1 AND id = $2",
            [.text(account.text), .text(group.text)]
        ) { try $0.integer(0) } ?? 0
    }

    /// Sets the number of the last change of a group, which it makes if it is new.
    public func setSyncChange(
        _ change: Int64, of group: PushID, _ account: AccountID
    ) throws {
        try transaction.change(
            """
            INSERT INTO sync_groups (account, id, changed) VALUES ($1, $2, $3)
            ON CONFLICT (account, id) DO UPDATE SET changed = $3
            """, [.text(account.text), .text(group.text), .integer(change)])
    }

    /// The usage of an account.
    public func syncUsage(of account: AccountID) throws -> SyncUsage {
        try transaction.row(
            "SELECT chains, others FROM sync_usage WHERE account = $1", [.text(account.text)]
        ) { SyncUsage(chains: try $0.integer(0), others: try $0.integer(1)) } ?? SyncUsage()
    }

    /// Stores the usage of an account.
    public func setSyncUsage(_ usage: SyncUsage, of account: AccountID) throws {
        try transaction.change(
            """
            INSERT INTO sync_usage (account, chains, others) VALUES ($1, $2, $3)
            ON CONFLICT (account) DO UPDATE SET chains = $2, others = $3
            """,
            [.text(account.text), .integer(usage.chains), .integer(usage.others)])
    }

    /// Removes all that sync keeps of an account.
    func removeSync(of account: AccountID) throws {
        let id = [DatabaseValue.text(account.text)]
        try transaction.change("DELETE FROM sync_tokens WHERE account = $1", id)
        try transaction.change("DELETE FROM sync_groups WHERE account = $1", id)
        try transaction.change("DELETE FROM sync_usage WHERE account = $1", id)
        try transaction.change("DELETE FROM sync_blobs WHERE account = $1", id)
    }
}

/// Blobs of sync.
extension AccountTransaction {
    /// The names of an area after a name, in the order of their bytes, at most `limit`.
    public func blobNames(
        _ account: AccountID, _ group: PushID, _ area: BlobArea, after name: String, limit: Int
    ) throws -> [String] {
        try transaction.rows(
            """
            SELECT name FROM sync_blobs
            WHERE account = $1 AND circle = $2 AND area = $3 AND name > $4 ORDER BY name LIMIT $5
            """,
            [
                .text(account.text), .text(group.text), .text(area.text), .text(name),
                .count(limit),
            ]
        ) { try $0.text(0) }
    }

    /// The areas and names after an area and a name, in areas before another, in the order of their bytes, at most `limit`.
    public func blobPlaces(
        _ account: AccountID, _ group: PushID, after place: (area: String, name: String),
        before area: String, limit: Int
    ) throws -> [(area: String, name: String)] {
        try transaction.rows(
            """
            SELECT area, name FROM sync_blobs
            WHERE account = $1 AND circle = $2 AND (area, name) > ($3, $4) AND area < $5
            ORDER BY area, name LIMIT $6
            """,
            [
                .text(account.text), .text(group.text), .text(place.area), .text(place.name),
                .text(area), .count(limit),
            ]
        ) { (area: try $0.text(0), name: try $0.text(1)) }
    }

    /// The bytes of a blob; nil if there is none.
    public func blob(_ account: AccountID, _ place: BlobPlace) throws -> [UInt8]? {
        try transaction.row(
            """
            SELECT content FROM sync_blobs
            WHERE account = $1 AND circle = $2 AND area = $3 AND name = $4
            """, Self.key(account, place)
        ) { try $0.bytes(0) }
    }

    /// The size of a blob in bytes; nil if there is none.
    public func blobSize(_ account: AccountID, _ place: BlobPlace) throws -> Int? {
        try transaction.row(
            """
            SELECT CAST(length(content) AS BIGINT) FROM sync_blobs
            WHERE account = $1 AND circle = $2 AND area = $3 AND name = $4
            """, Self.key(account, place)
        ) { try $0.count(0) }
    }

    /// Adds a blob.
    ///
    /// - Throws: ``AccountError/alreadyExists``.
    public func insertBlob(_ bytes: [UInt8], _ account: AccountID, _ place: BlobPlace) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO sync_blobs (account, circle, area, name, content)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
            """, Self.key(account, place) + [.bytes(bytes)])
        guard inserted == 1 else { throw AccountError.alreadyExists }
    }

    /// Removes a blob, if it exists.
    public func removeBlob(_ account: AccountID, _ place: BlobPlace) throws {
        try transaction.change(
            """
            DELETE FROM sync_blobs
            WHERE account = $1 AND circle = $2 AND area = $3 AND name = $4
            """, Self.key(account, place))
    }

    /// Removes a group with all its blobs.
    ///
    /// - Returns: For each of its areas the number of bytes that its blobs counted.
    /// - Throws: An error of the database.
    func removeBlobs(of group: PushID, _ account: AccountID) throws -> [(BlobArea, Int64)] {
        let key = [DatabaseValue.text(account.text), .text(group.text)]
        let counted = try transaction.rows(
            """
            SELECT area, CAST(count(*) AS BIGINT), CAST(sum(length(content)) AS BIGINT) FROM sync_blobs
            WHERE account = $1 AND circle = $2 GROUP BY area
            """, key
        ) { row in
            (
                area: BlobArea(try row.text(0)),
                size: try row.integer(1) * SyncLimits.overhead + row.integer(2)
            )
        }
        try transaction.change("DELETE FROM sync_blobs WHERE account = $1 AND circle = $2", key)
        try transaction.change("DELETE FROM sync_groups WHERE account = $1 AND id = $2", key)
        return counted.compactMap { found in found.area.map { ($0, found.size) } }
    }

    private static func key(_ account: AccountID, _ place: BlobPlace) -> [DatabaseValue] {
        [
            .text(account.text), .text(place.group.text), .text(place.area.text),
            .text(place.name),
        ]
    }
}
