/// How far this device has applied the chain of segments of one device, itself included.
package struct ChainState: Hashable, Sendable {
    /// The number of the newest applied segment; 0 for none.
    package var number: UInt64 = 0
    /// Its hash.
    package var hash = Head.noHash
    /// The highest format that the author has used.
    package var format: UInt32 = 0
    /// The segments of other devices that the author had seen at its newest segment.
    package var seen = VersionVector()
    /// The author's wall clock at its newest segment, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 = 0
    /// When this device applied it, in milliseconds since 1970-01-01 UTC.
    package var heard: Int64 = 0

    package init() {}

    /// How far the author's clock was ahead of a time, in milliseconds. Its time may be any number.
    func lead(at now: Int64) -> Int64 {
        let (lead, isTooLarge) = time.subtractingReportingOverflow(now)
        return !isTooLarge ? lead : time < 0 ? .min : .max
    }

    /// Whether the author, the device of the chain, has seen a segment.
    package func isPast(_ dot: Dot, of device: DeviceID) -> Bool {
        dot.device == device ? dot.number <= number : seen.reaches(dot)
    }
}

/// The state of sync beside records, segments and kept parts. A store saves it in the transaction that changes those.
package struct SyncLedger: Hashable, Sendable {
    package var clock = HybridClock()
    package var chains: [DeviceID: ChainState] = [:]
    /// Objects that came or got a name since the last search for equal names.
    package var unsettled: Set<ObjectID> = []
    /// Restored objects that must be repeated as soon as V is there.
    package var unrepeated: Set<ObjectID> = []
    /// The number of this device's newest segment that the remote was seen to have.
    package var published: UInt64 = 0
    /// For each removed member, the first segment of each chain whose author is known to have known of the removal.
    package var removals: [DeviceID: VersionVector] = [:]
    /// The size of the segments that were written or applied since the newest snapshot, in bytes.
    package var uncovered: UInt64 = 0
    /// The newest own segment that has in the open what is protected since; 0 for none. A snapshot of this device takes its place.
    package var exposed: UInt64 = 0
    /// Devices that were silent for long, until all that came from them is applied: others may have erased what they changed.
    package var late: Set<DeviceID> = []

    package init() {}

    /// The applied segments of all devices but one.
    func seen(without own: DeviceID) -> VersionVector {
        var seen = VersionVector()
        for (device, chain) in chains where device != own { seen[device] = chain.number }
        return seen
    }
}
