internal import Sync
internal import SyncStorage

/// The changes that this home had made as a former device and not sent: the newest stamps of the objects' fields, by number.
typealias UnsentFields = [ObjectID: [UInt32: Stamp]]

extension MirrorTransaction {
    /// Takes over from a former device which records vault or list have, once. What the group has beyond them is news.
    ///
    /// Call it after all that the group has was collected.
    ///
    /// - Returns: What was not sent, and whether counterparts must be taken over, too.
    func resume(_ former: FormerDevice) throws -> (unsent: UnsentFields, isFirst: Bool) {
        let isFirst = try note("resumed") == nil
        try setNote("resumed", [])
        // What the group has of the former device's own chain; of a clone's, up to where the two histories part.
        var sent = ledger.chains[former.id]?.number ?? 0
        while sent > 0,
            try hash(of: Dot(former.id, sent)).map({ $0 != former.hashes[sent] }) ?? false
        {
            sent -= 1
        }
        var unsent: UnsentFields = [:]
        for record in former.records {
            if record.number > sent {
                let known = unsent[record.object]?[record.field] ?? .zero
                unsent[record.object, default: [:]][record.field] = max(known, record.stamp)
            } else if isFirst, record.isMirrored {
                try setMirrored(record.object, record.field, record.stamp)
            }
        }
        return (unsent, isFirst)
    }

    /// The objects with records that this home does not have yet, and whether a person changed them there.
    func news() throws -> [ObjectID: Bool] {
        var news: [ObjectID: Bool] = [:]
        for object in try unmirrored() {
            let isChanged = try unmirrored(of: object).contains(where: \.field.isChangeByPerson)
            for id in try mirrorObject(object).ids { news[id] = news[id] ?? false || isChanged }
        }
        return news
    }
}
