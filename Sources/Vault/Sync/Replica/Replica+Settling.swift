extension Replica {
    /// Joins items with one name, and repeats restored objects; after a round, when all that came is applied.
    ///
    /// Without their keys, items and objects wait in the ledger.
    ///
    /// - Throws: ``SyncError``, the errors of the store.
    package func settle() throws {
        try store.transaction { transaction in
            try applyKept(in: transaction)
            if has(.whileUnlocked) {
                if rules.contains(.aliases) { try joinEqualNames(transaction) }
                transaction.ledger.unsettled = []
            }
            try repeatRestored(transaction)
            let hasKept = try SyncLevel.allCases.contains {
                try !transaction.keptParts($0).isEmpty
            }
            if !hasKept { transaction.ledger.late = [] }
        }
    }

    /// Writes the aliases in one change, and looks again at what they joined: together they may have another name.
    private func joinEqualNames(_ transaction: any SyncTransaction) throws {
        var waiting = transaction.ledger.unsettled
        while !waiting.isEmpty {
            var drafts: [Draft] = []
            var joined: Set<ObjectID> = []
            var done: Set<ObjectID> = []
            for object in waiting.sorted() where !done.contains(object) {
                // Objects that are one have one name, and each pair is found once.
                done.formUnion(try transaction.joined(with: object))
                guard let (own, name) = try liveItem(object, transaction) else { continue }
                for other in try transaction.objects(named: name) where !done.contains(other) {
                    guard let (found, otherName) = try liveItem(other, transaction),
                        found != own, otherName == name,
                        joined.insert(max(own, found)).inserted
                    else { continue }
                    // The alias on both, so that each leads to the other.
                    drafts += [
                        Draft(own, .alias(found), .whileUnlocked),
                        Draft(found, .alias(own), .whileUnlocked),
                    ]
                }
            }
            if !drafts.isEmpty { try change(in: transaction) { _ in drafts } }
            waiting = joined
        }
    }

    /// The smallest id and the name of an item that is not in the trash.
    private func liveItem(
        _ object: ObjectID, _ transaction: any SyncTransaction
    ) throws -> (ObjectID, [UInt8])? {
        guard let state = try transaction.state(of: object, rules: rules),
            state.kind == ObjectState.Kind.item, !state.isRemoved,
            let name = state.fields[.itemName]?.current.content.bytes
        else { return nil }
        return (state.object, name)
    }

    /// Erases a removed object: all records except removes and aliases. The caller knows when its days in the trash are over.
    ///
    /// - Parameter object: The object.
    /// - Returns: Whether it was erased: it was in the trash, nothing of it is sealed, and all members that are waited for have seen all its
    ///   records.
    /// - Throws: The errors of the store.
    package func erase(_ object: ObjectID) throws -> Bool {
        try store.transaction { transaction in
            let versions = try transaction.joinedVersions(of: object)
            guard let state = ObjectState(versions, rules: rules), state.isRemoved,
                try transaction.sealedFields(of: object).isEmpty
            else { return false }
            let isPast = try pastCheck(transaction)
            guard !rules.contains(.erasure) || versions.allSatisfy({ isPast($0.origin.dot) })
            else { return false }
            try transaction.erase(
                versions.filter { $0.field != .remove && $0.field.aliased == nil }.map(\.key))
            transaction.ledger.unrepeated.remove(object)
            return true
        }
    }
}
