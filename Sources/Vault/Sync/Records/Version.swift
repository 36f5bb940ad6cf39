/// The names of a record: no two records of a group have the same.
package struct RecordKey: Hashable, Comparable, Sendable {
    package let object: ObjectID
    package let field: RecordField
    package let stamp: Stamp

    package init(_ object: ObjectID, _ field: RecordField, _ stamp: Stamp) {
        self.object = object
        self.field = field
        self.stamp = stamp
    }

    package static func < (left: RecordKey, right: RecordKey) -> Bool {
        if left.object != right.object { return left.object < right.object }
        return left.field == right.field ? left.stamp < right.stamp : left.field < right.field
    }
}

/// The segment in which a record was first written, and what its author had seen then.
package struct Origin: Hashable, Sendable {
    package let dot: Dot
    /// The newest segments of the other devices that the author had applied.
    package let seen: VersionVector

    package init(dot: Dot, seen: VersionVector) {
        self.dot = dot
        self.seen = seen
    }
}

/// A record that a device keeps: one version of one field.
package struct Version: Hashable, Sendable {
    package let key: RecordKey
    package let content: RecordContent
    /// The level of the part in which the record came: only the keys of this level open it.
    package let level: SyncLevel
    /// The level at which its author wrote it, which is all that merging looks at. A snapshot has what came in the open for something
    /// protected at a higher level.
    package let written: SyncLevel
    package let origin: Origin
    /// When this device applied it, in milliseconds since 1970-01-01 UTC: from then on an earlier value expires.
    package let applied: Int64

    package init(
        _ key: RecordKey, _ content: RecordContent, _ level: SyncLevel, _ origin: Origin,
        applied: Int64, written: SyncLevel? = nil
    ) {
        self.key = key
        self.content = content
        self.level = level
        self.written = written ?? level
        self.origin = origin
        self.applied = applied
    }

    package var object: ObjectID { key.object }
    package var field: RecordField { key.field }
    package var stamp: Stamp { key.stamp }

    /// Whether the author had seen another record: one of the same device that is not later, or one that the heads of the segment reach.
    package func hasSeen(_ other: Version) -> Bool {
        let (own, dot) = (origin.dot, other.origin.dot)
        guard own.device == dot.device else { return origin.seen.reaches(dot) }
        return (dot.number, other.stamp) <= (own.number, stamp)
    }

    /// Whether neither author had seen the other's record.
    package func isConcurrent(with other: Version) -> Bool {
        // Mostly one device wrote both, and one of two has seen the other.
        origin.dot.device != other.origin.dot.device && !hasSeen(other) && !other.hasSeen(self)
    }
}
