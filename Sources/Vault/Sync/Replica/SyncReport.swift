/// Why the next segment of a device is not applied.
package enum WaitingReason: Hashable, Sendable {
    /// Later segments are at the remote, this one is not.
    case missing
    /// No candidate is complete and signed by the device; a copy may be under way. The reason is that of the last candidate.
    case unreadable(SegmentFailure?)
    /// The segment is signed, and invalid. It stays so.
    case invalid(SegmentFailure)
    /// The keys of its epoch have not come.
    case epochMissing
    /// Its author had seen a segment that has not come.
    case needs(Dot)
    /// The remote showed another history of this device than the one that was applied here, or that another member has seen.
    case forked(DeviceID)
    /// A member has seen a segment of this device that it does not have: this store was put back, or has a clone.
    case ownSegment(UInt64)
    /// A snapshot is needed, because segments were dropped, and cannot be used now.
    case snapshot(SnapshotFault)
    /// The remote could not be read.
    case unreachable(RemoteFailure)
}

extension WaitingReason {
    /// Whether others have seen a segment of this device that it does not have.
    package var isOfOwnSegment: Bool {
        if case .ownSegment = self { true } else { false }
    }
}

/// Why a snapshot cannot be used.
package enum SnapshotFault: Hashable, Sendable {
    /// A file of it is not there, or not whole.
    case incomplete
    /// It does not reach what this device must have: the remote shows an old one.
    case behind
    /// The key of *after verification* is not there.
    case locked
}

/// The result of an exchange with a remote.
package struct SyncReport: Hashable, Sendable {
    /// The number of applied segments.
    package var applied = 0
    /// The number of segments that were put.
    package var published = 0
    /// The number of those whose copy at the remote was damaged.
    package var repaired = 0
    /// The next segment of each device that could not be applied, and why.
    package var waiting: [Dot: WaitingReason] = [:]
    /// Parts for U or V that were ignored. They are on every device.
    package var ignoredParts: [Dot: SegmentFailure] = [:]
    /// Devices whose newest segment has a time more than ten minutes ahead of this device's clock, and by how many milliseconds. This
    /// device is among them if its clock was set back since.
    package var ahead: [DeviceID: Int64] = [:]

    /// The difference of clocks from which a device is named, in milliseconds.
    package static let clockLimit: Int64 = 600_000

    package init() {}
}
