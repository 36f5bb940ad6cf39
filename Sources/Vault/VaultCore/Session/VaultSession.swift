internal import Sealing
internal import SecureStorage
internal import VaultStorage

/// The keys of an unlocked vault, and the index verified under them.
///
/// Not thread-safe: one owner uses it at a time (``UnlockedVault`` behind its mutex, or one ``AuthenticatedVault``), so it may be sent
/// between threads.
final class VaultSession: @unchecked Sendable {
    var storage: any RecordStorage
    let environment: VaultEnvironment
    var keys: VaultKeys
    var header: VaultHeader {
        didSet {
            guard header != oldValue else { return }
            headerBytes = header.bytes
            headerIdentity = HeaderIdentity(header)
        }
    }
    /// ``header`` as it is stored, and its identity: each change of the vault needs both.
    private var headerBytes: [UInt8]
    private var headerIdentity: HeaderIdentity
    var index: VerifiedIndex?
    /// The newest state that this session saw; older states are refused.
    var newest: SeenState?
    /// The number of verifications since the session began.
    var verificationCount: UInt64 = 0
    /// The rollback record that this session wrote last; nil if writing failed.
    var recorded: RollbackRecord?
    /// The change count of the rollback record when it was equal to ``recorded``; nil if the record must be read again.
    var recordedCount: UInt64?
    /// Why the rollback record could not be read or written last time; nil if it could.
    var rollbackRecordFailure: RollbackRecordError?
    /// Whether the newest state is not recorded although the settings require it. The session then answers nothing from it.
    var lacksRequiredRecord = false
    /// The time of the last sweep of expired earlier rows, by the environment's clock; nil before the first one.
    var lastSweep: Int64?
    /// The time of the last sweep of orphaned chunks; nil before the first one.
    var lastChunkSweep: Int64?
    /// Whether the storage's log may have copies of erased values.
    var hasOldBytes = false
    /// The cached list of files of a state, by name; see ``files(_:)``.
    var fileList: (state: [UInt8], files: [StoredFile])?
    /// The cached versions that files reference in a state; see ``referencedVersions(_:)``.
    var versionCache: (state: [UInt8], versions: Set<[UInt8]>?)?
    /// The time of a backup that was restored since this machine last saw the vault, in milliseconds since 1970-01-01 UTC.
    var restoredBackup: Int64?

    init(
        storage: any RecordStorage, environment: VaultEnvironment, keys: consuming VaultKeys,
        header: VaultHeader
    ) {
        self.storage = storage
        self.environment = environment
        self.keys = keys
        self.header = header
        headerBytes = header.bytes
        headerIdentity = HeaderIdentity(header)
    }

    /// Wipes or suspends the key of protected values, unless the owner was verified again after verification number `count`.
    func endVerification(number count: UInt64, suspending isSuspending: Bool) {
        guard verificationCount == count else { return }
        if isSuspending { keys.suspendProtectedKey() } else { keys.wipeProtectedKey() }
    }

    /// Updates ``index`` to the snapshot, and verifies the bucket records after changes by other processes.
    ///
    /// - Returns: The stored header; it is not parsed if the state is unchanged.
    @discardableResult
    func refresh(_ reader: any RecordReader) throws -> [UInt8]? {
        let (storedHeader, record) = try reader.headerAndState()
        if let index, index.stateRecord == record, isRecordUnchanged { return storedHeader }
        let found = try currentHeader(storedHeader)
        let state = try VaultState.open(record, under: keys.state, identity(of: found))
        let seen = SeenState(found, state, record: record ?? [])
        if let newest {
            // Another process restored a backup: the session cannot know which one.
            guard seen.rollbackRecord.lineage == newest.rollbackRecord.lineage else {
                throw SecureStoreError.keysReplaced
            }
            try require(seen.rollbackRecord, toFollow: newest.rollbackRecord, reader)
        }
        // A state that is refused here must not become the session's newest.
        try self.record(seen, following: newest?.rollbackRecord, reader)
        // The state authenticates the header and itself, even if the buckets are damaged.
        if let newest, newest.state.counter < state.restoredAt {
            restoredBackup = state.restoredFrom
        }
        header = found
        newest = seen
        if index?.stateRecord != record {
            let earlier = index
            // If the bucket records are incomplete, an older state must not answer again.
            index = nil
            index = try refreshedBuckets(reader, state, record ?? [], reusing: earlier)
        }
        return storedHeader
    }

    /// Parses the stored header, which may have slots changed by another process. It is untrusted until a state opens under it. Changed
    /// keys end the session.
    func currentHeader(_ bytes: [UInt8]?) throws -> VaultHeader {
        if bytes == headerBytes { return header }
        let found = try VaultHeader(bytes, limits: environment.limits)
        guard found.vaultID == header.vaultID, found.keyEpoch == header.keyEpoch else {
            throw SecureStoreError.keysReplaced
        }
        return found
    }

    /// The identity of a header, which is mostly the session's.
    func identity(of header: VaultHeader) -> HeaderIdentity {
        header == self.header ? headerIdentity : HeaderIdentity(header)
    }

    private func refreshedBuckets(
        _ reader: any RecordReader, _ state: VaultState, _ stateRecord: [UInt8],
        reusing earlier: VerifiedIndex?
    ) throws -> VerifiedIndex {
        var fresh = VerifiedIndex(stateRecord: stateRecord, state: state)
        var sum = MultisetSum()
        for record in try reader.buckets() {
            let number = try Bucket.checkShape(record)
            sum.add(
                IntegrityElement.bucket(number: number, record: record.bytes, under: keys.rowHash))
            fresh.bucketRecords[number] = record.bytes
            if let earlier, earlier.bucketRecords[number] == record.bytes {
                fresh.buckets[number] = earlier.buckets[number]
            }
        }
        guard sum == state.bucketsSum else { throw VaultError.damaged(.bucketsSum) }
        return fresh
    }

    /// Runs `body` on one snapshot, after updating ``index`` to it.
    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result {
        try catchingUp {
            try storage.read { reader in
                try refresh(reader)
                return try body(reader)
            }
        }
    }
}

extension VaultSession {
    /// Opens the state after unlocking and compares it with the rollback record, without reading items. The state must also follow from
    /// `seen`, the newest state of another session of the caller.
    func openState(openedBy openedSlot: KeySlot, following seen: SeenState? = nil) throws {
        try catchingUp {
            // Outside the snapshot: its lock must not wait for another process that writes the record.
            let known = try environment.knownRecords()
            try storage.read { reader in
                let (storedHeader, record) = try reader.headerAndState()
                let found = try currentHeader(storedHeader)
                let state = try VaultState.open(record, under: keys.state, identity(of: found))
                // The unlocked header may differ from the header that the state authenticates.
                guard found.slots.contains(openedSlot) else { throw VaultError.conflict }
                header = found
                let opened = SeenState(found, state, record: record ?? [])
                if let seen {
                    guard opened.rollbackRecord.lineage == seen.rollbackRecord.lineage else {
                        throw SecureStoreError.keysReplaced
                    }
                    try require(opened.rollbackRecord, toFollow: seen.rollbackRecord, reader)
                }
                try admit(opened, known, reader)
                newest = opened
            }
        }
    }
}
