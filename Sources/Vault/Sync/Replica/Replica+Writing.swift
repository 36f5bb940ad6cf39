internal import SecretMemory

extension Replica {
    /// As ``change(in:_:)``, in a transaction of its own.
    @discardableResult
    package func change(_ drafts: (Stamp) throws -> [Draft]) throws -> Stamp {
        try store.transaction { try change(in: $0, drafts) }
    }

    /// Writes a change in a transaction of the store that has the objects: the change and its segments are there together, or not at all.
    /// Kept parts whose key is there are applied before.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - drafts: Makes the records, with the stamp that they get.
    /// - Returns: The stamp.
    /// - Throws: ``SyncError``, the errors of the store and of `drafts`.
    @discardableResult
    package func change(
        in transaction: any SyncTransaction, _ drafts: (Stamp) throws -> [Draft]
    ) throws -> Stamp {
        if rules.contains(.keptPartsFirst) { try applyKept(in: transaction) }
        let stamp = try nextStamp(transaction)
        let drafts = try drafts(stamp)
        for draft in drafts where draft.field.isVersioned && rules.contains(.keptPartsFirst) {
            guard try !transaction.sealedFields(of: draft.object).contains(draft.field) else {
                throw SyncError.valueSealed(draft.object)
            }
        }
        try write(drafts, stamp, repeating: [], transaction)
        return stamp
    }

    /// Takes an object out of the trash. The whole object is repeated with its original stamps, because others may have erased it.
    ///
    /// Without the key V the repetition follows with the next ``settle()`` that has it.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - transaction: What else is noted with it is there or not at all, with it.
    /// - Throws: ``SyncError``, the errors of the store.
    package func restore(_ object: ObjectID, in transaction: any SyncTransaction) throws {
        if rules.contains(.keptPartsFirst) { try applyKept(in: transaction) }
        let level = try transaction.versions(of: object).map(\.level).min() ?? .list
        let stamp = try nextStamp(transaction)
        try write([Draft(object, .restore, level)], stamp, repeating: [], transaction)
        guard rules.contains(.repetition) else { return }
        transaction.ledger.unrepeated.insert(object)
        try repeatRestored(transaction)
    }

    /// Writes an empty segment if this device has applied segments since its last one, and that is old: others erase only what all have seen.
    /// Also if its last one has a time that lies ahead: its clock is right again, and the others must no longer name it.
    ///
    /// - Parameter age: The age in milliseconds from which on a segment is old.
    /// - Throws: ``SyncError``, the errors of the store.
    package func acknowledge(after age: Int64) throws {
        try store.transaction { transaction in
            let own = transaction.ledger.chains[device] ?? ChainState()
            let isOld = environment.now() - own.time >= age
            let isBehind = !own.seen.reaches(transaction.ledger.seen(without: device))
            let wasAhead = own.time - environment.now() > SyncReport.clockLimit
            guard isOld && isBehind || wasAhead else { return }
            try change(in: transaction) { _ in [] }
        }
    }

    private func nextStamp(_ transaction: any SyncTransaction) throws -> Stamp {
        let clock = try transaction.ledger.clock.next(at: environment.now())
        if clock < Stamp.wallLimit { return Stamp(clock: clock, device: device) }
        // Somebody gave clocks from the far future, of which a segment that names no heads may have less than was seen.
        let number = transaction.ledger.chains[device]?.number ?? 0
        let segment = Origin(dot: Dot(device, number + 1), seen: seen(transaction.ledger))
        return Stamp(clock: min(clock, Stamp.limit(in: segment) - 1), device: device)
    }

    /// Repeats restored objects whose records can all be read now.
    func repeatRestored(_ transaction: any SyncTransaction) throws {
        guard !transaction.ledger.unrepeated.isEmpty,
            try SyncLevel.allCases.allSatisfy({ try transaction.keptParts($0).isEmpty })
        else { return }
        // Of two restored objects that were joined, each has the records of both.
        var versions: [RecordKey: Version] = [:]
        for object in transaction.ledger.unrepeated {
            let records = try transaction.joinedVersions(of: object)
            guard records.allSatisfy({ has($0.level) }) else { continue }
            for version in records { versions[version.key] = version }
            transaction.ledger.unrepeated.remove(object)
        }
        guard !versions.isEmpty else { return }
        try write(
            [], try nextStamp(transaction), repeating: versions.values.sorted { $0.key < $1.key },
            transaction)
    }

    /// All that the next segment has seen.
    private func seen(_ ledger: SyncLedger) -> VersionVector {
        let isBlind = isBlind && ledger.chains[device]?.seen.numbers.isEmpty ?? true
        return isBlind ? VersionVector() : ledger.seen(without: device)
    }

    /// Writes the segments of a change and its records.
    ///
    /// - Parameters:
    ///   - drafts: New records.
    ///   - stamp: Their stamp.
    ///   - repeated: Records of earlier segments.
    ///   - announcement: That of a snapshot, for a change without records.
    ///   - transaction: The transaction.
    /// - Throws: ``SyncError``, the errors of the store.
    func write(
        _ drafts: [Draft], _ stamp: Stamp, repeating repeated: [Version],
        announcing announcement: Snapshot.Announcement? = nil, _ transaction: any SyncTransaction
    ) throws {
        let seen = seen(transaction.ledger)
        var secrets: [RecordKey: SecretContent] = [:]
        var records = repeated.map { OutgoingRecord(repeating: $0) }
        for draft in drafts {
            records.append(try record(draft, stamp, &secrets, transaction))
        }
        try write(records, secrets, seen: seen, announcing: announcement, transaction)
    }

