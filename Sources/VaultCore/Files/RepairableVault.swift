internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

/// The result of a repair.
public struct RepairOutcome: Sendable, Hashable {
    /// The number of items kept.
    public let kept: Int
    /// The number of removed rows that did not open.
    public let removed: Int
    /// Whether the state was lost. The settings are then the standard ones, and an older header cannot be detected.
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
    /// Only this function computes sums from storage instead of verifying storage against them. Deleted rows stay deleted, and older
    /// versions of rows are kept. An older header is also kept, and its passphrases become valid again. If the state was lost, the settings
    /// are the standard ones. Run it only after the owner has confirmed the damage.
    ///
    /// - Returns: The number of kept and removed rows.
    /// - Throws: `conflict` if another process changed the header, `storage`, `outOfMemory`; the vault is then unchanged.
    public borrowing func repair() throws(VaultError) -> RepairOutcome {
        let session = session
        return try VaultError.translating {
            try session.storage.write { try session.repair($0) }
        }
    }
}

extension VaultSession {
    fileprivate func repair(_ writer: any RecordWriter) throws -> RepairOutcome {
        guard try writer.header() == header.bytes else {
            throw VaultError.conflict
        }
        var buckets = [Bucket](repeating: Bucket(), count: 256)
        var kept = 0
        let unreadable = try sort(writer, into: &buckets, &kept)
        for tag in unreadable {
            try writer.removeItem(tag: tag)
        }
        try writer.removeAllBuckets()
        var (state, isStateLost) = try repairedState(writer)
        state.itemCount = UInt64(kept)
        state.bucketsSum = MultisetSum()
        for (index, bucket) in buckets.enumerated() {
            guard bucket.count > 0 else { continue }
            let number = UInt8(index)
            let record = bucket.sealed(
                number: number, under: keys.state, vaultID: header.vaultID,
                random: environment.random)
            state.bucketsSum.add(
                IntegrityElement.bucket(number: number, record: record, under: keys.rowHash))
            try writer.putBucket(number, bytes: record)
        }
        try put(state, writer)
        return RepairOutcome(
            kept: kept, removed: unreadable.count, isStateLost: isStateLost)
    }

    /// Sums the rows that open, and returns the tags of the others.
    private func sort(
        _ reader: any RecordReader, into buckets: inout [Bucket], _ kept: inout Int
    ) throws -> [[UInt8]] {
        var unreadable: [[UInt8]] = []
        try reader.forEachItem { row in
            do {
                let element = try element(of: row)
                _ = try open(row)
                try withValue(of: row) { _ in }
                buckets[Int(row.tag[0])].sum.add(element)
                buckets[Int(row.tag[0])].count += 1
                kept += 1
            } catch VaultError.damaged {
                unreadable.append(row.tag)
            }
        }
        return unreadable
    }

    /// The stored state if it opens, else a new one that is not older than this machine's rollback record.
    private func repairedState(
        _ reader: any RecordReader
    ) throws -> (state: VaultState, isLost: Bool) {
        let record = try reader.state()
        let stored = try? VaultState.open(record, under: keys.state, HeaderIdentity(header))
        var state =
            stored
            ?? VaultState(lineage: environment.random.bytes(count: 16), settings: .standard)
        let mark = try environment.knownMark(of: header.vaultID, refusingDamaged: false)
        let newest = max(state.counter, mark?.counter ?? 0)
        guard newest < .max else { throw VaultError.countedToTheEnd }
        state.counter = newest + 1
        return (state, stored == nil)
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
        newest = SeenState(state: state, record: sealed)
    }
}
