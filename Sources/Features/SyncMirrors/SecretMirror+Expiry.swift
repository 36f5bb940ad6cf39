internal import SecureStorage
internal import Sync
internal import SyncStorage

extension SecretMirror {
    /// How long a value that was marked *concurrent* stays at least, and a lost content of another field, in days.
    private static let markedDays = 90

    /// Erases records of secrets that are no longer in the trash of the vault, and earlier versions that have expired. Call it at most once a
    /// day.
    ///
    /// Both wait until the heads of all members are past them: no change that still comes can then depend on them. A marked value stays
    /// until it was looked at.
    ///
    /// - Parameter now: Milliseconds since 1970-01-01 UTC.
    /// - Returns: The number of erased objects and versions.
    /// - Throws: `SecureStoreError`, the errors of the store.
    @discardableResult
    package func expire(now: Int64) throws -> Int {
        // The name in the trash is another one if it was changed just before.
        let removed = Set(try secrets.removed().map(\.item.created))
        var count = 0
        for part in try objects() {
            var inTrash: [(ObjectID, Counterpart)] = []
            try store.mirrorTransaction { transaction in
                for id in part {
                    let object = try transaction.mirrorObject(id)
                    guard let counterpart = try transaction.counterpart(of: id) else { continue }
                    if counterpart.isLive {
                        count += try expireVersions(of: object, now, transaction)
                    } else if object.state?.isRemoved ?? true,
                        isOver(counterpart, object, removed, now)
                    {
                        inTrash.append((object.id, counterpart))
                    }
                }
            }
            for (id, counterpart) in inTrash {
                let isErased = try store.mirrorTransaction { try $0.mirrorObject(id).state == nil }
                guard try isErased || replica.erase(id) else { continue }
                try store.mirrorTransaction { transaction in
                    try transaction.removeCounterpart(of: counterpart.object)
                    try transaction.setMirrored(transaction.mirrorObject(id))
                }
                count += 1
            }
        }
        return count
    }

    /// Whether the days of an object in the trash are over. Those of a secret of this vault are those of the vault, which erases some at once.
    private func isOver(
        _ counterpart: Counterpart, _ object: SecretMirrorObject, _ removed: Set<Int64>,
        _ now: Int64
    ) -> Bool {
        if counterpart.created != .min { return !removed.contains(counterpart.created) }
        let time = object.versions.filter { $0.field == .remove }.map(\.applied).max() ?? .min
        return !retention.stays([(time, true)], now: now)[0]
    }

    /// Erases the earlier versions of an object that have expired.
    private func expireVersions(
        of object: SecretMirrorObject, _ now: Int64, _ transaction: any MirrorTransaction
    ) throws -> Int {
        // Marks apart: a value that was marked stays for some time after it was looked at.
        guard object.unmirrored.isEmpty, object.state?.hasReturned == false,
            let state = ObjectState(object.versions.filter { $0.field != .looked })
        else { return 0 }
        let looked = object.state?.fields
        let isPast = try replica.pastCheck(transaction)
        var expired: [RecordKey] = []
        for (field, versions) in state.fields
        where [RecordField.value, .itemName, .label].contains(field) || field.attributeKey != nil {
            let marked = Set(
                looked?[field]?.earlier.filter { $0.isConcurrent && field.isVersioned }
                    .map(\.version.key) ?? [])
            var newer = versions.current
            var moves: [(version: Version, time: Int64)] = []
            for earlier in versions.earlier {
                let time = max(newer.applied, earlier.version.applied)
                newer = earlier.version
                if earlier.isConcurrent || field != .value {
                    let stays = EarlierRetention(
                        values: .max, days: Self.markedDays, removedDays: 0
                    )
                    .stays([(time, false)], now: now)[0]
                    if !stays, !marked.contains(earlier.version.key),
                        isPast(earlier.version.origin.dot)
                    {
                        expired.append(earlier.version.key)
                    }
                } else {
                    moves.append((earlier.version, time))
                }
            }
            let stays = retention.stays(moves.map { ($0.time, false) }, now: now)
            for (move, stays) in zip(moves, stays) where !stays && isPast(move.version.origin.dot) {
                expired.append(move.version.key)
            }
        }
        // The current versions decide from now on, so that all members must have seen them, too.
        guard !expired.isEmpty, state.fields.values.allSatisfy({ isPast($0.current.origin.dot) })
        else {
            return 0
        }
        try transaction.erase(expired)
        return expired.count
    }
}
