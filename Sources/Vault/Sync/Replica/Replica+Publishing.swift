extension Replica {
    /// Puts the segments of the outbox that the remote does not have, also those that it lost.
    ///
    /// - Parameter report: Counts them.
    /// - Throws: ``SyncError/cloned(_:)``, ``SyncError/numberOccupied(_:)``, ``RemoteFailure``, the errors of the store.
    package func publish(_ report: inout SyncReport) throws {
        let listed = try remote.list(device)
        let present = Set(listed.filter { $0.name == String($0.dot.number) }.map(\.dot.number))
        let numbers = try store.transaction { try $0.outbox() }
        let (newest, published) = try store.transaction {
            ($0.ledger.chains[device]?.number ?? 0, $0.ledger.published)
        }
        for segment in listed where segment.dot.number > newest {
            if let bytes = try remote.get(segment), isOwn(bytes, segment.dot.number) {
                throw SyncError.cloned(segment.dot.number)
            }
        }
        // A new segment is put even if its number is there: a clone may have written it.
        for number in numbers where number > published || !present.contains(number) {
            guard let bytes = try store.transaction({ try $0.outboxSegment(number) }) else {
                throw SyncError.storeDamaged
            }
            switch try remote.put(bytes, number: number) {
            case .stored: report.published += 1
            case .present: break
            case .occupied(let other):
                throw isOwn(other, number)
                    ? SyncError.cloned(number) : SyncError.numberOccupied(number)
            }
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

    /// Whether bytes are a segment that this device's key signed.
    private func isOwn(_ bytes: [UInt8], _ number: UInt64) -> Bool {
        guard let own = members[device] else { return false }
        return (try? Segment(bytes, of: group, at: Dot(device, number), signedBy: own)) != nil
    }
}
