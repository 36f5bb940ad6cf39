internal import Sealing
internal import SecretMemory

// Snapshots: all records of a device in a few files, so that segments can be dropped.
extension Replica {
    /// The size of segments below which a snapshot is not worth its files, in bytes.
    static let snapshotMinimum: UInt64 = 262_144

    /// Makes a snapshot if one is due, and puts its files. The segment that announces it is put by ``publish(_:)``.
    ///
    /// It is due when the segments since the newest one are as large as all records, or twice if there is none, so that the remote holds at
    /// most three times the records beside the last 90 days; when the remote lost the newest one; and when all members have seen something
    /// that was sent in the open and is protected since. It waits for the keys of all levels.
    ///
    /// - Returns: Whether one was made.
    /// - Throws: ``SyncError``, ``RemoteFailure``, the errors of the store.
    @discardableResult
    package func makeSnapshotIfDue() throws -> Bool {
        try isSnapshotDue() && makeSnapshot()
    }

    private func isSnapshotDue() throws -> Bool {
        let (newest, published, isDue) = try store.transaction { transaction in
            let ledger = transaction.ledger
            let newest = try newestSnapshot(transaction)
            let isLarge =
                try ledger.uncovered >= Self.snapshotMinimum
                && ledger.uncovered
                    >= (newest == nil ? 2 : 1) * UInt64(transaction.recordsSize())
            let isExposed =
                try ledger.exposed > 0 && pastCheck(transaction)(Dot(device, ledger.exposed))
            // The author of the one that took the place of dropped segments is no member any more.
            let isBare = try newest == nil && transaction.outbox().first ?? 1 > 1
            return (newest, ledger.published, isLarge || isExposed || isBare)
        }
        guard !isDue, let newest, newest.dot.device == device, newest.dot.number <= published
        else { return isDue }
        return try !isComplete(newest)
    }

    /// Makes a snapshot of all records.
    ///
    /// - Returns: Whether one was made: the keys of all levels are there, no part waits for its key, and this device has a segment.
    /// - Throws: ``SyncError``, ``RemoteFailure``, the errors of the store.
    @discardableResult
    package func makeSnapshot() throws -> Bool {
        try store.transaction { transaction in
            try applyKept(in: transaction)
            guard let epoch = epochs[sealingEpoch], epoch.isComplete,
                let verification = epoch[.afterVerification],
                try SyncLevel.allCases.allSatisfy({ try transaction.keptParts($0).isEmpty }),
                let own = transaction.ledger.chains[device], own.number > 0
            else { return false }
            let dot = Dot(device, own.number + 1)
            let seen = transaction.ledger.seen(without: device)
            let writer = ChangeWriter(
                group: group, epoch: epoch, time: environment.now(), random: environment.random)
            var names: [BlobName] = []
            // So that no two files have one prefix, and no part fits into another one.
            var last = own.hash
            // Before the segment that names them: a segment in the outbox is a promise.
            func put(_ versions: [Version], _ runs: [ChainRun]) throws {
                let file = try writer.segment(
                    versions, at: dot, after: last, naming: [:], following: 0, kind: .snapshot,
                    addition: ChainRun.bytes(runs), key: key
                ) { try transaction.withSecret(of: $0, $1) }
                try remote.putBlob(file.bytes)
                last = file.hash
                names.append(BlobName(of: file.bytes))
            }
            for runs in divided(try runs(transaction)) { try put([], runs) }
            let packed = try ChangeWriter.pack(
                snapshotRecords(transaction), headCount: 1, limit: .max)
            for records in packed where !records.isEmpty {
                let origin = Origin(dot: dot, seen: seen)
                try put(records.map { $0.version(in: origin, applied: 0) }, [])
            }
            var covered = seen
            covered[device] = own.number
            let proof = Snapshot.proof(group, dot, covered: covered, names, under: verification)
            try write(
                [], .zero, repeating: [],
                announcing: Snapshot.Announcement(names: names, proof: proof), transaction)
            transaction.ledger.exposed = 0
            return true
        }
    }

