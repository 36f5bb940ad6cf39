internal import SecretMemory
public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Describes earlier values; see ``SecureStore/history(of:)``.
    public func history(of name: SecretName) throws(SecureStoreError) -> [EarlierSecret] {
        try run { session in
            try session.read { reader in
                let tag = session.tag(of: name)
                let key = RowKey(tag: tag)
                try session.verifyBucket(key.bucket, reader)
                guard let row = try session.matched(reader.item(tag: tag), key) else {
                    throw SecureStoreError.notFound
                }
                return try session.earlierRows(of: row.itemID, reader).map {
                    try session.describe($0.row, $0.move)
                }
            }
        }
    }

    /// Reads an earlier value; see ``SecureStore/readEarlier(_:revision:_:)``.
    public func readEarlier<Result: ~Copyable>(
        _ name: SecretName, revision: UInt64,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        var found: Result?
        try run { session in
            let earlier = try session.read { reader in
                let tag = session.tag(of: name)
                let key = RowKey(tag: tag)
                try session.verifyBucket(key.bucket, reader)
                guard let row = try session.matched(reader.item(tag: tag), key) else {
                    throw SecureStoreError.notFound
                }
                return try session.earlierRows(of: row.itemID, reader)
                    .first { $0.row.revision == revision }
            }
            guard let earlier else { throw SecureStoreError.notFound }
            let item = try session.describe(earlier.row, earlier.move).item
            found = try session.withValue(of: earlier.row) { try body(item, $0) }
            session.environment.logRead(name)
        }
        guard let result = found.take() else { throw .notFound }
        return result
    }

    /// Describes removed secrets; see ``SecureStore/removed()``.
    public func removed() throws(SecureStoreError) -> [EarlierSecret] {
        try run { session in
            try session.read { reader in
                let now = session.environment.now()
                guard let retention = session.index?.state.settings.retention else {
                    throw VaultError.damaged(.stateMissing)
                }
                var found: [EarlierSecret] = []
                try session.forEachEarlier(reader) { row, move in
                    let earlier = try session.describe(row, move)
                    if move.isRemoval, retention.stays([(move.time, true)], now: now)[0] {
                        found.append(earlier)
                    }
                }
                return found.sorted(by: EarlierSecret.isRemovedLater)
            }
        }
    }

    /// Restores an earlier value; see ``SecureStore/restore(_:toRevision:)``.
    @discardableResult
    public func restore(
        _ name: SecretName, toRevision revision: UInt64
    ) throws(SecureStoreError) -> SecretItem {
        try run { session in
            try session.change { changes in
                let row = try changes.existing(name, expecting: nil)
                let rows = try changes.earlierRows(of: row.itemID)
                let found = rows.first { $0.earlier.row.revision == revision && $0.isShown }
                guard let earlier = found?.earlier.row else { throw SecureStoreError.notFound }
                var edit = SecretEdit()
                if name.isAddress {
                    let addresses = try session.openAttributes(of: earlier).extra.text(
                        ExtraAttribute.url)
                    edit.extra = try session.open(row).extra.replacing(
                        ExtraAttribute.url, by: addresses)
                }
                return try session.withValue(of: earlier) { value in
                    try changes.update(row, to: value, edit)
                }
            }
        }
    }

    /// Restores a removed secret; see ``SecureStore/restore(removed:as:)``.
    @discardableResult
    public func restore(
        removed id: [UInt8], as name: SecretName?
    ) throws(SecureStoreError) -> SecretItem {
        try run { session in
            try session.change { changes in try changes.restore(removed: id, as: name) }
        }
    }

    /// Erases expired earlier versions and orphaned chunks, at most once a day. Writes only if there are any.
    ///
    /// - Throws: `locked`, `damaged`, `unavailable`.
    package func eraseExpired() throws(SecureStoreError) {
        try run { session in
            // The newest known state has the number of earlier rows, so that no read is needed.
            guard session.isSweepDue, session.newest?.state.earlierCount != 0 else { return }
            let expired = try session.read { reader in
                let retention = session.index?.state.settings.retention ?? .standard
                return try session.expiredEarlier(
                    retention, reader, since: session.expiryDoubt(reader))
            }
            if !expired.keys.isEmpty {
                try session.write { changes in try changes.eraseExpired() }
            } else if expired.areOthersInDoubt {
                // The next change notes it.
                return
            }
            session.lastSweep = session.environment.now()
        }
        do {
            try VaultFiles(self).sweepOnceADay()
        } catch {
            throw SecureStoreError(error)
        }
    }
}

extension VaultSession {
    /// The earlier rows of an item that stay, in this snapshot, the newest revision first.
    fileprivate func earlierRows(
        of itemID: [UInt8], _ reader: any RecordReader
    ) throws -> [(row: EarlierRecord, move: EarlierMove)] {
        let first = RowKey(itemID: itemID, revision: 0)
        try verifyBucket(first.bucket, reader)
        let keys = index?.buckets[first.bucket]?.digests.keys.filter { $0.hasSameItem(as: first) }
        var moves: [(row: EarlierRecord, move: EarlierMove)] = []
        for key in (keys ?? []).sorted(by: { $0.revision > $1.revision }) {
            let row = try reader.earlier(itemID: itemID, revision: key.revision)
            guard let row = try matched(row, key) else { throw VaultError.damaged(.bucketRows) }
            moves.append((row, try openMove(of: row)))
        }
        let retention = index?.state.settings.retention ?? .standard
        let stays = retention.stays(
            moves.map { ($0.move.time, $0.move.isRemoval) }, now: environment.now())
        return zip(moves, stays).filter(\.1).map(\.0)
    }
}
