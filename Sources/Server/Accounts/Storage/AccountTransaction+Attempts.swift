internal import Database
public import TextCoding

/// Attempts at passwords.
extension AccountTransaction {
    /// The guesses of a key; nil if there are none.
    public func attempts(_ key: AttemptKey) throws -> AttemptRecord? {
        try transaction.row(
            "SELECT key, guesses, expires FROM attempts WHERE key = $1", [.bytes(key.bytes)],
            AttemptRecord.init)
    }

    /// Stores the attempts of a key in place of earlier ones.
    public func put(_ attempts: AttemptRecord) throws {
        try transaction.change(
            """
            INSERT INTO attempts (key, guesses, expires) VALUES ($1, $2, $3)
            ON CONFLICT (key) DO UPDATE SET guesses = $2, expires = $3
            """,
            [
                .bytes(attempts.key.bytes), .bytes(attempts.storedGuesses),
                .time(attempts.expires),
            ])
    }

    /// Removes the attempts of a key, if there are any.
    public func removeAttempts(_ key: AttemptKey) throws {
        try transaction.change("DELETE FROM attempts WHERE key = $1", [.bytes(key.bytes)])
    }

    /// The number of keys with attempts.
    public func countAttempts() throws -> Int {
        try transaction.row("SELECT count(*) FROM attempts") { Int(try $0.integer(0)) } ?? 0
    }

    /// Removes the records of wrong passwords that no longer delay a sign-in at `time`.
    public func removeAttempts(expiredAt time: PointInTime) throws {
        try transaction.change("DELETE FROM attempts WHERE expires <= $1", [.time(time)])
    }
}

/// Known devices.
extension AccountTransaction {
    /// A known device by the hash of its token; nil if there is none.
    public func knownDevice(_ hash: TokenHash) throws -> KnownDevice? {
        try transaction.row(
            "SELECT hash, account, last, confirmed FROM known_devices WHERE hash = $1",
            [.bytes(hash.bytes)], KnownDevice.init)
    }

    /// The known devices of an account, the confirmed ones first, of each kind the last used one first.
    public func knownDevices(of account: AccountID) throws -> [KnownDevice] {
        try transaction.rows(
            """
            SELECT hash, account, last, confirmed FROM known_devices
            WHERE account = $1 ORDER BY confirmed DESC, last DESC, hash DESC
            """, [.text(account.text)], KnownDevice.init)
    }

    /// Removes a device, if it is known.
    public func removeKnownDevice(_ hash: TokenHash) throws {
        try transaction.change("DELETE FROM known_devices WHERE hash = $1", [.bytes(hash.bytes)])
    }

    /// Removes the known devices of an account.
    public func removeKnownDevices(of account: AccountID) throws {
        try transaction.change(
            "DELETE FROM known_devices WHERE account = $1", [.text(account.text)])
    }

    /// Confirms a device that is used now, if it is known; see ``put(_:keeping:)``. Nothing is written if that was done within the last day.
    func confirm(_ hash: TokenHash, at now: PointInTime, keeping limit: Int) throws {
        guard let device = try knownDevice(hash) else { return }
        let isRecent =
            device.last <= now && now < device.last.advanced(by: .seconds(24 * 60 * 60))
        if device.isConfirmed, isRecent { return }
        try put(
            KnownDevice(hash: hash, account: device.account, last: now, isConfirmed: true),
            keeping: limit)
    }

    /// Stores a device in place of an earlier row of its token. Of the account's devices that are confirmed as it is, it keeps the `limit` last
    /// used ones.
    public func put(_ device: KnownDevice, keeping limit: Int) throws {
        let isConfirmed = DatabaseValue.flag(device.isConfirmed)
        try transaction.change(
            """
            INSERT INTO known_devices (hash, account, last, confirmed) VALUES ($1, $2, $3, $4)
            ON CONFLICT (hash) DO UPDATE SET account = $2, last = $3, confirmed = $4
            """,
            [
                .bytes(device.hash.bytes), .text(device.account.text), .time(device.last),
                isConfirmed,
            ])
        try transaction.change(
            """
            DELETE FROM known_devices WHERE hash IN (SELECT hash FROM known_devices
                WHERE account = $1 AND confirmed = $2 ORDER BY last DESC, hash DESC
                LIMIT 9223372036854775807 OFFSET $3)
            """, [.text(device.account.text), isConfirmed, .count(limit)])
    }
}

extension AttemptRecord {
    fileprivate init(_ row: any Row) throws {
        self.init(
            key: try row.valid(AttemptKey(bytes: row.bytes(0))),
            guesses: try row.valid(AttemptRecord.guesses(stored: row.bytes(1))),
            expires: try row.time(2))
    }
}

extension KnownDevice {
    fileprivate init(_ row: any Row) throws {
        self.init(
            hash: try row.hash(0), account: try row.accountID(1), last: try row.time(2),
            isConfirmed: try row.flag(3))
    }
}
