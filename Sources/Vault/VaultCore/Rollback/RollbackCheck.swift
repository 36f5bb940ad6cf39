internal import Sealing
internal import VaultStorage

/// An opened state, its stored record, and the rollback record of its commit.
struct SeenState {
    let state: VaultState
    let record: [UInt8]
    let rollbackRecord: RollbackRecord

    init(_ header: VaultHeader, _ state: VaultState, record: [UInt8]) {
        self.state = state
        self.record = record
        rollbackRecord = RollbackRecord(header, state, record: record)
    }
}

/// Another process of this machine recorded a newer commit than that of the snapshot.
private struct StaleSnapshot: Error {
    let found: UInt64
    let rollbackRecord: RollbackRecord
}

// Proof that one commit follows from another.
extension VaultSession {
    /// Requires that a commit follows from an earlier one of this vault, by the links in a snapshot that contains both.
    func require(
        _ found: RollbackRecord, toFollow seen: RollbackRecord, _ reader: any RecordReader
    ) throws {
        guard found.keyEpoch >= seen.keyEpoch, found.counter >= seen.counter else {
            throw VaultError.rolledBack(found: found.counter, seen: seen.counter)
        }
        let forked = VaultError.forked(seen: seen.counter, found: found.counter)
        guard found.lineage == seen.lineage else { throw forked }
        guard found.counter > seen.counter || found.digest == seen.digest else { throw forked }
        guard try history(after: seen, upTo: found.counter, reader) == found.history else {
            throw forked
        }
    }

    /// The history at `counter`, computed from the links.
    private func history(
        after seen: RollbackRecord, upTo counter: UInt64, _ reader: any RecordReader
    ) throws -> [UInt8] {
        var (last, history) = (seen.counter, seen.history)
        if last == counter { return history }
        try reader.forEachLink((last + 1)...counter) { record in
            guard record.counter > last else { throw VaultError.damaged(.linkDamaged) }
            guard record.counter == last + 1 else { throw VaultError.damaged(.linkMissing) }
            let link = try CommitLink(record, under: keys.state, vaultID: header.vaultID)
            last += 1
            history = link.history(after: history, counter: last)
        }
        guard last == counter else { throw VaultError.damaged(.linkMissing) }
        return history
    }
}

// The rollback record of this machine.
extension VaultSession {
    /// Runs `body`, and again on a newer snapshot if another process of this machine recorded a newer commit.
    ///
    /// - Throws: `rolledBack` if the storage does not have that commit.
    func catchingUp<Result>(_ body: () throws -> Result) throws -> Result {
        var newest: RollbackRecord?
        while true {
            do {
                return try body()
            } catch let error as StaleSnapshot {
                guard error.rollbackRecord != newest else {
                    throw VaultError.rolledBack(
                        found: error.found, seen: error.rollbackRecord.counter)
                }
                newest = error.rollbackRecord
            }
        }
    }

    /// Whether the rollback record is still the one that this session wrote, or still unreadable.
    var isRecordUnchanged: Bool {
        // After a failure, try again: the record may be readable now.
        if lacksRequiredRecord || rollbackRecordFailure != nil { return false }
        do {
            let count = try environment.rollbackRecords.changeCount()
            if let count, count == recordedCount { return true }
            guard try environment.rollbackRecords.read() == recorded else { return false }
            // The count was read before the record, so a change in between is seen next time.
            recordedCount = count
            return true
        } catch {
            return recorded == nil
        }
    }

    /// Requires that a state follows from this machine's rollback record, and records it, before any answer from that state. The state is
    /// known to follow from `checked`.
    func record(
        _ found: SeenState, following checked: RollbackRecord?, _ reader: any RecordReader
    ) throws {
        try rememberingFailure {
            while true {
                let known = try environment.rollbackRecords.read()
                if let known, known != checked {
                    try requireThisVault(known)
                    try requireNotStale(found.rollbackRecord, by: known)
                    try require(found.rollbackRecord, toFollow: known, reader)
                }
                if try environment.rollbackRecords.exchange(known, for: found.rollbackRecord) {
                    return
                }
            }
        } recording: {
            found
        }
    }

    /// Records a commit of this session before acknowledging it. The commit follows from the state that this session recorded last.
    ///
    /// If two processes of this machine finish in either order, the later commit is kept, provided that it follows from the other one.
    func recordCommit() throws {
        guard let newest else { return }
        try rememberingFailure {
            while true {
                let known = try environment.rollbackRecords.read()
                if let known, known != recorded, known != newest.rollbackRecord {
                    try requireThisVault(known)
                    let isSuperseded = known.counter > newest.rollbackRecord.counter
                    try storage.read { reader in
                        _ = try currentHeader(reader.header())
                        try isSuperseded
                            ? require(known, toFollow: newest.rollbackRecord, reader)
                            : require(newest.rollbackRecord, toFollow: known, reader)
                    }
                    if isSuperseded { return }
                }
                if try environment.rollbackRecords.exchange(known, for: newest.rollbackRecord) {
                    return
                }
            }
        } recording: {
            newest
        }
    }

    private func requireNotStale(_ found: RollbackRecord, by known: RollbackRecord) throws {
        guard known.counter <= found.counter else {
            throw StaleSnapshot(found: found.counter, rollbackRecord: known)
        }
    }

