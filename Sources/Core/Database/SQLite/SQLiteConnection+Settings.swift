internal import CSQLite

extension SQLiteConnection {
    /// The flags for `sqlite3_open_v2`. A connection has one user at a time, so SQLite's own mutexes are disabled.
    static func flags(for access: SQLiteOptions.Access) -> Int32 {
        let common = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        return switch access {
        case .readOnly: common | SQLITE_OPEN_READONLY
        case .readOnlyImmutable: common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        case .readWrite: common | SQLITE_OPEN_READWRITE
        case .create: common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }

    /// The URI of a file with SQLite's parameter `immutable`.
    static func immutableAddress(of path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var address = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                address.append(byte)
            default:
                address += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: address, as: UTF8.self) + "?immutable=1"
    }

    /// Applies the settings that SQLite recommends for untrusted files (sqlite.org/security.html), and durability.
    func configure(_ options: SQLiteOptions) throws {
        let handle = unsafe try open()
        try setLockTimeout(options.lockTimeout)
        for (setting, value) in Self.switches {
            let result = unsafe csqlite_set_switch(handle, setting, value)
            guard result == SQLITE_OK else {
                throw failure(result, "configure")
            }
        }
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, options.maximumLength)
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        // The order matters: the last settings read the file.
        try run(
            script: """
                PRAGMA locking_mode = \(options.isExclusive ? "EXCLUSIVE" : "NORMAL");
                PRAGMA cell_size_check = ON;
                PRAGMA mmap_size = 0;
                PRAGMA cache_size = -8192;
                PRAGMA temp_store = MEMORY;
                PRAGMA secure_delete = ON;
                PRAGMA query_only = \(options.refusesChanges ? "ON" : "OFF");
                PRAGMA synchronous = FULL;
                """)
    }

    /// Settings of `sqlite3_db_config` that prevent side effects of the schema in a file.
    private static let switches: [(Int32, Int32)] = [
        (SQLITE_DBCONFIG_DEFENSIVE, 1),
        (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
        (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
        (SQLITE_DBCONFIG_DQS_DDL, 0),
        (SQLITE_DBCONFIG_DQS_DML, 0),
    ]

    /// Sets how long a call waits for other connections. The corresponding C function is `sqlite3_busy_handler`.
    public func setLockTimeout(_ timeout: Duration) throws {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        let wait = LockWait(
            lockTimeout: Int(Int32(clamping: max(0, milliseconds))), interruption)
        let result = unsafe wait.install(on: try open())
        guard result == SQLITE_OK else {
            throw failure(result, "configure")
        }
        lockWait = wait
    }
}
