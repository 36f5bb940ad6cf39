internal import Database
internal import Platform
internal import Sealing
package import SecretMemory
package import Sync

/// The store of one chain of a device in an SQLite file: its records, and the state of sync with them (`Docs/Sync.md`, section 13).
///
/// Contents of the list lie there in the clear, all others under the ``StoreKey`` of their level. Without the key of a level its contents
/// cannot be read or written; the rest works.
///
/// Not thread-safe. Several processes may use one file; their transactions wait for each other.
package final class SyncDatabase: MirrorStore {
    /// The chains of a home.
    package enum Chain: Int64, Sendable {
        /// Tasks. The names of counterparts lie in the clear.
        case list = 1
        /// Items. The names of counterparts lie under the key of *while unlocked*.
        case secrets = 2
    }

    private let pool: DatabasePool
    private let chain: Chain
    private let device: DeviceID
    private let keys: [SyncLevel: StoreKey]
    private let random: RandomSource
    private var isInTransaction = false

    private init(
        _ pool: DatabasePool, _ chain: Chain, _ device: DeviceID, _ keys: [SyncLevel: StoreKey],
        creating isCreating: Bool, _ random: RandomSource
    ) throws {
        self.pool = pool
        self.chain = chain
        self.device = device
        self.keys = keys
        self.random = random
        do {
            try pool.write { try begin($0, creating: isCreating) }
        } catch {
            pool.close()
            throw error
        }
    }

    /// Opens the store in a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - chain: The chain; always the same for a file.
    ///   - device: The id of the device in this chain; always the same for a file.
    ///   - keys: The keys that are there now; for a level always the same.
    ///   - isCreating: Whether to make the file, of mode 0600, and its folder if they are missing.
    ///   - random: The source of nonces.
    ///   - lockTimeout: How long a transaction waits for other processes.
    /// - Returns: The store.
    /// - Throws: `SyncError.storeDamaged` for a damaged file, and for another chain, device or key; `DatabaseError.notFound` if there is no
    ///   store; `DatabaseError.newerVersion`; `DatabaseError` for other reasons.
    package static func open(
        at path: String, _ chain: Chain, device: DeviceID, keys: [SyncLevel: StoreKey],
        creating isCreating: Bool = false, random: RandomSource = .system,
        lockTimeout: Duration = .seconds(5)
    ) throws -> SyncDatabase {
        let options = DatabaseOptions(lockTimeout: lockTimeout)
        return try translating {
            if isCreating { try VaultLocation.prepareFolder(at: SafeFolder.split(path).folder) }
            let pool =
                try isCreating
                ? DatabasePool.openOrCreate(.file(path), .sync, options)
                : DatabasePool.open(.file(path), .sync, options)
            return try SyncDatabase(pool, chain, device, keys, creating: isCreating, random)
        }
    }

    /// Makes a store in memory.
    ///
    /// - Throws: `DatabaseError.outOfMemory`.
    package static func inMemory(
        _ chain: Chain, device: DeviceID, keys: [SyncLevel: StoreKey],
        random: RandomSource = .system
    ) throws -> SyncDatabase {
        try translating {
            try SyncDatabase(
                DatabasePool.open(.memory, .sync), chain, device, keys, creating: true, random)
        }
    }

    /// Makes or checks the row that says to whom the file belongs, and with which keys.
    private func begin(_ transaction: Transaction, creating isCreating: Bool) throws {
        if try transaction.rows("SELECT id FROM state", [], { try $0.integer(0) }).isEmpty {
            guard isCreating else { throw DatabaseError.notFound }
            try transaction.change(
                "INSERT INTO state (id, chain, device, ledger) VALUES (1, $1, $2, $3)",
                [.integer(chain.rawValue), .bytes(device.bytes), .bytes(SyncLedger().bytes)])
        }
        _ = try transaction.ledger(chain, device)
        for (level, key) in keys {
            let number = DatabaseValue.integer(Int64(level.rawValue))
            let hash = key.hash(.check) { $0.feed(level.rawValue) }
            let known = try transaction.row(
                "SELECT hash FROM keys WHERE level = $1", [number]
            ) { try $0.bytes(0) }
            if let known {
                guard known == hash else { throw SyncError.storeDamaged }
            } else {
                try transaction.change(
                    "INSERT INTO keys (level, hash) VALUES ($1, $2)", [number, .bytes(hash)])
            }
        }
    }

    /// Closes the file. A second call does nothing.
    package func close() {
        pool.close()
    }

    package func transaction<Result>(
        _ body: (any SyncTransaction) throws -> Result
    ) throws -> Result {
        try mirrorTransaction { try body($0) }
    }

    /// Runs `body` in one transaction, durable when this returns. If `body` or the commit throws, nothing is changed.
    ///
    /// - Parameter body: The operations. It must not begin another transaction of this store.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`; `SyncError.storeDamaged`, `DatabaseError`.
    package func mirrorTransaction<Result>(
        _ body: (any MirrorTransaction) throws -> Result
    ) throws -> Result {
        try storedTransaction { try body($0) }
    }

    func storedTransaction<Result>(_ body: (StoredSync) throws -> Result) throws -> Result {
        precondition(!isInTransaction, "a transaction in a transaction")
        isInTransaction = true
        defer { isInTransaction = false }
        var failure: (any Error)?
        return try Self.translating {
            try pool.write { transaction in
                let stored = StoredSync(
                    transaction, try transaction.ledger(chain, device), chain, device, keys,
                    random.buffered())
                do {
                    let result = try body(stored)
                    try stored.saveLedger()
                    return result
                } catch {
                    failure = error
                    throw error
                }
            }
        } unless: {
            failure != nil
        }
    }

    /// Runs `body`, and translates an error of a damaged file.
    static func translating<Result>(
        _ body: () throws -> Result, unless isForeign: () -> Bool = { false }
    ) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError where !isForeign() {
            switch error {
            case .damaged, .foreign: throw SyncError.storeDamaged
            default: throw error
            }
        }
    }
}

extension Transaction {
    /// The ledger of a chain of a device.
    fileprivate func ledger(
        _ chain: SyncDatabase.Chain, _ device: DeviceID
    ) throws -> SyncLedger {
        let ledger = try row("SELECT chain, device, ledger FROM state") { row -> SyncLedger? in
            guard try row.integer(0) == chain.rawValue, try row.bytes(1) == device.bytes else {
                return nil
            }
            return SyncLedger(try row.bytes(2))
        }
        guard let ledger = ledger ?? nil else { throw SyncError.storeDamaged }
        return ledger
    }
}