    private func requireThisVault(_ known: RollbackRecord) throws {
        guard !known.isRetired, known.vaultID == header.vaultID else {
            throw VaultError.otherVault(isDestroyed: known.isRetired)
        }
    }

    /// Runs `body`, which records a state, and remembers why the record could not be read or written.
    ///
    /// - Throws: `noRollbackRecord` if the state's settings require a record.
    private func rememberingFailure(_ body: () throws -> Void, recording state: () -> SeenState)
        throws
    {
        do {
            try body()
            recorded = state().rollbackRecord
            recordedCount = nil
            rollbackRecordFailure = nil
            lacksRequiredRecord = false
        } catch let error as RollbackRecordError {
            switch error {
            case .unsafe(let path, let reason):
                throw VaultError.storage(.unsafeLocation(path: path, reason: reason))
            case .damaged: throw VaultError.damaged(.rollbackRecordDamaged)
            case .unavailable:
                recorded = nil
                recordedCount = nil
                rollbackRecordFailure = error
                lacksRequiredRecord = state().state.settings.isOn(.requireRollbackRecord)
                if lacksRequiredRecord { throw VaultError.noRollbackRecord }
            }
        }
    }
}

extension VaultSession {
    /// Compares the opened state of a vault with this machine's rollback records, and records it.
    ///
    /// A vault that the owner confirmed replaces only the record of this place.
    func admit(
        _ found: SeenState, _ known: KnownRecords, _ reader: any RecordReader
    ) throws {
        var isConfirmed = false
        var own = known.own
        if known.isDamaged {
            guard environment.acceptsOlder else { throw VaultError.damaged(.rollbackRecordDamaged) }
            isConfirmed = true
        }
        do {
            if let own { try requireThisVault(own) }
        } catch VaultError.otherVault where environment.acceptsOther {
            own = nil
            isConfirmed = true
        }
        do {
            for record in own.map({ [$0] }) ?? known.elsewhere
            where own != nil || record.hasSameHistory(as: found.rollbackRecord) {
                if record.isRetired {
                    guard environment.acceptsOther else {
                        throw VaultError.otherVault(isDestroyed: true)
                    }
                    continue
                }
                try requireNotStale(found.rollbackRecord, by: record)
                try require(found.rollbackRecord, toFollow: record, reader)
            }
        } catch let error where environment.acceptsOlder && error.isFreshnessFailure {
            isConfirmed = true
        }
        if let own, own.counter < found.state.restoredAt {
            restoredBackup = found.state.restoredFrom
        }
        guard isConfirmed else { return try record(found, following: own, reader) }
        try recordConfirmed(found)
    }

    /// Records a state that the owner confirmed, without comparing it with the old record.
    func recordConfirmed(_ found: SeenState) throws {
        try rememberingFailure {
            try environment.rollbackRecords.replace(with: found.rollbackRecord)
        } recording: {
            found
        }
    }
}

extension RollbackRecord {
    /// Whether a record of another place is comparable with a commit.
    fileprivate func hasSameHistory(as found: RollbackRecord) -> Bool {
        vaultID == found.vaultID && lineage == found.lineage
    }
}

extension Error {
    /// Whether the owner may accept, as an older or forked vault, one that was refused with this error.
    fileprivate var isFreshnessFailure: Bool {
        let error: any Error = self
        return switch error {
        case is StaleSnapshot: true
        case VaultError.rolledBack, VaultError.forked, VaultError.damaged(.linkMissing),
            VaultError.damaged(.linkDamaged):
            true
        default: false
        }
    }
}

/// The rollback records of a machine before a vault is opened.
struct KnownRecords {
    /// The record of this place; nil if none is readable.
    let own: RollbackRecord?
    let isDamaged: Bool
    /// The records of other places; read only if this place has no valid record, or another vault is accepted.
    let elsewhere: [RollbackRecord]
}

extension VaultEnvironment {
    /// Reads the rollback records. Unreadable records detect no rollback; if they cannot be written either, the program reports it.
    ///
    /// - Throws: `storage(.unsafeLocation)` if other users can change the records.
    func knownRecords() throws -> KnownRecords {
        var own: RollbackRecord?
        var isDamaged = false
        do throws(RollbackRecordError) {
            own = try rollbackRecords.read()
        } catch {
            switch error {
            case .unsafe(let path, let reason):
                throw VaultError.storage(.unsafeLocation(path: path, reason: reason))
            case .damaged: isDamaged = true
            case .unavailable: break
            }
        }
        let needsOthers = own == nil || acceptsOther
        return KnownRecords(
            own: own, isDamaged: isDamaged,
            elsewhere: needsOthers ? (try? rollbackRecords.readElsewhere()) ?? [] : [])
    }

    /// The counter of a vault's rollback record at this place; 0 without a readable one.
    ///
    /// - Throws: `storage(.unsafeLocation)`.
    func knownCounter(of vaultID: [UInt8]) throws -> UInt64 {
        let own = try knownRecords().own
        return own?.vaultID == vaultID ? own?.counter ?? 0 : 0
    }

    /// Whether this machine knows a vault at other places only.
    ///
    /// - Throws: `storage(.unsafeLocation)`.
    func knowsOnlyElsewhere(_ vaultID: [UInt8]) throws -> Bool {
        guard try knownRecords().own?.vaultID != vaultID else { return false }
        let elsewhere = (try? rollbackRecords.readElsewhere()) ?? []
        return elsewhere.contains { $0.vaultID == vaultID && !$0.isRetired }
    }
}
