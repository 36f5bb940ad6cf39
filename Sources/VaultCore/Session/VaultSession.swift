internal import SecureStorage
internal import VaultSealing
internal import VaultStorage

/// The keys of an unlocked vault together with what was verified under them.
///
/// Not thread-safe: exactly one owner uses it at a time (``UnlockedVault`` behind its mutex, or one ``AuthenticatedVault``), which is
/// why it may be sent between threads.
final class VaultSession: @unchecked Sendable {
    let storage: any RecordStorage
    let environment: VaultEnvironment
    var keys: VaultKeys
    var header: VaultHeader
    var index: VerifiedIndex?
    /// The newest state that this session saw; an older one is never accepted again.
    var newest: SeenState?
    /// When the rollback mark was raised last, or the session began, by the environment's clock.
    var lastMarkTime: Int64

    init(
        storage: any RecordStorage, environment: VaultEnvironment, keys: consuming VaultKeys,
        header: VaultHeader
    ) {
        self.storage = storage
        self.environment = environment
        self.keys = keys
        self.header = header
        // A session of a moment raises the mark once, when it locks.
        lastMarkTime = environment.now()
    }

    /// Makes sure that ``index`` belongs to the snapshot, and verifies the bucket records where somebody else wrote.
    func refresh(_ reader: any RecordReader) throws(VaultError) {
        let record = try reading { () throws(StorageError) in try reader.state() }
        if let index, index.stateRecord == record { return }
        try refreshHeader(reader)
        let state = try VaultState.open(record, under: keys.state, HeaderIdentity(header))
        if let newest {
            guard state.lineage == newest.state.lineage else { throw .keysReplaced }
            guard state.counter >= newest.state.counter else { throw .damaged(.rolledBack) }
        }
        try refreshBuckets(reader, state, record ?? [])
        newest = SeenState(state: state, record: record ?? [])
    }

    /// Takes over slots that another process changed; other keys end the session.
    private func refreshHeader(_ reader: any RecordReader) throws(VaultError) {
        let bytes = try reading { () throws(StorageError) in try reader.header() }
        if bytes == header.bytes { return }
        let found: VaultHeader
        do throws(FormatFailure) {
            found = try VaultHeader(bytes, limits: environment.limits)
        } catch {
            throw .damaged(error)
        }
        guard found.vaultID == header.vaultID, found.keyEpoch == header.keyEpoch else {
            throw .keysReplaced
        }
        header = found
    }

    private func refreshBuckets(
        _ reader: any RecordReader, _ state: VaultState, _ stateRecord: [UInt8]
    ) throws(VaultError) {
        var fresh = VerifiedIndex(
            stateRecord: stateRecord, state: state,
            bucketRecords: Array(repeating: nil, count: 256),
            buckets: Array(repeating: nil, count: 256))
        var sum = MultisetSum()
        for record in try reading({ () throws(StorageError) in try reader.buckets() }) {
            let number = try Bucket.checkShape(record)
            sum.add(
                IntegrityElement.bucket(number: number, record: record.bytes, under: keys.rowHash))
            fresh.bucketRecords[Int(number)] = record.bytes
            if let index, index.bucketRecords[Int(number)] == record.bytes {
                fresh.buckets[Int(number)] = index.buckets[Int(number)]
            }
        }
        guard sum == state.bucketsSum else { throw .damaged(.bucketsSum) }
        index = fresh
    }

    /// Runs a storage call whose errors become the vault's.
    func reading<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(VaultError) -> Result {
        do {
            return try body()
        } catch {
            throw .storage(error)
        }
    }

    /// Runs `body` on one snapshot that ``index`` belongs to.
    func read<Result>(
        _ body: (any RecordReader) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        do {
            return try storage.read { (reader) throws(VaultError) in
                try refresh(reader)
                return try body(reader)
            }
        } catch {
            throw VaultError(error)
        }
    }
}

extension VaultSession {
    /// Opens the state after unlocking and holds it against the rollback mark. No item is read yet.
    func openState() throws(VaultError) {
        do {
            try storage.read { (reader) throws(VaultError) in
                let record = try reading { () throws(StorageError) in try reader.state() }
                try refreshHeader(reader)
                let state = try VaultState.open(record, under: keys.state, HeaderIdentity(header))
                try checkMark(state, record: record ?? [])
                newest = SeenState(state: state, record: record ?? [])
            }
        } catch {
            throw VaultError(error)
        }
    }
}

/// A state that was opened, with its record.
struct SeenState {
    let state: VaultState
    let record: [UInt8]
}
