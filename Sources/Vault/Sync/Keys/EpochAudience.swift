/// The removed members that matter for segments under an epoch (`Docs/Sync.md`, section 10).
package struct EpochAudience: Hashable, Sendable {
    /// Those who can open the epoch.
    let admitted: Set<DeviceID>
    /// Those whose removal everyone knows who seals under the epoch.
    let excluded: Set<DeviceID>

    package init(admitted: Set<DeviceID>, excluded: Set<DeviceID>) {
        self.admitted = admitted
        self.excluded = excluded
    }
}

extension Replica {
    /// Whether the author of a segment knew of a removal, and sealed it for the removed member all the same.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the segment.
    ///   - seen: All that its author had seen.
    ///   - ledger: The ledger with the segments before it.
    /// - Returns: Whether it must be refused.
    func isOpenToRemoved(
        _ prefix: SegmentPrefix, seen: VersionVector, _ ledger: SyncLedger
    ) -> Bool {
        guard let admitted = audiences[prefix.epoch]?.admitted else { return false }
        var seen = seen
        seen[prefix.dot.device] = prefix.dot.number - 1
        return admitted.contains { member in
            ledger.removals[member]?.numbers.contains { seen.reaches(Dot($0, $1)) } == true
        }
    }

    /// Notes that whoever has seen a segment knows of the removals that its epoch rests on.
    func noteRemovals(_ prefix: SegmentPrefix, in ledger: inout SyncLedger) {
        for member in audiences[prefix.epoch]?.excluded ?? [] {
            var known = ledger.removals[member] ?? VersionVector()
            guard known[prefix.dot.device] == 0 else { continue }
            known[prefix.dot.device] = prefix.dot.number
            ledger.removals[member] = known
        }
    }
}
