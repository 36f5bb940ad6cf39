internal import Sealing
internal import VaultStorage

/// An opened state, its record, and the commit that both are of.
struct SeenState {
    let state: VaultState
    let record: [UInt8]
    let mark: RollbackRecord

    init(_ header: VaultHeader, _ state: VaultState, record: [UInt8]) {
        self.state = state
        self.record = record
        mark = RollbackRecord(header, state, record: record)
    }
}

/// Another process of this machine recorded a newer commit than the snapshot's.
private struct Overtaken: Error {
    let found: UInt64
    let mark: RollbackRecord
}

// Whether one commit follows from another.
extension VaultSession {
    /// Requires that a commit follows from an earlier one of this vault, by the links of a snapshot that has both.
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

    /// The history that the links lead to.
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
    /// Runs `body` again, on a newer snapshot, if another process of this machine recorded a newer commit than that of its snapshot.
    ///
    /// - Throws: `rolledBack` if the storage does not have that commit.
    func catchingUp<Result>(_ body: () throws -> Result) throws -> Result {
        var newest: RollbackRecord?
        while true {
            do {
                return try body()
            } catch let error as Overtaken {
                guard error.mark != newest else {
                    throw VaultError.rolledBack(found: error.found, seen: error.mark.counter)
                }
                newest = error.mark
            }
        }
    }

    /// Whether the rollback record is still the one that this session wrote, or cannot be read any more.
    var isRecordUnchanged: Bool {
        // After a failure the record may be readable, and is written again.
        if isRecordMissed || markFailure != nil { return false }
        do {
            let count = try environment.marks.changeCount()
            if let count, count == recordedCount { return true }
            guard try environment.marks.mark() == recorded else { return false }
            // Counted before the record was read: what changed in between is counted next time.
            recordedCount = count
            return true
        } catch {
            return recorded == nil
        }
    }

    /// Requires that a state follows from this machine's rollback record, and records it: before any answer from it. It is known to follow
    /// from `checked`.
    func record(
        _ found: SeenState, following checked: RollbackRecord?, _ reader: any RecordReader
    ) throws {
        try noting {
            while true {
                let known = try environment.marks.mark()
                if let known, known != checked {
                    try requireThisVault(known)
                    try requireNotOvertaken(found.mark, by: known)
                    try require(found.mark, toFollow: known, reader)
                }
                if try environment.marks.exchange(known, for: found.mark) { return }
            }
        } recording: {
            found
        }
    }

    /// Records a commit of this session, before it is acknowledged. It follows from the state that this session recorded last.
    ///
    /// Of two processes of a machine that finish in either order, the later commit stays, if it follows from the other one.
    func recordCommit() throws {
        guard let newest else { return }
        try noting {
            while true {
                let known = try environment.marks.mark()
                if let known, known != recorded, known != newest.mark {
                    try requireThisVault(known)
                    let isOvertaken = known.counter > newest.mark.counter
                    try storage.read { reader in
                        _ = try currentHeader(reader.header())
                        try isOvertaken
                            ? require(known, toFollow: newest.mark, reader)
                            : require(newest.mark, toFollow: known, reader)
                    }
                    if isOvertaken { return }
                }
                if try environment.marks.exchange(known, for: newest.mark) { return }
            }
        } recording: {
            newest
        }
    }

    private func requireNotOvertaken(_ found: RollbackRecord, by known: RollbackRecord) throws {
        guard known.counter <= found.counter else {
            throw Overtaken(found: found.counter, mark: known)
        }
    }

    private func requireThisVault(_ known: RollbackRecord) throws {
        guard !known.isRetired, known.vaultID == header.vaultID else {
            throw VaultError.otherVault(isDestroyed: known.isRetired)
        }
    }