    /// The runs of each file.
    private func divided(_ runs: [ChainRun]) -> [[ChainRun]] {
        let room = Segment.bodyLimit - SegmentBody.fixedSize - 4
        var files: [[ChainRun]] = []
        var used = room
        for run in runs {
            if used + run.size > room {
                files.append([])
                used = 0
            }
            used += run.size
            files[files.count - 1].append(run)
        }
        return files
    }

    /// All records, by their dots, so that each file has few groups. What came in the open for something protected is at the level *after
    /// verification*.
    private func snapshotRecords(_ transaction: any SyncTransaction) throws -> [OutgoingRecord] {
        try transaction.objects().flatMap { object -> [OutgoingRecord] in
            let versions = try transaction.versions(of: object)
            func isOpen(_ version: Version) -> Bool {
                version.field.isVersioned && version.level < .afterVerification
            }
            let isProtected =
                try versions.contains(where: isOpen)
                && transaction.state(of: object)?.isProtected == true
            return versions.map {
                OutgoingRecord(
                    repeating: $0, at: isProtected && isOpen($0) ? .afterVerification : $0.level)
            }
        }.sorted { left, right in
            guard let first = left.origin?.dot, let second = right.origin?.dot, first != second
            else { return left.key < right.key }
            return first < second
        }
    }

    /// The ends of all chains. A run begins where the member that is furthest behind is: nobody can name an earlier head. It overlaps that of
    /// the snapshot before, at which a device may have begun that is not known yet.
    private func runs(_ transaction: any SyncTransaction) throws -> [ChainRun] {
        let chains = transaction.ledger.chains
        let before = try newestSnapshot(transaction)?.covered ?? VersionVector()
        let others = members.keys.filter { $0 != device && !formerMembers.contains($0) }
        var runs: [ChainRun] = []
        for (author, chain) in chains.sorted(by: { $0.key < $1.key }) where chain.number > 0 {
            let behind =
                others.filter { $0 != author }.map { chains[$0]?.seen[author] ?? 0 }.min()
                ?? chain.number
            var hashes: [[UInt8]] = []
            var number = chain.number
            while number >= max(min(behind, before[author], chain.number), 1),
                let hash = try transaction.hash(of: Dot(author, number))
            {
                hashes.append(hash)
                number -= 1
            }
            guard hashes.first == chain.hash else { throw SyncError.storeDamaged }
            runs +=
                ChainRun(
                    device: author, first: number + 1, format: chain.format, time: chain.time,
                    seen: chain.seen, hashes: hashes.reversed()
                ).divided
        }
        return runs
    }

    // MARK: Known snapshots

    /// Counts a segment that was written or applied, and notes the snapshot that it announces.
    func account(
        for segment: Segment, seen: VersionVector, _ announcement: Snapshot.Announcement?,
        _ transaction: any SyncTransaction
    ) throws {
        let snapshot = announcement.map { Snapshot(segment.prefix, seen: seen, $0) }
        guard let snapshot, isProven(snapshot) != false else {
            transaction.ledger.uncovered += UInt64(segment.bytes.count)
            return
        }
        try transaction.set(snapshot)
        transaction.ledger.uncovered = 0
    }

    /// Whether the author of a snapshot had V; nil if this device has it not now.
    func isProven(_ snapshot: Snapshot) -> Bool? {
        epochs[snapshot.epoch]?[.afterVerification].map { snapshot.isProven(in: group, under: $0) }
    }

    /// Of the snapshots of members, the one that covers most.
    func newestSnapshot(_ transaction: any SyncTransaction) throws -> Snapshot? {
        try transaction.snapshots().filter { snapshot in
            let author = snapshot.dot.device
            return members[author] != nil && !formerMembers.contains(author)
                && isProven(snapshot) != false
        }.max { ($0.covered.sum, $0.dot) < ($1.covered.sum, $1.dot) }
    }

    /// Whether the remote has all files of a snapshot.
    func isComplete(_ snapshot: Snapshot) throws -> Bool {
        Set(try remote.blobs(of: snapshot.dot.device)).isSuperset(of: snapshot.names)
    }
}

extension VersionVector {
    /// The number of segments.
    fileprivate var sum: UInt64 { numbers.values.reduce(0, &+) }
}
