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

    /// Fills the empty store of this device with all that a former one has.
    ///
    /// Changes that the former device wrote after a number are written by this one, with the times and the vectors that it had. So they count as
    /// what they are: changes that had seen neither the other machine's nor what came later.
    ///
    /// - Parameters:
    ///   - former: The id of the former device, in this chain.
    ///   - number: Its newest segment that counts as its own.
    ///   - old: A transaction of its store, with the keys of all levels.
    ///   - transaction: A transaction of this device's store, with the keys of all levels.
    /// - Throws: ``SyncError``; `SecretMemoryError.outOfMemory`; the errors of the stores.
    package func takeOver(
        from former: DeviceID, after number: UInt64, _ old: any MirrorTransaction,
        in transaction: any MirrorTransaction
    ) throws {
        var ledger = old.ledger
        ledger.published = 0
        ledger.exposed = 0
        for (member, known) in ledger.removals where known[former] > number {
            ledger.removals[member]?[former] = 0
        }
        var unsent: [UInt64: [Version]] = [:]
        // What the former device had seen at each of its segments, as far as a record says so.
        var known: [UInt64: VersionVector] = [:]
        let unmirrored = Set(try old.unmirrored())
        for object in try old.objects() {
            let versions = try old.versions(of: object)
            let later = unmirrored.contains(object) ? try old.unmirrored(of: object) : []
            for version in versions where version.origin.dot.device == former {
                let place = version.origin.dot.number
                if place > number {
                    unsent[place, default: []].append(version)
                } else {
                    known[place] = version.origin.seen
                }
            }
            let kept = versions.filter {
                $0.origin.dot.device != former || $0.origin.dot.number <= number
            }
            for version in kept where !later.contains(version.key) {
                try copy(version, old, transaction)
            }
            try transaction.setMirrored(object)
            for version in kept where later.contains(version.key) {
                try copy(version, old, transaction)
            }
            // A repetition that was not sent is made again.
            if versions.contains(where: { $0.field == .remove }),
                try old.state(of: object, rules: rules)?.isRemoved == false
            {
                ledger.unrepeated.insert(object)
            }
        }
        ledger.chains[former] = try chain(of: former, at: number, known, old)
        transaction.ledger = ledger
        for (author, chain) in ledger.chains where chain.number > 0 {
            for number in 1...chain.number {
                let dot = Dot(author, number)
                if let hash = try old.hash(of: dot) { try transaction.setHash(hash, of: dot) }
            }
        }
        for snapshot in try old.snapshots()
        where snapshot.dot.device != former || snapshot.dot.number <= number {
            try transaction.set(snapshot)
        }
        for level in [SyncLevel.whileUnlocked, .afterVerification] {
            for kept in try old.keptParts(level) { try transaction.keep(kept.part) }
        }
        for counterpart in try old.counterparts() { try transaction.set(counterpart) }
        for object in try old.marked() { try transaction.setMarked(object, true) }
        for (name, content) in try old.notes() { try transaction.setNote(name, content) }
        try writeAgain(unsent, of: former, after: number, old, transaction)
    }

    private func copy(
        _ version: Version, _ old: any SyncTransaction, _ transaction: any SyncTransaction
    ) throws {
        guard case .secret = version.content else { return try transaction.insert(version) }
        try withSecret(of: version.key, old) { try transaction.insert(version, secret: $0) }
    }

    private func withSecret<Result>(
        of key: RecordKey, _ transaction: any SyncTransaction,
        _ body: (RawSpan) throws -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        try transaction.withSecret(of: key) { bytes in result = Swift.Result { try body(bytes) } }
        guard let result else { throw SyncError.storeDamaged }
        return try result.get()
    }

    /// The state of the former device's chain at an earlier segment.
    private func chain(
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

    /// Writes the records of a former device as this one.
    private func writeAgain(
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
                    try withSecret(of: version.key, old) { bytes in
                        secrets[key] = SecretContent(try SecretBytes(copying: bytes))
                        let fingerprint = try transaction.fingerprint(of: bytes, version.level)
                        content = .secret(fingerprint: fingerprint, size: size)
                    }
                }
                records.append(OutgoingRecord(key, content, version.level))
            }
            try write(records, secrets, seen: seen, transaction)
        }
    }
}
