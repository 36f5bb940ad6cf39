internal import Sealing
internal import SecureStorage
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
    /// How often the owner was proved since the session began.
    var proofCount: UInt64 = 0
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

    /// Wipes the key of protected values, unless the owner was proved again since there were `count` proofs.
    func endVerification(ofProof count: UInt64) {
        if proofCount == count { keys.forget(.afterVerification) }
    }

    /// Makes sure that ``index`` belongs to the snapshot, and verifies the bucket records where somebody else wrote.
    func refresh(_ reader: any RecordReader) throws(VaultError) {
        let record = try reading { try reader.state() }
        if let index, index.stateRecord == record { return }
        let found = try currentHeader(reader)
        let state = try VaultState.open(record, under: keys.state, HeaderIdentity(found))
        let seen = SeenState(state: state, record: record ?? [])
        try newest?.requireNotOlder(seen)
        // The state vouches for the header and for its own age, whatever the buckets turn out to be.
        header = found
        newest = seen
        index = try refreshedBuckets(reader, state, record ?? [])
    }

    /// The stored header, which slots that another process changed may be in; not to be believed before a state opened under it. Other keys
    /// end the session.
    func currentHeader(_ reader: any RecordReader) throws(VaultError) -> VaultHeader {
        let bytes = try reading { try reader.header() }
        if bytes == header.bytes { return header }
        let found: VaultHeader
        do throws(FormatFailure) {
            found = try VaultHeader(bytes, limits: environment.limits)
        } catch {
            throw .damaged(error)
        }
        guard found.vaultID == header.vaultID, found.keyEpoch == header.keyEpoch else {
            throw .keysReplaced
        }
        return found
    }

    private func refreshedBuckets(
        _ reader: any RecordReader, _ state: VaultState, _ stateRecord: [UInt8]
    ) throws(VaultError) -> VerifiedIndex {
        var fresh = VerifiedIndex(
            stateRecord: stateRecord, state: state,
            bucketRecords: Array(repeating: nil, count: 256),
            buckets: Array(repeating: nil, count: 256))
        var sum = MultisetSum()
        for record in try reading({ try reader.buckets() }) {
            let number = try Bucket.checkShape(record)
            sum.add(
                IntegrityElement.bucket(number: number, record: record.bytes, under: keys.rowHash))
            fresh.bucketRecords[Int(number)] = record.bytes
            if let index, index.bucketRecords[Int(number)] == record.bytes {
                fresh.buckets[Int(number)] = index.buckets[Int(number)]
            }
        }
        guard sum == state.bucketsSum else { throw .damaged(.bucketsSum) }
        return fresh
    }

    /// Runs a storage call whose errors become the vault's.
    func reading<Result>(
        _ body: () throws -> Result
    ) throws(VaultError) -> Result {
        try VaultError.translating(body)
    }

    /// Runs `body` on one snapshot that ``index`` belongs to.
    func read<Result>(
        _ body: (any RecordReader) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        do {
            return try storage.read { reader in
                try refresh(reader)
                return try body(reader)
            }
        } catch {
            throw VaultError(translating: error)
        }
    }
}

extension VaultSession {
    /// Opens the state after unlocking and holds it against the rollback mark. No item is read yet.
    func openState(provedBy provedSlot: KeySlot) throws(VaultError) {
        // The mark first: another process may write and raise it at any moment.
        let mark = try knownMark()
        do {
            try storage.read { reader in
                let record = try reading { try reader.state() }
                let found = try currentHeader(reader)
                let state = try VaultState.open(record, under: keys.state, HeaderIdentity(found))
                // The header that was unlocked and the one that the state vouches for may be two.
                guard found.slots.contains(provedSlot) else { throw VaultError.conflict }
                header = found
                try check(state, record: record ?? [], against: mark)
                newest = SeenState(state: state, record: record ?? [])
            }
        } catch {
            throw VaultError(translating: error)
        }
    }
}

/// A state that was opened, with its record.
struct SeenState {
    let state: VaultState
    let record: [UInt8]

    /// Refuses a state that is older than this one, or another one of the same age.
    func requireNotOlder(_ found: SeenState) throws(VaultError) {
        guard found.state.lineage == state.lineage else { throw .keysReplaced }
        guard found.state.counter > state.counter || found.record == record else {
            throw .damaged(.rolledBack)
        }
    }
}
