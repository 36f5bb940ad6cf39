internal import SecretMemory
package import Sync

extension Replica {
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
                try old.state(of: object)?.isRemoved == false
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
        let secret = try old.secret(of: version.key)
        try secret.withBytes { try transaction.insert(version, secret: $0) }
    }
}
