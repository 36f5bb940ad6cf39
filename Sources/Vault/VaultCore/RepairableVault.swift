internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

/// The result of a repair.
public struct RepairOutcome: Sendable, Hashable {
    /// The number of items kept.
    public let kept: Int
    /// The number of removed rows that did not open, including earlier rows.
    public let removed: Int
    /// Whether the state was lost. The settings are then the defaults, and an older header cannot be detected.
    public let isStateLost: Bool
}

/// A vault with a verified owner and a possibly damaged state, for repair only. Not thread-safe.
public struct RepairableVault: ~Copyable {
    private let session: VaultSession

    init(_ session: VaultSession) {
        self.session = session
    }

    /// Keeps every row that opens, removes the others, and rebuilds buckets and state from the remaining rows.
    ///
    /// Only this function computes sums from storage instead of verifying storage against them. So deleted rows stay deleted, and older
    /// versions of rows are accepted. An older header is accepted too, and its passphrases become valid again. If the state was lost, the
    /// settings are the defaults. Run it only after the owner has confirmed the damage.
    ///
    /// - Returns: The number of kept and removed rows.
    /// - Throws: `conflict` if another process changed the header, `storage`, `outOfMemory`; the vault is then unchanged.
    public borrowing func repair() throws(VaultError) -> RepairOutcome {
        let session = session
        return try VaultError.translating {
            let outcome = try session.storage.write { try session.repair($0) }
            // The owner has confirmed this vault; the record may be of another one.
            if let newest = session.newest { try session.recordConfirmed(newest) }
            return outcome
        }
    }
}

extension VaultSession {
    fileprivate func repair(_ writer: any RecordWriter) throws -> RepairOutcome {
        guard try writer.header() == header.bytes else {
            throw VaultError.conflict
        }
        var rows = KeptRows()
        try sort(writer, into: &rows)
        try writer.removeAllBuckets()
        var (state, isStateLost, last) = try repairedState(writer)
        state.itemCount = UInt64(rows.items)
        state.earlierCount = UInt64(rows.earlier)
        state.bucketsSum = MultisetSum()
        for (number, bucket) in rows.buckets.enumerated() {
            guard bucket.count > 0 else { continue }
            let record = bucket.sealed(
                number: number, under: keys.state, vaultID: header.vaultID,
                random: environment.random)
            state.bucketsSum.add(
                IntegrityElement.bucket(number: number, record: record, under: keys.rowHash))
            try writer.putBucket(number, bytes: record)
        }
        try advance(&state, from: last, writer)
        try repairLinks(of: state, writer)
        try put(state, writer)
        return RepairOutcome(
            kept: rows.items, removed: rows.removed, isStateLost: isStateLost)
    }

    /// The sums and numbers of the rows that can be decrypted, and the number of removed rows.
    private struct KeptRows {
        var buckets = [Bucket](repeating: Bucket(), count: Bucket.totalCount)
        var items = 0
        var earlier = 0
        var removed = 0

        mutating func add(_ element: [UInt8], _ key: RowKey) {
            buckets[key.bucket].sum.add(element)
            buckets[key.bucket].count += 1
        }
    }

    /// Adds up the rows that can be decrypted, and removes the others.
    private func sort(_ writer: any RecordWriter, into rows: inout KeptRows) throws {
        var unreadable: [[UInt8]] = []
        try writer.forEachItem { row in
            do {
                let element = try element(of: row)
                _ = try open(row)
                try withValue(of: row) { _ in }
                rows.add(element, row.key)
                rows.items += 1
            } catch VaultError.damaged {
                unreadable.append(row.tag)
            }
        }
        for tag in unreadable { try writer.removeItem(tag: tag) }
        var earlier: [EarlierRecord] = []
        var unreadableEarlier = 0
        try writer.forEachEarlier { row in
            do {
                let element = try element(of: row)
                _ = try (openMove(of: row), openAttributes(of: row))
                try withValue(of: row) { _ in }
                rows.add(element, row.key)
                earlier.append(row)
            } catch VaultError.damaged {
                unreadableEarlier += 1
            }
        }
        rows.earlier = earlier.count
        rows.removed = unreadable.count + unreadableEarlier
        guard unreadableEarlier > 0 else { return }
        // A revision out of range cannot be a key, so rows cannot be removed one by one.
        try writer.removeAllEarlier()
        for row in earlier { try writer.insertEarlier(row) }
    }

    /// The stored state if it opens, else a new one; and the counter before it. The new counter is one that this machine has not seen.
    private func repairedState(
        _ reader: any RecordReader
    ) throws -> (state: VaultState, isLost: Bool, last: UInt64) {
        let record = try reader.state()
        let stored = try? VaultState.open(record, under: keys.state, HeaderIdentity(header))
        var state =
            stored
            ?? VaultState(lineage: environment.random.bytes(count: 16), settings: .standard)
        let last = state.counter
        let newest = max(last, try environment.knownCounter(of: header.vaultID))
        guard newest < LinkRecord.largestCounter else { throw VaultError.counterExhausted }
        state.counter = newest + 1
        return (state, stored == nil, last)
    }

    private func put(_ state: VaultState, _ writer: any RecordWriter) throws {
        let sealed = state.sealed(
            under: keys.state, HeaderIdentity(header), random: environment.random)
        let old = try writer.state()
        if let old {
            let isReplaced = try writer.replaceState(old, with: sealed)
            guard isReplaced else { throw VaultError.conflict }
        } else {
            try writer.insertState(sealed)
        }
        index = nil
        newest = SeenState(header, state, record: sealed)
    }
}
