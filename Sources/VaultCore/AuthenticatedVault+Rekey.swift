public import Sealing
internal import SecretMemory
internal import VaultStorage

extension AuthenticatedVault {
    /// Makes new root and class keys and seals everything anew, in one transaction.
    ///
    /// Afterwards no root or class key of an older copy opens anything of this vault; the proved passphrase does, so one that leaked is changed
    /// first. Only the slot that was proved stays; if there was a recovery code
    /// it is replaced by a new one, because its slot cannot be sealed without it.
    ///
    /// - Parameter progress: Called with the number of items done and of all items.
    /// - Returns: The new recovery code, if there was one, and whether old bytes are gone.
    /// - Throws: `damaged` if anything in the vault is; `storage`, `conflict`, `outOfMemory`. Nothing has changed then.
    public consuming func rekey(
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(VaultError) -> RekeyOutcome {
        let environment = session.environment
        let old = session.header
        guard let provedSlot = old.slots.first(where: { $0.id == slotID }) else { throw .conflict }
        let newRoot: RootKey
        do throws(SealingError) {
            newRoot = try RootKey.random(from: environment.random)
        } catch {
            throw VaultError(error)
        }
        guard old.keyEpoch < .max else { throw .damaged(.headerFormat) }
        let epoch = old.keyEpoch + 1
        let sealed = try VaultKeys.sealNew(
            root: newRoot, vaultID: old.vaultID, keyEpoch: epoch, random: environment.random)
        var header = VaultHeader(
            vaultID: old.vaultID, keyEpoch: epoch,
            slots: [
                provedSlot.sealing(
                    newRoot, with: slotSecret, vaultID: old.vaultID, keyEpoch: epoch, environment)
            ],
            attributeKey: sealed.attributeKey, valueKeys: sealed.valueKeys)
        var code: RecoveryCode?
        if provedSlot.kind == .passphrase, old.slots.contains(where: { $0.kind == .recoveryCode }) {
            let made = try makeRecoverySlot(keyEpoch: epoch, rootKey: newRoot)
            header.slots.append(made.slot)
            code = made.takeCode()
        }
        let fresh = VaultSession(
            storage: session.storage, environment: environment,
            keys: try VaultKeys.open(root: newRoot, header), header: header)
        try session.reseal(from: old, into: fresh, progress: progress)
        return RekeyOutcome(recoveryCode: code, oldBytes: eraseOldBytes())
    }
}

/// What `rekey` did.
public struct RekeyOutcome: ~Copyable, Sendable {
    /// The new recovery code, if there was one before; to be shown once.
    public var recoveryCode: RecoveryCode?
    /// Whether the bytes of the old keys are gone.
    public let oldBytes: OldBytes
}

extension VaultSession {
    /// Moves every item to another session's keys, in one transaction.
    fileprivate func reseal(
        from old: VaultHeader, into fresh: VaultSession, progress: (Int, Int) -> Void
    ) throws(VaultError) {
        var outcome: VaultChanges.Outcome?
        do {
            try storage.write { writer in
                outcome = nil
                outcome = try reseal(from: old, into: fresh, writer, progress: progress)
            }
        } catch {
            // As in `write`: a commit that failed may have happened all the same.
            guard !(error is VaultError), let outcome, isStored(outcome) else {
                index = nil
                throw VaultError(translating: error)
            }
        }
        index = nil
        if let outcome {
            newest = SeenState(state: outcome.state, record: outcome.stateRecord)
        }
    }

    private func reseal(
        from old: VaultHeader, into fresh: VaultSession, _ writer: any RecordWriter,
        progress: (Int, Int) -> Void
    ) throws(VaultError) -> VaultChanges.Outcome {
        try refresh(writer)
        guard header == old, try currentHeader(writer) == old else { throw .conflict }
        try verifyAll(writer)
        guard let index else { throw .damaged(.stateMissing) }
        let emptied = VerifiedIndex(emptying: index)
        fresh.index = emptied
        let changes = VaultChanges(fresh, writer, emptied)
        try reading { try writer.removeAllBuckets() }
        try moveItems(to: fresh, changes, progress: progress)
        try changes.put(fresh.header)
        return try changes.finish()
    }

    private func moveItems(
        to fresh: VaultSession, _ changes: VaultChanges, progress: (Int, Int) -> Void
    ) throws(VaultError) {
        // The tags are known before the first row moves: rows that come in are not met again.
        let tags = index?.buckets.flatMap { $0?.digests.keys.map(\.bytes) ?? [] } ?? []
        for (done, tag) in tags.enumerated() {
            let stored = try reading {
                try changes.writer.item(tag: tag)
            }
            guard let row = try matched(stored, tag: tag) else { throw .damaged(.bucketRows) }
            let description = try open(row)
            let accessClass = try Self.accessClass(of: row)
            let resealed = try withValue(of: row) { (value) throws(VaultError) in
                try value.withBytes { (value) throws(VaultError) in
                    try fresh.seal(
                        value, description, accessClass, itemID: row.itemID, revision: row.revision)
                }
            }
            try reading { try changes.writer.removeItem(tag: tag) }
            try changes.insert(resealed)
            progress(done + 1, tags.count)
        }
    }
}

extension VerifiedIndex {
    /// The same stored state, as if it had no items: where resealing starts.
    fileprivate init(emptying index: VerifiedIndex) {
        self = index
        state.bucketsSum = MultisetSum()
        state.itemCount = 0
        bucketRecords = Array(repeating: nil, count: 256)
        buckets = Array(repeating: VerifiedBucket(), count: 256)
    }
}
