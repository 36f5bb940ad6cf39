// Dropping segments and snapshots that the remote, and this device, need no longer.
extension Replica {
    /// How long a segment waits for a member that is behind, and how long a silent member is waited for, in milliseconds.
    static let patience: Int64 = 90 * day
    /// From when on a member that writes again counts as late: earlier than any device can have stopped to wait for it.
    private static let lateness: Int64 = 60 * day
    private static let day: Int64 = 86_400_000

    /// Drops segments of this device that the newest snapshot covers and all members have seen, or that are older than 90 days. Deletes what
    /// the remote has of this device and nobody needs: those segments, and the files of earlier snapshots.
    ///
    /// The hashes of dropped segments stay. After ``publish(_:)``, so that the remote has what takes their place.
    ///
    /// - Throws: ``RemoteFailure``, the errors of the store.
    package func drop() throws {
        let (newest, published, first) = try store.transaction { transaction in
            (
                try newestSnapshot(transaction), transaction.ledger.published,
                try transaction.outbox().first
            )
        }
        // A snapshot counts while the remote has all of it, and only if its author is known to have had V.
        if let newest, newest.dot.device != device || newest.dot.number <= published,
            isProven(newest) == true, first.map({ $0 <= newest.covered[device] }) == true,
            try isComplete(newest)
        {
            try store.transaction { try drop(coveredBy: newest, $0) }
        }
        try clean()
    }

    private func drop(
        coveredBy snapshot: Snapshot, _ transaction: any SyncTransaction
    ) throws {
        let newest = transaction.ledger.chains[device]?.number ?? 0
        let own = try transaction.snapshots().first { $0.dot.device == device }
        if let own, own.dot != snapshot.dot, snapshot.covered.reaches(own.dot) {
            try transaction.removeSnapshot(of: device)
        }
        let isPast = try pastCheck(transaction)
        // The newest segment stays, so that a clone of this device is noticed.
        for number in try transaction.outbox()
        where number <= snapshot.covered[device] && number < newest {
            guard try isPast(Dot(device, number)) || isOld(number, transaction) else { break }
            try transaction.removeFromOutbox(number)
        }
    }

    private func isOld(_ number: UInt64, _ transaction: any SyncTransaction) throws -> Bool {
        guard let time = try time(ofOwn: number, transaction) else { return false }
        return environment.now() - time >= Self.patience
    }

    /// Deletes the files of this device that are no part of its outbox or of its snapshot.
    private func clean() throws {
        let (outbox, newest, snapshot) = try store.transaction { transaction in
            (
                Set(try transaction.outbox()), transaction.ledger.chains[device]?.number ?? 0,
                try transaction.snapshots().first { $0.dot.device == device }
            )
        }
        for segment in try remote.list(device)
        where segment.dot.number <= newest && !outbox.contains(segment.dot.number) {
            try remote.delete(segment.name)
        }
        let names = Set(snapshot?.names ?? [])
        for name in try remote.blobs(of: device) where !names.contains(name) {
            try remote.deleteBlob(name)
        }
    }

    // MARK: Members that are waited for

    /// The other members whose heads erasing and dropping wait for: those that were heard in the last 90 days.
    ///
    /// The clock alone makes nobody silent: this device has two segments, 24 hours apart, that are 90 days after the last one of the member.
    private func awaited(_ transaction: any SyncTransaction) throws -> [DeviceID] {
        let chains = transaction.ledger.chains
        let newest = chains[device]?.time ?? .min
        return try members.keys.filter { member in
            guard member != device, !formerMembers.contains(member) else { return false }
            guard let heard = chains[member]?.heard else { return true }
            let limit = heard.addingReportingOverflow(Self.patience).partialValue
            guard newest >= limit, newest - limit >= Self.day else { return true }
            for number in try transaction.outbox().reversed() {
                guard let time = try time(ofOwn: number, transaction), time >= limit else {
                    return true
                }
                if newest - time >= Self.day { return false }
            }
            return true
        }
    }

    /// Notes the members that were silent for long.
    func noteLate() throws {
        let limit = environment.now() - Self.lateness
        try store.transaction { transaction in
            for (member, chain) in transaction.ledger.chains
            where member != device && chain.heard < limit {
                transaction.ledger.late.insert(member)
            }
        }
    }

    /// Tells whether all members that are waited for have seen a segment.
    ///
    /// - Throws: The errors of the store.
    package func pastCheck(_ transaction: any SyncTransaction) throws -> (Dot) -> Bool {
        let (awaited, chains) = (try awaited(transaction), transaction.ledger.chains)
        return { dot in awaited.allSatisfy { chains[$0]?.isPast(dot, of: $0) ?? false } }
    }

    /// When this device wrote one of its segments; nil if that cannot be read.
    private func time(
        ofOwn number: UInt64, _ transaction: any SyncTransaction
    ) throws -> Int64? {
        guard let bytes = try transaction.outboxSegment(number),
            let segment = try? Segment(bytes), let epoch = epochs[segment.prefix.epoch]
        else { return nil }
        return try? SegmentBody.open(segment, epoch, after: VersionVector()).time
    }
}
