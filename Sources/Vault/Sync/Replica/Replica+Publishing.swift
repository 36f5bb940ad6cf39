extension Replica {
    /// The number of present segments that one round compares with those of the outbox.
    private static let comparedSegments = 16

    /// Puts the segments of the outbox that the remote does not have, also those that it lost or damaged.
    ///
    /// - Parameter report: Counts them.
    /// - Throws: ``SyncError/cloned(_:)``, ``SyncError/numberOccupied(_:)``, ``RemoteFailure``, the errors of the store.
    package func publish(_ report: inout SyncReport) throws {
        let listed = try remote.list(device)
        let present = Set(listed.filter(\.isPlain).map(\.dot.number))
        let (numbers, published, newest) = try store.transaction {
            (try $0.outbox(), $0.ledger.published, $0.ledger.chains[device]?.number ?? 0)
        }
        let isSending = numbers.last.map { $0 > published } ?? false
        try noticeCopy(listed, newest, doubting: isSending ? published : nil)
        // A new segment is put even if its number is there: a clone may have written it. Of the others, each round compares some.
        let sent = numbers.filter {
            remote.isExposed && $0 <= published && present.contains($0)
        }
        let start =
            sent.count > Self.comparedSegments
            ? Int(environment.now() / 1_000 % Int64(sent.count)) : 0
        let compared = Set((sent[start...] + sent[..<start]).prefix(Self.comparedSegments))
        let copies = try store.transaction { transaction in
            try compared.reduce(into: [:]) { $0[$1] = try transaction.outboxSegment($1) }
        }
        for number in numbers
        where number > published || !present.contains(number) || compared.contains(number) {
            guard
                let bytes = try copies[number]
                    ?? store.transaction({ try $0.outboxSegment(number) })
            else { throw SyncError.storeDamaged }
            var result = try remote.put(bytes, number: number)
            if case .occupied(let other) = result {
                if isOwn(other, number) { throw SyncError.cloned(number) }
                // Only this device writes in its place, so that what lies there is a damaged copy.
                try remote.delete(String(number))
                result = try remote.put(bytes, number: number)
                guard result == .stored else { throw SyncError.numberOccupied(number) }
                report.repaired += 1
            }
            if result == .stored { report.published += 1 }
        }
        guard let last = numbers.last, last > published else { return }
        try store.transaction { $0.ledger.published = last }
    }

    /// Whether a segment was never put.
    ///
    /// - Throws: The errors of the store.
    package func hasUnsent() throws -> Bool {
        try store.transaction {
            ($0.ledger.chains[device]?.number ?? 0) > $0.ledger.published
        }
    }

    /// Looks for segments of another machine that writes as this device.
    ///
    /// Two machines whose folders were not copied between them put one number twice. Of two such files, the program that copies gives one another
    /// name, or loses it: so the segment before a new one must be this device's, too.
    private func noticeCopy(
        _ listed: [RemoteSegment], _ newest: UInt64, doubting before: UInt64?
    ) throws {
        let doubtful = Set(
            listed.filter { !$0.isPlain }.map(\.dot.number) + [before].compactMap(\.self))
        for segment in listed {
            let number = segment.dot.number
            let isDoubtful = number > newest || segment.isPlain && doubtful.contains(number)
            if isDoubtful, try isForeign(segment) { throw SyncError.cloned(number) }
        }
    }

    /// Whether this device's key signed a segment at the remote that this device did not write.
    func isForeign(_ segment: RemoteSegment) throws -> Bool {
        guard let bytes = try remote.get(segment), isOwn(bytes, segment.dot.number) else {
            return false
        }
        return try store.transaction { try $0.hash(of: segment.dot) } != (try? Segment(bytes))?.hash
    }

    /// Whether bytes are a segment that this device's key signed.
    private func isOwn(_ bytes: [UInt8], _ number: UInt64) -> Bool {
        guard let own = members[device] else { return false }
        return (try? Segment(bytes, of: group, at: Dot(device, number), signedBy: own)) != nil
    }
}