    /// Writes the segments of a change whose records are ready.
    ///
    /// - Parameters:
    ///   - records: New records, and those of earlier segments.
    ///   - secrets: The contents of the new ones that are secret.
    ///   - seen: What this device had seen when it made them: mostly all that it has.
    ///   - announcement: That of a snapshot, for a change without records.
    ///   - transaction: The transaction.
    /// - Throws: ``SyncError``, the errors of the store.
    func write(
        _ records: [OutgoingRecord], _ secrets: [RecordKey: SecretContent], seen: VersionVector,
        announcing announcement: Snapshot.Announcement? = nil, _ transaction: any SyncTransaction
    ) throws {
        guard let epoch = epochs[sealingEpoch] else { throw SyncError.epochMissing }
        let now = environment.now()
        let packed = try ChangeWriter.pack(records, headCount: seen.numbers.count)
        let writer = ChangeWriter(
            group: group, epoch: epoch, time: now, random: environment.random)
        for (index, records) in packed.enumerated() {
            var chain = transaction.ledger.chains[device] ?? ChainState()
            let origin = Origin(dot: Dot(device, chain.number + 1), seen: seen)
            let versions = records.map { $0.version(in: origin, applied: now) }
            for version in versions where version.origin.dot == origin.dot {
                if let secret = secrets[version.key] {
                    try secret.bytes.withBytes { try transaction.insert(version, secret: $0) }
                } else {
                    try transaction.insert(version)
                }
                try note(version, transaction)
            }
            let named =
                SegmentBody.namesAllHeads(origin.dot.number) || announcement != nil
                ? Array(seen.numbers.keys)
                : seen.numbers.filter { chain.seen[$0.key] != $0.value }.map(\.key)
            let segment = try writer.segment(
                versions, at: origin.dot, after: chain.hash,
                naming: heads(of: named, at: seen, transaction),
                following: packed.count - 1 - index,
                addition: announcement?.bytes ?? [], key: key
            ) { try transaction.withSecret(of: $0, $1) }
            try transaction.addToOutbox(segment.bytes, number: origin.dot.number)
            try transaction.setHash(segment.hash, of: origin.dot)
            chain.number = origin.dot.number
            chain.hash = segment.hash
            chain.format = segment.prefix.format
            chain.seen = seen
            chain.time = now
            chain.heard = now
            transaction.ledger.chains[device] = chain
            noteRemovals(segment.prefix, in: &transaction.ledger)
            try account(for: segment, seen: seen, announcement, transaction)
        }
    }

    /// The heads of some devices at a vector.
    private func heads(
        of devices: [DeviceID], at seen: VersionVector, _ transaction: any SyncTransaction
    ) throws -> Heads {
        var heads: Heads = [:]
        for device in devices {
            let number = seen[device]
            let chain = transaction.ledger.chains[device]
            let newest = chain?.number == number ? chain?.hash : nil
            guard let hash = try newest ?? transaction.hash(of: Dot(device, number)) else {
                throw SyncError.storeDamaged
            }
            heads[device] = Head(number: number, hash: hash)
        }
        return heads
    }

    private func record(
        _ draft: Draft, _ stamp: Stamp, _ secrets: inout [RecordKey: SecretContent],
        _ transaction: any SyncTransaction
    ) throws -> OutgoingRecord {
        let stamp = draft.modified.map { Stamp(milliseconds: $0, device: device) } ?? stamp
        let key = RecordKey(draft.object, draft.field, stamp)
        let isSecret = draft.field.isSecret || draft.level == .afterVerification
        let content: RecordContent
        switch draft.content {
        case .open(let bytes):
            precondition(!isSecret && draft.field.accepts(bytes), "a malformed record")
            content = .open(bytes)
        case .secret(let secret):
            precondition(isSecret && draft.level > .list, "a secret at the wrong level")
            secrets[key] = secret
            let fingerprint = try secret.bytes.withBytes {
                try transaction.fingerprint(of: $0, draft.level)
            }
            content = .secret(fingerprint: fingerprint, size: secret.bytes.count)
        }
        return OutgoingRecord(key, content, draft.level)
    }

    /// Notes what must follow from a new record: a search for equal names, a repetition, a snapshot.
    func note(_ version: Version, _ transaction: any SyncTransaction) throws {
        if version.level > .list { transaction.ledger.unsettled.insert(version.object) }
        let isForeignRemove = version.field == .remove && version.stamp.device != device
        let author = version.origin.dot.device
        let isLate =
            version.field.isChangeByPerson
            && (transaction.ledger.late.contains(author) || isBlind && author == device)
        let isProtection = version.field == .protection && version.content.isSet
        guard isForeignRemove || isLate || isProtection else { return }
        for other in try transaction.joinedVersions(of: version.object) {
            let isOwn = other.origin.dot.device == device
            // An object that a change brings back: others may have erased it meanwhile. Its author repeats what it has, and if it was silent
            // for long, so do all others.
            let returns =
                isForeignRemove && isOwn && other.field.isChangeByPerson
                && !version.hasSeen(other)
                || isLate && other.field == .remove && !version.hasSeen(other)
            if returns, rules.contains(.repetition) {
                transaction.ledger.unrepeated.insert(version.object)
            }
            if isProtection, isOwn, other.field.isVersioned, other.level < .afterVerification {
                transaction.ledger.exposed = max(
                    transaction.ledger.exposed, other.origin.dot.number)
            }
        }
    }
}