    /// Runs `body`, which records a state, and notes why the record could not be read or written.
    ///
    /// - Throws: `noRollbackRecord` if the state's settings require a record.
    private func noting(_ body: () throws -> Void, recording state: () -> SeenState) throws {
        do {
            try body()
            recorded = state().mark
            recordedCount = nil
            markFailure = nil
            isRecordMissed = false
        } catch let error as RollbackRecordError {
            switch error {
            case .unsafe(let path, let reason):
                throw VaultError.storage(.unsafeLocation(path: path, reason: reason))
            case .damaged: throw VaultError.damaged(.markDamaged)
            case .unavailable:
                recorded = nil
                recordedCount = nil
                markFailure = error
                isRecordMissed = state().state.settings.requiresRollbackRecord
                if isRecordMissed { throw VaultError.noRollbackRecord }
            }
        }
    }
}

extension VaultSession {
    /// Compares the opened state of a vault with this machine's rollback records, and records it.
    ///
    /// What the owner confirmed replaces the record of this place alone.
    func admit(
        _ found: SeenState, _ known: KnownRecords, _ reader: any RecordReader
    ) throws {
        var isConfirmed = false
        var own = known.own
        if known.isDamaged {
            guard environment.acceptsOlder else { throw VaultError.damaged(.markDamaged) }
            isConfirmed = true
        }
        do {
            if let own { try requireThisVault(own) }
        } catch VaultError.otherVault where environment.acceptsOther {
            own = nil
            isConfirmed = true
        }
        do {
            for mark in own.map({ [$0] }) ?? known.elsewhere
            where own != nil || mark.isOfSameHistory(as: found.mark) {
                if mark.isRetired {
                    guard environment.acceptsOther else {
                        throw VaultError.otherVault(isDestroyed: true)
                    }
                    continue
                }
                try requireNotOvertaken(found.mark, by: mark)
                try require(found.mark, toFollow: mark, reader)
            }
        } catch let error where environment.acceptsOlder && error.isOfFreshness {
            isConfirmed = true
        }
        if let own, own.counter < found.state.restoredAt {
            restoredBackup = found.state.restoredFrom
        }
        guard isConfirmed else { return try record(found, following: own, reader) }
        try recordConfirmed(found)
    }

    /// Records a state that the owner confirmed, whatever the record was.
    func recordConfirmed(_ found: SeenState) throws {
        try noting {
            try environment.marks.replace(with: found.mark)
        } recording: {
            found
        }
    }
}

extension RollbackRecord {
    /// Whether a record of another place says something about a commit.
    fileprivate func isOfSameHistory(as found: RollbackRecord) -> Bool {
        vaultID == found.vaultID && lineage == found.lineage
    }
}

extension Error {
    /// Whether the owner can confirm a vault that is refused for this reason as an older or forked one.
    fileprivate var isOfFreshness: Bool {
        let error: any Error = self
        return switch error {
        case is Overtaken: true
        case VaultError.rolledBack, VaultError.forked, VaultError.damaged(.linkMissing),
            VaultError.damaged(.linkDamaged):
            true
        default: false
        }
    }
}

/// What a machine recorded before a vault is opened.
struct KnownRecords {
    /// The record of this place, if there is a readable one.
    let own: RollbackRecord?
    let isDamaged: Bool
    /// The records of other places, if this one has none that counts.
    let elsewhere: [RollbackRecord]
}

extension VaultEnvironment {
    /// The rollback records. Without readable ones no rollback is detected. If writing them fails too, the program reports it.
    ///
    /// - Throws: `storage(.unsafeLocation)` if other users can change the records.
    func knownRecords() throws -> KnownRecords {
        var own: RollbackRecord?
        var isDamaged = false
        do throws(RollbackRecordError) {
            own = try marks.mark()
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
            elsewhere: needsOthers ? (try? marks.marksElsewhere()) ?? [] : [])
    }

    /// The counter of a vault's rollback record at this place; 0 without a readable one.
    ///
    /// - Throws: `storage(.unsafeLocation)`.
    func knownCounter(of vaultID: [UInt8]) throws -> UInt64 {
        let own = try knownRecords().own
        return own?.vaultID == vaultID ? own?.counter ?? 0 : 0
    }
}
