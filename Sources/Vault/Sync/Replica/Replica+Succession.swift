internal import SecretMemory

// A machine whose device another one is, too, goes on as a device of its own.
extension Replica {
    /// The number of the newest segment that both machines have: after it, their chains differ.
    ///
    /// - Throws: ``RemoteFailure``, the errors of the store.
    package func lastCommonNumber() throws -> UInt64 {
        let (outbox, published, newest) = try store.transaction { transaction in
            (
                try transaction.outbox(), transaction.ledger.published,
                transaction.ledger.chains[device]?.number ?? 0
            )
        }
        let plain = Dictionary(
            try remote.list(device).filter(\.isPlain).map { ($0.dot.number, $0) }
        ) { first, _ in first }
        for number in outbox {
            if let segment = plain[number] {
                if try isForeign(segment) { return number - 1 }
            } else if number > published {
                return number - 1
            }
        }
        return newest
    }

    /// Deletes the segments after a number that this device has put, so that the other machine's chain is the only one of this device.
    ///
    /// - Throws: ``RemoteFailure``, the errors of the store.
    package func withdraw(after number: UInt64) throws {
        for segment in try remote.list(device) where segment.dot.number > number {
            let own = try store.transaction { try $0.outboxSegment(segment.dot.number) }
            if let own, try remote.get(segment) == own { try remote.delete(segment.name) }
        }
    }

    /// The state of a former device's chain at an earlier segment.
    ///
    /// - Parameters:
    ///   - former: The device, in this chain.
    ///   - number: The segment; 0 for none.
    ///   - known: What the device had seen at some of its segments.
    ///   - old: A transaction of its store.
    /// - Returns: The state; nil before the first segment.
    /// - Throws: ``SyncError``, the errors of the store.
    package func chain(
        of former: DeviceID, at number: UInt64, _ known: [UInt64: VersionVector],
        _ old: any SyncTransaction
    ) throws -> ChainState? {
        guard number > 0, var chain = old.ledger.chains[former] else { return nil }
        chain.heard = environment.now()
        if chain.number == number { return chain }
        guard let hash = try old.hash(of: Dot(former, number)) else { throw SyncError.storeDamaged }
        // Back to a segment whose vector is known, and forward again with the heads that changed.
        var changes: [Heads] = []
        var place = number
        var seen = known[place]
        while seen == nil {
            guard let bytes = try old.outboxSegment(place), let segment = try? Segment(bytes),
                let epoch = epochs[segment.prefix.epoch],
                let body = try? SegmentBody.open(segment, epoch, after: VersionVector())
            else { throw SyncError.cloned(number + 1) }
            let isWhole =
                place == 1 || SegmentBody.namesAllHeads(place) || !body.addition.isEmpty
            if isWhole { seen = body.seen } else { changes.append(body.heads) }
            place -= 1
            if seen == nil { seen = known[place] }
        }
        for heads in changes.reversed() {
            for (device, head) in heads { seen?[device] = head.number }
        }
        chain.number = number
        chain.hash = hash
        chain.seen = seen ?? VersionVector()
        return chain
    }

    /// Writes the records of a former device as this one, with the times and the vectors that they had.
    ///
    /// - Parameters:
    ///   - unsent: The records, by their segments.
    ///   - former: The device, in this chain.
    ///   - number: Its newest segment that counts as its own.
    ///   - old: A transaction of its store, with the keys of all levels.
    ///   - transaction: A transaction of this device's store, with the keys of all levels.
    /// - Throws: ``SyncError``; `SecretMemoryError.outOfMemory`; the errors of the stores.
    package func writeAgain(
        _ unsent: [UInt64: [Version]], of former: DeviceID, after number: UInt64,
        _ old: any SyncTransaction, _ transaction: any SyncTransaction
    ) throws {
        let stamps = Set(unsent.values.joined().map(\.stamp))
        func own(_ stamp: Stamp) -> Stamp {
            stamps.contains(stamp) ? Stamp(clock: stamp.clock, device: device) : stamp
        }
        for (_, versions) in unsent.sorted(by: { $0.key < $1.key }) {
            var secrets: [RecordKey: SecretContent] = [:]
            var records: [OutgoingRecord] = []
            var seen = versions[0].origin.seen
            seen[former] = number
            for version in versions {
                let key = RecordKey(version.object, version.field, own(version.stamp))
                var content = version.content
                switch content {
                case .open(let bytes):
                    if version.field == .looked, let looked = RecordContent.stamps(bytes) {
                        // Another record of the same millisecond can have been sent.
                        content = .open(RecordContent.stamps(looked.union(looked.map { own($0) })))
                    }
                case .secret(_, let size):
                    let secret = SecretContent(try old.secret(of: version.key))
                    secrets[key] = secret
                    let fingerprint = try secret.bytes.withBytes {
                        try transaction.fingerprint(of: $0, version.level)
                    }
                    content = .secret(fingerprint: fingerprint, size: size)
                }
                records.append(OutgoingRecord(key, content, version.level))
            }
            try write(records, secrets, seen: seen, transaction)
        }
    }
}
