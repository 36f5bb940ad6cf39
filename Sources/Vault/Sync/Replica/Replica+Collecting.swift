extension Replica {
    /// A segment whose signature, place in its chain and heads are right.
    private typealias Verified = (segment: Segment, body: SegmentBody)

    /// The remote's segments of one device, as one collection found them.
    struct Listing {
        var candidates: [UInt64: [RemoteSegment]] = [:]
        var newest: UInt64 = 0
    }

    /// Why a change cannot be applied now.
    struct Waiting: Error {
        let dot: Dot
        let reason: WaitingReason
    }

    /// Fetches the segments of the other members, and applies each change after all that its author had seen.
    ///
    /// - Returns: What was applied, and what waits.
    /// - Throws: The errors of the store; `SecretMemoryError.outOfMemory`. A remote that cannot be read is in the report.
    package func collect() throws -> SyncReport {
        try noteLate()
        var report = SyncReport()
        var listings: [DeviceID: Listing] = [:]
        // These devices wait until the next collection; the others may wait for each other only.
        var left: [Dot: WaitingReason] = [:]
        for member in members.keys.sorted() where member != device {
            do {
                listings[member] = try list(member)
            } catch let failure as RemoteFailure {
                left[Dot(member, 1)] = .unreachable(failure)
            } catch let waiting as Waiting {
                left[waiting.dot] = waiting.reason
            }
        }
        var isProgressing = try beginAnew(listings, &report)
        while isProgressing {
            isProgressing = false
            report.waiting = [:]
            for (member, listing) in listings.sorted(by: { $0.key < $1.key }) {
                while try applyBatch(of: member, listing, &report) { isProgressing = true }
            }
            if !isProgressing, lacksSegments(listings, report) {
                isProgressing = try beginAtSnapshot(listings, &report)
            }
        }
        report.waiting.merge(left) { $1 }
        let chains = try store.transaction { $0.ledger.chains }
        for (member, chain) in chains where members[member] != nil {
            if formerMembers.contains(member) { continue }
            // It ends with the next segment of a right time, or when this device's own clock is right.
            let ahead = chain.lead(at: environment.now())
            if ahead > SyncReport.clockLimit, report.ahead[member] == nil {
                report.ahead[member] = ahead
            }
        }
        return report
    }

    /// Lists the segments of a device. It is refused if a copy of an applied segment is another signed one: two machines write under its id.
    private func list(_ member: DeviceID) throws -> Listing {
        var listing = Listing()
        for segment in try remote.list(member) {
            listing.candidates[segment.dot.number, default: []].append(segment)
            listing.newest = segment.dot.number
        }
        for (number, copies) in listing.candidates where copies.count > 1 {
            let dot = Dot(member, number)
            guard let key = members[member],
                let hash = try store.transaction({ try $0.hash(of: dot) })
            else { continue }
            for copy in copies {
                guard let bytes = try remote.get(copy),
                    let segment = try? Segment(bytes, of: group, at: dot, signedBy: key)
                else { continue }
                if segment.hash != hash { try refuse(dot, .forked(member)) }
            }
        }
        return listing
    }

    /// Fetches the next segments of a device, as many as a change may have, and applies those that can be applied in one transaction.
    ///
    /// - Returns: Whether any was applied.
    private func applyBatch(
        of member: DeviceID, _ listing: Listing, _ report: inout SyncReport
    ) throws -> Bool {
        let number = try store.transaction { $0.ledger.chains[member]?.number ?? 0 }
        var segments: [Segment] = []
        var waiting: Waiting?
        do {
            while segments.count < Segment.changeLimit,
                number + UInt64(segments.count) < listing.newest
            {
                let next = Dot(member, number + UInt64(segments.count) + 1)
                segments.append(try fetch(next, listing))
            }
        } catch let reason as Waiting {
            waiting = reason
        } catch let failure as RemoteFailure {
            waiting = Waiting(dot: Dot(member, 1), reason: .unreachable(failure))
        }
        var result = report
        if let waiting { result.waiting[waiting.dot] = waiting.reason }
        if !segments.isEmpty {
            try store.transaction { transaction in
                var rest = segments[...]
                do {
                    while !rest.isEmpty {
                        let count = try applyNext(rest, &result, transaction)
                        if count == 0 { break }
                        rest = rest.dropFirst(count)
                    }
                    if waiting == nil, rest.count == segments.count,
                        let last = rest.last?.prefix.dot
                    {
                        result.waiting[Dot(member, last.number + 1)] = .missing
                    }
                } catch let reason as Waiting {
                    result.waiting = result.waiting.filter { $0.key.device != member }
                    result.waiting[reason.dot] = reason.reason
                }
            }
        }
        let isApplied = result.applied > report.applied
        report = result
        return isApplied
    }

    /// Applies the next change of a device, whose segments come first.
    ///
    /// - Returns: The number of its segments; 0 if the last of them are not there.
    private func applyNext(
        _ segments: ArraySlice<Segment>, _ report: inout SyncReport,
        _ transaction: any SyncTransaction
    ) throws -> Int {
        guard let member = segments.first?.prefix.dot.device else { return 0 }
        var chain = transaction.ledger.chains[member] ?? ChainState()
        var change: [Verified] = []
        for segment in segments {
            let dot = segment.prefix.dot
            let verified = try verify(segment, after: chain, transaction)
            if let last = change.last, verified.body.following != last.body.following - 1 {
                try refuse(dot, .invalid(.changeParts))
            }
            chain.number = dot.number
            chain.hash = segment.hash
            chain.format = max(chain.format, segment.prefix.format)
            chain.seen = verified.body.seen
            chain.time = verified.body.time
            chain.heard = environment.now()
            change.append(verified)
            if verified.body.following == 0 { break }
        }
        guard change.last?.body.following == 0 else { return 0 }
        report.ignoredParts.merge(try apply(change, chain, transaction)) { $1 }
        report.applied += change.count
        let ahead = chain.lead(at: chain.heard)
        if ahead > SyncReport.clockLimit { report.ahead[member] = ahead }
        return change.count
    }

    /// The candidate that the member signed. Copies that are under way are not complete, and wait.
    func fetch(_ dot: Dot, _ listing: Listing) throws -> Segment {
        guard let candidates = listing.candidates[dot.number], let key = members[dot.device]
        else { try refuse(dot, .missing) }
        var found: Set<Segment> = []
        var failure: SegmentFailure?
        for candidate in candidates {
            guard let bytes = try remote.get(candidate) else { continue }
            do throws(SegmentFailure) {
                found.insert(try Segment(bytes, of: group, at: dot, signedBy: key))
            } catch {
                failure = error
            }
        }
        guard let segment = found.first else { try refuse(dot, .unreadable(failure)) }
        if found.count > 1 { try refuse(dot, .forked(dot.device)) }
        return segment
    }

    func refuse(_ dot: Dot, _ reason: WaitingReason) throws -> Never {
        throw Waiting(dot: dot, reason: reason)
    }

    /// Opens a segment, and checks its chain and its heads.
    private func verify(
        _ segment: Segment, after chain: ChainState, _ transaction: any SyncTransaction
    ) throws -> Verified {
        let dot = segment.prefix.dot
        guard segment.prefix.previous == chain.hash else {
            try refuse(dot, .forked(dot.device))
        }
        guard segment.prefix.format >= chain.format else {
            try refuse(dot, .invalid(.earlierFormat))
        }
        guard segment.prefix.kind == .change else { try refuse(dot, .invalid(.kind)) }
        guard let epoch = epochs[segment.prefix.epoch] else { try refuse(dot, .epochMissing) }
        let body: SegmentBody
        do {
            body = try SegmentBody.open(segment, epoch, after: chain.seen)
        } catch let failure as SegmentFailure {
            try refuse(dot, .invalid(failure))
        }
        guard !isOpenToRemoved(segment.prefix, seen: body.seen, transaction.ledger) else {
            try refuse(dot, .invalid(.epochOpen))
        }
        for (other, head) in body.heads.sorted(by: { $0.key < $1.key }) {
            try check(head, of: other, namedBy: dot, transaction)
        }
        return (segment, body)
    }

    /// Compares a head with the history that was applied here: two devices that were shown different ones never go on unnoticed.
    private func check(
        _ head: Head, of other: DeviceID, namedBy dot: Dot, _ transaction: any SyncTransaction
    ) throws {
        if let hash = try transaction.hash(of: Dot(other, head.number)) {
            if hash != head.hash { try refuse(dot, .forked(other)) }
        } else if other == device {
            try refuse(dot, .ownSegment(head.number))
        } else if rules.contains(.causalOrder) {
            try refuse(dot, .needs(Dot(other, head.number)))
        }
    }

    /// Applies a change in one transaction: its records, its parts, and the heads up to which this device has applied.
    private func apply(
        _ change: [Verified], _ chain: ChainState, _ transaction: any SyncTransaction
    ) throws -> [Dot: SegmentFailure] {
        for verified in change {
            let prefix = verified.segment.prefix
            try transaction.setHash(verified.segment.hash, of: prefix.dot)
            noteRemovals(prefix, in: &transaction.ledger)
            try account(
                for: verified.segment, seen: verified.body.seen,
                Snapshot.Announcement(verified.body.addition), transaction)
            for record in verified.body.records { try insert(record, transaction) }
            try keepParts(of: verified.segment, verified.body, transaction)
        }
        if let last = change.last {
            transaction.ledger.chains[last.segment.prefix.dot.device] = chain
        }
        return try applyKept(in: transaction)
    }

    /// Keeps the parts of a segment for the higher levels until their keys are there.
    func keepParts(
        of segment: Segment, _ body: SegmentBody, _ transaction: any SyncTransaction
    ) throws {
        for level in [SyncLevel.whileUnlocked, .afterVerification] {
            guard let blob = body.parts[level] else { continue }
            try transaction.keep(
                SealedPart(
                    level: level, prefix: segment.prefix, seen: body.seen, blob: blob,
                    announced: []))
        }
    }
}
