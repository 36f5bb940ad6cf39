internal import SecretMemory
internal import TextCoding

extension Replica {
    /// Applies kept parts whose key has come, as after `unlock` and `verify`.
    ///
    /// - Returns: Parts that were ignored because they are invalid.
    /// - Throws: `SecretMemoryError.outOfMemory`, the errors of the store.
    @discardableResult
    package func applyKept() throws -> [Dot: SegmentFailure] {
        try store.transaction { try applyKept(in: $0) }
    }

    @discardableResult
    func applyKept(in transaction: any SyncTransaction) throws -> [Dot: SegmentFailure] {
        var ignored: [Dot: SegmentFailure] = [:]
        // Part U names the records of part V, so it comes first.
        for level in [SyncLevel.whileUnlocked, .afterVerification] {
            for kept in try transaction.keptParts(level) {
                guard let key = epochs[kept.part.prefix.epoch]?[level] else { break }
                do {
                    try apply(kept.part, under: key, transaction)
                } catch let failure as SegmentFailure {
                    // It opens on no device, so that all ignore it. Only a thief of a locked disk can have written it.
                    ignored[kept.part.prefix.dot] = failure
                }
                try transaction.removeKept(kept)
            }
        }
        return ignored
    }

    private func apply(
        _ part: SealedPart, under key: LevelKey, _ transaction: any SyncTransaction
    ) throws {
        try part.open(under: key) { announced in
            guard !announced.isEmpty else { return }
            let waiting = try transaction.keptParts(.afterVerification)
            guard let other = waiting.first(where: { $0.part.prefix == part.prefix })
            else { return }
            var named = other.part
            named.announced = announced
            try transaction.replaceKept(KeptPart(sequence: other.sequence, part: named))
        } visit: { record, bytes in
            let isSecret = record.level == .afterVerification || record.key.field.isSecret
            guard isSecret else { return try insert(record, transaction) }
            let fingerprint = try transaction.fingerprint(of: bytes, record.level)
            let content = RecordContent.secret(fingerprint: fingerprint, size: bytes.byteCount)
            if let version = try version(record, content, transaction) {
                try transaction.insert(version, secret: bytes)
            }
        }
    }

    /// Adds a record that came, with an open content.
    func insert(_ record: TravellingRecord, _ transaction: any SyncTransaction) throws {
        if let version = try version(record, .open(record.content), transaction) {
            try transaction.insert(version)
        }
    }

    /// The version of a record that came; nil for one that is there already, a repetition.
    private func version(
        _ record: TravellingRecord, _ content: RecordContent, _ transaction: any SyncTransaction
    ) throws -> Version? {
        transaction.ledger.clock.see(record.key.stamp.clock)
        guard try !transaction.contains(record.key) else { return nil }
        let version = Version(
            record.key, content, record.level, record.origin, applied: environment.now(),
            written: record.written)
        try note(version, transaction)
        return version
    }
}
