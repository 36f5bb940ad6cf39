internal import Sealing
internal import VaultStorage

extension AuthenticatedVault {
    /// Creates new root and class keys and reseals every row, in one transaction.
    ///
    /// Every slot stays and opens the vault as before. A slot that was removed or replaced earlier cannot open data saved afterwards, not
    /// even with an older copy of the header.
    ///
    /// - Parameter progress: Called with the number of resealed rows and the total.
    /// - Returns: Whether old bytes are erased.
    /// - Throws: `damaged` if a slot or any other part of the vault is damaged; `conflict` if another process changed the slots; `storage`,
    ///   `outOfMemory`. The vault is then unchanged.
    public consuming func rekey(
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(VaultError) -> OldBytes {
        do {
            return try replaceKeys(
                staying: { $0 }, adding: { _, _ in [] }, progress: progress)
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// As ``rekey(progress:)``, with other slots: `staying` chooses the present slots that get the new root key. `make` makes further slots
    /// with the new key and its key epoch.
    consuming func replaceKeys(
        staying: ([KeySlot]) throws -> [KeySlot],
        adding make: (borrowing RootKey, UInt32) throws -> [KeySlot],
        progress: (Int, Int) -> Void
    ) throws -> OldBytes {
        let environment = session.environment
        let old = session.header
        let openedID = slotID
        guard old.slots.contains(where: { $0.id == openedID }) else {
            throw VaultError.conflict
        }
        guard old.keyEpoch < .max else { throw VaultError.damaged(.headerFormat) }
        let newRoot = try RootKey.random(from: environment.random)
        var slots: [KeySlot] = []
        for slot in try staying(old.slots) {
            slots.append(
                try slot.rekeyed(
                    from: root, to: newRoot, vaultID: old.vaultID, keyEpoch: old.keyEpoch,
                    environment.random))
        }
        let epoch = old.keyEpoch + 1
        slots += try make(newRoot, epoch)
        guard slots.count <= KeySlot.maximumCount else { throw VaultError.tooManySlots }
        let header = VaultHeader(
            vaultID: old.vaultID, keyEpoch: epoch, slots: slots,
            keys: try VaultKeys.sealNew(
                root: newRoot, vaultID: old.vaultID, keyEpoch: epoch,
                random: environment.random))
        let fresh = VaultSession(
            storage: session.storage, environment: environment,
            keys: try VaultKeys.open(root: newRoot, header), header: header)
        try session.reseal(from: old, into: fresh, progress: progress)
        return eraseOldBytes()
    }
}

extension VaultSession {
    /// Reseals every row under the keys of another session, in one transaction.
    fileprivate func reseal(
        from old: VaultHeader, into fresh: VaultSession, progress: (Int, Int) -> Void
    ) throws {
        var outcome: VaultChanges.Outcome?
        do {
            try catchingUp {
                try storage.write { writer in
                    outcome = nil
                    outcome = try reseal(from: old, into: fresh, writer, progress: progress)
                }
            }
        } catch {
            // As in `write`: a failed commit may still have taken effect.
            guard let outcome, isStored(outcome) else {
                index = nil
                throw error
            }
        }
        index = nil
        fresh.recorded = recorded
        fresh.newest = outcome?.seen
        try fresh.recordCommit()
    }

    private func reseal(
        from old: VaultHeader, into fresh: VaultSession, _ writer: any RecordWriter,
        progress: (Int, Int) -> Void
    ) throws -> VaultChanges.Outcome {
        let storedHeader = try refresh(writer)
        guard header == old, try currentHeader(storedHeader) == old else {
            throw VaultError.conflict
        }
        try verifyEverything(writer)
        guard let index else { throw VaultError.damaged(.stateMissing) }
        let emptied = VerifiedIndex(emptying: index)
        fresh.index = emptied
        let changes = VaultChanges(fresh, writer, emptied)
        try writer.removeAllBuckets()
        try resealRows(to: fresh, changes, progress: progress)
        try resealLinks(of: index.state, for: fresh, writer)
        try changes.put(fresh.header)
        return try changes.finish()
    }

    private func resealRows(
        to fresh: VaultSession, _ changes: VaultChanges, progress: (Int, Int) -> Void
    ) throws {
        // Collect the keys before moving the first row, so that new rows are not visited again.
        let rows = index?.buckets.map { $0.map { Array($0.digests.keys) } ?? [] } ?? []
        let count = rows.reduce(0) { $0 + $1.count }
        var done = 0
        for (bucket, keys) in rows.enumerated() {
            for key in keys {
                if ItemRecord.buckets.contains(bucket) {
                    try resealItem(key, to: fresh, changes)
                } else {
                    try resealEarlier(key, to: fresh, changes)
                }
                done += 1
                progress(done, count)
            }
        }
    }

    private func resealItem(
        _ key: RowKey, to fresh: VaultSession, _ changes: VaultChanges
    ) throws {
        guard let row = try matched(changes.writer.item(tag: key.tag), key) else {
            throw VaultError.damaged(.bucketRows)
        }
        _ = try open(row)
        let resealed = try resealed(row, Self.accessClass(of: row), for: fresh)
        try changes.writer.removeItem(tag: row.tag)
        try changes.insert(resealed)
    }

    private func resealEarlier(
        _ key: RowKey, to fresh: VaultSession, _ changes: VaultChanges
    ) throws {
        let found = try changes.writer.earlier(itemID: key.itemID, revision: key.revision)
        guard let row = try matched(found, key) else { throw VaultError.damaged(.bucketRows) }
        let move = try openMove(of: row)
        let resealed = try resealed(row, Self.accessClass(of: row), for: fresh)
        try changes.writer.removeEarlier(itemID: row.itemID, revision: row.revision)
        try changes.insert(fresh.earlier(resealed, move))
    }
}

extension VerifiedIndex {
    /// The same stored state with no rows: the starting point of resealing.
    fileprivate init(emptying index: VerifiedIndex) {
        self.init(stateRecord: index.stateRecord, state: index.state)
        state.bucketsSum = MultisetSum()
        state.itemCount = 0
        state.earlierCount = 0
        buckets = (0..<Bucket.totalCount).map { VerifiedBucket(number: $0) }
    }
}
