// Where segments were dropped, a device goes on from a snapshot.
extension Replica {
    /// A snapshot at the remote, and the heads that the segment which announces it names.
    private typealias Candidate = (snapshot: Snapshot, heads: Heads)

    /// Whether a member has later segments at the remote, and the next one no longer.
    func lacksSegments(_ listings: [DeviceID: Listing], _ report: SyncReport) -> Bool {
        report.waiting.contains { dot, reason in
            switch reason {
            case .missing: true
            // What is left of it may be a copy that was never whole.
            case .unreadable: dot.number < listings[dot.device]?.newest ?? 0
            default: false
            }
        }
    }

    /// Begins at a snapshot before any segment is applied, if segments are missing to a new device: what a folder still has of dropped chains
    /// may lead to no snapshot.
    ///
    /// - Returns: Whether segments may be applied; not while a snapshot waits for a key or for the remote. One that is not whole may never be.
    func beginAnew(_ listings: [DeviceID: Listing], _ report: inout SyncReport) throws -> Bool {
        let isNew = try store.transaction { $0.ledger.chains.keys.allSatisfy { $0 == device } }
        guard isNew, listings.values.contains(where: { UInt64($0.candidates.count) < $0.newest }),
            try !beginAtSnapshot(listings, &report)
        else { return true }
        return !report.waiting.values.contains { reason in
            switch reason {
            case .snapshot(.locked), .unreachable: true
            default: false
            }
        }
    }

    /// Goes on from a snapshot.
    ///
    /// - Parameters:
    ///   - listings: The segments of the members.
    ///   - report: Gets the reason why a snapshot cannot be used.
    /// - Returns: Whether anything was applied.
    /// - Throws: The errors of the store; `SecretMemoryError.outOfMemory`.
    func beginAtSnapshot(
        _ listings: [DeviceID: Listing], _ report: inout SyncReport
    ) throws -> Bool {
        let chains = try store.transaction { $0.ledger.chains }
        var found: [Candidate] = []
        for (member, listing) in listings.sorted(by: { $0.key < $1.key }) {
            do {
                found += try candidates(
                    of: member, listing, after: chains[member]?.number ?? 0, &report)
            } catch let failure as RemoteFailure {
                report.waiting[Dot(member, 1)] = .unreachable(failure)
            }
        }
        // The one that covers most first.
        found.sort { left, right in
            left.snapshot.covered.reaches(right.snapshot.covered)
                && left.snapshot.covered != right.snapshot.covered
        }
        for candidate in found {
            do {
                try store.transaction { try begin(at: candidate, listings, $0) }
                report.applied += 1
                return true
            } catch let waiting as Waiting {
                report.waiting[waiting.dot] = waiting.reason
            } catch let failure as RemoteFailure {
                report.waiting[candidate.snapshot.dot] = .unreachable(failure)
            }
        }
        return false
    }

    /// The snapshots of a member that segments after the applied ones announce. Blobs that no such segment names are ignored.
    private func candidates(
        of member: DeviceID, _ listing: Listing, after applied: UInt64,
        _ report: inout SyncReport
    ) throws -> [Candidate] {
        var found: [Candidate] = []
        var known: Set<BlobName> = []
        for name in try remote.blobs(of: member) where !known.contains(name) {
            guard let bytes = try remote.blob(name, of: member), let file = try? Segment(bytes),
                file.prefix.kind == .snapshot, file.prefix.dot.device == member,
                file.prefix.dot.number > applied
            else { continue }
            let dot = file.prefix.dot
            do {
                guard let candidate = try candidate(at: dot, listing),
                    candidate.snapshot.names.contains(name)
                else { continue }
                known.formUnion(candidate.snapshot.names)
                found.append(candidate)
            } catch let waiting as Waiting {
                report.waiting[waiting.dot] = waiting.reason
            }
        }
        return found
    }

    /// The snapshot that a segment announces; nil if it cannot be read or announces none.
    private func candidate(at dot: Dot, _ listing: Listing) throws -> Candidate? {
        guard listing.candidates[dot.number] != nil else { return nil }
        let segment = try fetch(dot, listing)
        guard segment.prefix.kind == .change, let epoch = epochs[segment.prefix.epoch] else {
            return nil
        }
        // Such a segment names all heads, so it can be read without the earlier ones.
        guard let body = try? SegmentBody.open(segment, epoch, after: VersionVector()),
            let announcement = Snapshot.Announcement(body.addition)
        else { return nil }
        let snapshot = Snapshot(segment.prefix, seen: body.seen, announcement)
        switch isProven(snapshot) {
        case nil: try refuse(dot, .snapshot(.locked))
        case false: try refuse(dot, .invalid(.snapshotProof))
        default: break
        }
        var heads = body.heads
        heads[dot.device] = Head(number: dot.number - 1, hash: segment.prefix.previous)
        return (snapshot, heads)
    }

