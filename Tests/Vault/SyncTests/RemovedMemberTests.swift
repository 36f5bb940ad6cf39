import Foundation
@testable import Sync
import SyncMembers
import Testing
import TestSupport

@Suite("Epochs of removed members")
struct RemovedMemberTests {
    /// Devices that know two epochs: one that a removed member can open, and one whose author had seen its removal.
    private func group(
        _ body: (TestGroup, [TestDevice], _ removed: EpochKeys, _ present: EpochKeys) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let group = try TestGroup(at: folder, count: 3)
            let member = DeviceID.random(from: group.random)
            let old = try #require(group.devices[0].replica.epochs[group.epochID])
            let new = try EpochStatement.make(group.id, for: [:], random: group.random).1
            for device in group.devices {
                device.replica.epochs[new.id] = new
                device.replica.audiences = [
                    old.id: EpochAudience(admitted: [member], excluded: []),
                    new.id: EpochAudience(admitted: [], excluded: [member]),
                ]
            }
            try body(group, group.devices, old, new)
        }
    }

    private func write(_ device: TestDevice, _ group: TestGroup, under epoch: EpochKeys) throws {
        device.replica.sealingEpoch = epoch.id
        try device.replica.change { _ in Draft.task(group.object(), name: "task") }
        _ = try device.replica.exchange()
    }

    @Test("an author that has used the new keys must not go back to the old ones")
    func ownChain() throws {
        try group { group, devices, old, new in
            try write(devices[0], group, under: old)
            try write(devices[0], group, under: new)
            #expect(try devices[1].replica.collect().applied == 2)
            try write(devices[0], group, under: old)
            let report = try devices[1].replica.collect()
            #expect(report.applied == 0)
            #expect(report.waiting == [Dot(devices[0].id, 3): .invalid(.epochOpen)])
        }
    }

    @Test("an author that has seen changes under the new keys must not use the old ones")
    func seenByHeads() throws {
        try group { group, devices, old, new in
            try write(devices[0], group, under: new)
            _ = try devices[1].replica.collect()
            try write(devices[1], group, under: old)
            let report = try devices[2].replica.collect()
            #expect(report.applied == 1)
            #expect(report.waiting == [Dot(devices[1].id, 1): .invalid(.epochOpen)])
            // The author of the new keys sees it by its own chain.
            let own = try devices[0].replica.collect()
            #expect(own.waiting == [Dot(devices[1].id, 1): .invalid(.epochOpen)])
        }
    }

    @Test("an author that has not heard of the removal is not blamed")
    func concurrent() throws {
        try group { group, devices, old, new in
            try write(devices[0], group, under: new)
            devices[1].replica.sealingEpoch = old.id
            try devices[1].replica.change { _ in Draft.task(group.object(), name: "task") }
            var report = SyncReport()
            try devices[1].replica.publish(&report)
            for device in [devices[2], devices[0]] {
                let report = try device.replica.collect()
                #expect(report.waiting.isEmpty)
            }
            #expect(try devices[2].replica.collect().applied == 0)
        }
    }
}
