internal import Sealing
internal import SecureStorage
internal import VaultStorage

/// The keys of an unlocked vault and the index verified under them.
///
/// Not thread-safe: one owner uses it at a time (``UnlockedVault`` behind its mutex, or one ``AuthenticatedVault``), so it may be sent
/// between threads.
final class VaultSession: @unchecked Sendable {
    let storage: any RecordStorage
    let environment: VaultEnvironment
    var keys: VaultKeys
    var header: VaultHeader
    var index: VerifiedIndex?
    /// The newest state seen by this session; older states are refused.
    var newest: SeenState?
    /// The number of verifications since the session began.
    var proofCount: UInt64 = 0
    /// When the rollback record was last updated, or the session began, by the environment's clock.
    var lastMarkTime: Int64

    init(
        storage: any RecordStorage, environment: VaultEnvironment, keys: consuming VaultKeys,
        header: VaultHeader
    ) {
        self.storage = storage
        self.environment = environment
        self.keys = keys
        self.header = header
        // A short session updates the rollback record once, when it locks.
        lastMarkTime = environment.now()
    }

    /// Wipes the key of protected values, unless the owner was verified again after verification number `count`.
    func endVerification(ofProof count: UInt64) {
        if proofCount == count { keys.forget(.afterVerification) }
    }

    /// Updates ``index`` to the snapshot, and verifies the bucket records after changes by other processes.
    func refresh(_ reader: any RecordReader) throws {
        let record = try reader.state()
        if let index, index.stateRecord == record { return }
        let found = try currentHeader(reader)
        let state = try VaultState.open(record, under: keys.state, HeaderIdentity(found))
        let seen = SeenState(state: state, record: record ?? [])
        try newest?.requireNotOlder(seen)
        // The state authenticates the header and its own age, even if the buckets are damaged.
        header = found
        newest = seen
        index = try refreshedBuckets(reader, state, record ?? [])
    }

    /// The stored header, which may have slots changed by another process. Untrusted until a state opens under it. Changed keys end the
    /// session.
    func currentHeader(_ reader: any RecordReader) throws -> VaultHeader {
        let bytes = try reader.header()
        if bytes == header.bytes { return header }
        let found = try VaultHeader(bytes, limits: environment.limits)
        guard found.vaultID == header.vaultID, found.keyEpoch == header.keyEpoch else {
            throw VaultError.keysReplaced
        }
        return found
    }

    private func refreshedBuckets(
        _ reader: any RecordReader, _ state: VaultState, _ stateRecord: [UInt8]
    ) throws -> VerifiedIndex {
        var fresh = VerifiedIndex(
            stateRecord: stateRecord, state: state,
            bucketRecords: Array(repeating: nil, count: 256),
            buckets: Array(repeating: nil, count: 256))
        var sum = MultisetSum()
        for record in try reader.buckets() {
            let number = try Bucket.checkShape(record)
            sum.add(
                IntegrityElement.bucket(number: number, record: record.bytes, under: keys.rowHash))
            fresh.bucketRecords[Int(number)] = record.bytes
            if let index, index.bucketRecords[Int(number)] == record.bytes {
                fresh.buckets[Int(number)] = index.buckets[Int(number)]
            }
        }
        guard sum == state.bucketsSum else { throw VaultError.damaged(.bucketsSum) }
        return fresh
    }

    /// Runs `body` on one snapshot, with ``index`` updated to it.
    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result {
        try storage.read { reader in
            try refresh(reader)
            return try body(reader)
        }
    }
}

extension VaultSession {
    /// Opens the state after unlocking and compares it with the rollback record. Reads no item.
    func openState(provedBy provedSlot: KeySlot) throws {
        // Read the rollback record first: another process may write and update it at any time.
        let mark = try knownMark()
        try storage.read { reader in
            let record = try reader.state()
            let found = try currentHeader(reader)
            let state = try VaultState.open(record, under: keys.state, HeaderIdentity(found))
            // The unlocked header may differ from the header authenticated by the state.
            guard found.slots.contains(provedSlot) else { throw VaultError.conflict }
            header = found
            try check(state, record: record ?? [], against: mark)
            newest = SeenState(state: state, record: record ?? [])
        }
    }
}

/// An opened state and its record.
struct SeenState {
    let state: VaultState
    let record: [UInt8]

    /// Refuses a state older than this one, or a different state with the same counter.
    func requireNotOlder(_ found: SeenState) throws {
        guard found.state.lineage == state.lineage else { throw VaultError.keysReplaced }
        guard found.state.counter > state.counter || found.record == record else {
            throw VaultError.damaged(.rolledBack)
        }
    }
}
