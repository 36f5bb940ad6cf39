public import Sealing
internal import SecretMemory
internal import VaultStorage

extension AuthenticatedVault {
    /// Creates new root and class keys and reseals every item, in one transaction.
    ///
    /// Root and class keys of older copies no longer open this vault. The verified passphrase still does: change a leaked passphrase first.
    /// Only the verified slot is kept. A recovery code is replaced by a new one, because its slot cannot be sealed without the code.
    ///
    /// - Parameter progress: Called with the number of resealed items and the total.
    /// - Returns: The new recovery code, if the vault had one, and whether old bytes are erased.
    /// - Throws: `damaged` if any part of the vault is damaged; `storage`, `conflict`, `outOfMemory`. The vault is then unchanged.
    public consuming func rekey(
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(VaultError) -> RekeyOutcome {
        do {
            let environment = session.environment
            let old = session.header
            guard let provedSlot = old.slots.first(where: { $0.id == slotID }) else {
                throw VaultError.conflict
            }
            let newRoot = try RootKey.random(from: environment.random)
            guard old.keyEpoch < .max else { throw VaultError.damaged(.headerFormat) }
            let epoch = old.keyEpoch + 1
            let sealed = try VaultKeys.sealNew(
                root: newRoot, vaultID: old.vaultID, keyEpoch: epoch, random: environment.random)
            var header = VaultHeader(
                vaultID: old.vaultID, keyEpoch: epoch,
                slots: [
                    provedSlot.sealing(
                        newRoot, with: slotSecret, vaultID: old.vaultID, keyEpoch: epoch,
                        environment)
                ],
                attributeKey: sealed.attributeKey, valueKeys: sealed.valueKeys)
            var code: RecoveryCode?
            if provedSlot.kind == .passphrase,
                old.slots.contains(where: { $0.kind == .recoveryCode })
            {
                let made = try makeRecoverySlot(keyEpoch: epoch, rootKey: newRoot)
                header.slots.append(made.slot)
                code = made.takeCode()
            }
            let fresh = VaultSession(
                storage: session.storage, environment: environment,
                keys: try VaultKeys.open(root: newRoot, header), header: header)
            try session.reseal(from: old, into: fresh, progress: progress)
            return RekeyOutcome(recoveryCode: code, oldBytes: eraseOldBytes())
        } catch {
            throw VaultError(translating: error)
        }
    }
}

/// The result of `rekey`.
public struct RekeyOutcome: ~Copyable, Sendable {
    /// The new recovery code, if the vault had one before. Show it once.
    public var recoveryCode: RecoveryCode?
    /// Whether the bytes of the old keys are erased.
    public let oldBytes: OldBytes
}

extension VaultSession {
    /// Reseals every item under the keys of another session, in one transaction.
    fileprivate func reseal(
        from old: VaultHeader, into fresh: VaultSession, progress: (Int, Int) -> Void
    ) throws {
        var outcome: VaultChanges.Outcome?
        do {
            try storage.write { writer in
                outcome = nil
                outcome = try reseal(from: old, into: fresh, writer, progress: progress)
            }
        } catch {
            // As in `write`: a failed commit may still have taken effect.
            guard let outcome, isStored(outcome) else {
                index = nil
                throw error
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
    ) throws -> VaultChanges.Outcome {
        try refresh(writer)
        guard header == old, try currentHeader(writer) == old else { throw VaultError.conflict }
        try verifyAll(writer)
        guard let index else { throw VaultError.damaged(.stateMissing) }
        let emptied = VerifiedIndex(emptying: index)
        fresh.index = emptied
        let changes = VaultChanges(fresh, writer, emptied)
        try writer.removeAllBuckets()
        try moveItems(to: fresh, changes, progress: progress)
        try changes.put(fresh.header)
        return try changes.finish()
    }

    private func moveItems(
        to fresh: VaultSession, _ changes: VaultChanges, progress: (Int, Int) -> Void
    ) throws {
        // Collect the tags before moving the first row, so that new rows are not visited again.
        let tags = index?.buckets.flatMap { $0?.digests.keys.map(\.bytes) ?? [] } ?? []
        for (done, tag) in tags.enumerated() {
            guard let row = try matched(changes.writer.item(tag: tag), tag: tag) else {
                throw VaultError.damaged(.bucketRows)
            }
            let description = try open(row)
            let accessClass = try Self.accessClass(of: row)
            let resealed = try withValue(of: row) { value in
                try value.withBytes { value in
                    try fresh.seal(
                        value, description, accessClass, itemID: row.itemID, revision: row.revision)
                }
            }
            try changes.writer.removeItem(tag: tag)
            try changes.insert(resealed)
            progress(done + 1, tags.count)
        }
    }
}

extension VerifiedIndex {
    /// The same stored state with no items: the starting point of resealing.
    fileprivate init(emptying index: VerifiedIndex) {
        self = index
        state.bucketsSum = MultisetSum()
        state.itemCount = 0
        bucketRecords = Array(repeating: nil, count: 256)
        buckets = Array(repeating: VerifiedBucket(), count: 256)
    }
}