    /// Adds the records of a snapshot to those that are here, and goes on after the segments that it covers.
    private func begin(
        at candidate: Candidate, _ listings: [DeviceID: Listing],
        _ transaction: any SyncTransaction
    ) throws {
        let snapshot = candidate.snapshot
        let chains = transaction.ledger.chains
        for (author, head) in requiredHeads
        where members[author] != nil && !formerMembers.contains(author) {
            let reached = max(snapshot.covered[author], chains[author]?.number ?? 0)
            guard reached >= head.number || leads(to: head, from: reached, listings[author], author)
            else { try refuse(snapshot.dot, .snapshot(.behind)) }
        }
        var runs: [DeviceID: [ChainRun]] = [:]
        for name in snapshot.names {
            let body = try apply(name, of: snapshot, transaction)
            for run in ChainRun.runs(body.addition) ?? [] {
                runs[run.device, default: []].append(run)
            }
            try applyKept(in: transaction)
        }
        guard Set(runs.keys) == Set(candidate.heads.keys) else {
            try refuse(snapshot.dot, .invalid(.heads))
        }
        for (author, runs) in runs.sorted(by: { $0.key < $1.key }) {
            guard let head = candidate.heads[author], let last = runs.last,
                head == Head(number: last.last, hash: last.hashes[last.hashes.count - 1]),
                zip(runs, runs.dropFirst()).allSatisfy({ $0.last + 1 == $1.first })
            else { try refuse(snapshot.dot, .invalid(.heads)) }
            try goOn(with: runs, last, snapshot.dot, transaction)
        }
        transaction.ledger.uncovered = 0
    }

    /// Whether the remote has the segments after a number up to a head, with its hash.
    private func leads(
        to head: Head, from number: UInt64, _ listing: Listing?, _ author: DeviceID
    ) -> Bool {
        guard let listing, head.number - number <= listing.candidates.count,
            (number + 1...head.number).allSatisfy({ listing.candidates[$0] != nil })
        else { return false }
        return (try? fetch(Dot(author, head.number), listing))?.hash == head.hash
    }

    /// Applies the records of one file.
    private func apply(
        _ name: BlobName, of snapshot: Snapshot, _ transaction: any SyncTransaction
    ) throws -> SegmentBody {
        let author = snapshot.dot.device
        guard let bytes = try remote.blob(name, of: author), BlobName(of: bytes) == name,
            let key = members[author], let epoch = epochs[snapshot.epoch]
        else { try refuse(snapshot.dot, .snapshot(.incomplete)) }
        do {
            let file = try Segment(bytes, of: group, at: snapshot.dot, signedBy: key)
            guard file.prefix.kind == .snapshot, file.prefix.epoch == snapshot.epoch else {
                throw SegmentFailure.kind
            }
            var seen = snapshot.covered
            seen[author] = 0
            let body = try SegmentBody.open(file, epoch, after: seen)
            for record in body.records { try insert(record, transaction) }
            try keepParts(of: file, body, transaction)
            return body
        } catch let failure as SegmentFailure {
            try refuse(snapshot.dot, .invalid(failure))
        }
    }

    /// Takes over the end of a chain. Where this device has its own hashes of it they must be the same: it was shown no other history.
    private func goOn(
        with runs: [ChainRun], _ end: ChainRun, _ dot: Dot, _ transaction: any SyncTransaction
    ) throws {
        let author = end.device
        let own = transaction.ledger.chains[author] ?? ChainState()
        if author == device, end.last > own.number { try refuse(dot, .ownSegment(end.last)) }
        let isReached = own.number == 0 || runs[0].first <= own.number
        guard isReached else { try refuse(dot, .snapshot(.behind)) }
        if let required = requiredHeads[author],
            let hash = runs.lazy.compactMap({ $0.hash(required.number) }).first,
            hash != required.hash
        {
            try refuse(dot, .forked(author))
        }
        for run in runs {
            for (index, hash) in run.hashes.enumerated() {
                let place = Dot(author, run.first + UInt64(index))
                if let known = try transaction.hash(of: place) {
                    if known != hash { try refuse(dot, .forked(author)) }
                } else {
                    try transaction.setHash(hash, of: place)
                }
            }
        }
        guard end.last > own.number, let hash = end.hash(end.last) else { return }
        var chain = ChainState()
        chain.number = end.last
        chain.hash = hash
        chain.format = end.format
        chain.seen = end.seen
        chain.time = end.time
        chain.heard = environment.now()
        transaction.ledger.chains[author] = chain
    }
}
