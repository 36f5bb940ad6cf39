@testable import Sync
import Testing
import TestSupport

/// Numbers at their limits, and as many records as it likes, by a member or the thief of a locked machine.
@Suite("Hostile numbers")
struct HostileNumberTests {
    private func group(
        _ body: (TestGroup, TestDevice, TestDevice, ObjectID) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let group = try TestGroup(at: folder, count: 2)
            let task = group.object()
            try group.devices[0].replica.change { _ in
                Draft.task(task, name: "rent", due: 100)
            }
            try group.exchangeAll()
            try body(group, group.devices[0], group.devices[1], task)
        }
    }

    @Test("a clock of any time is taken, and named if it is ahead", arguments: [Int64.min, .max])
    func times(time: Int64) throws {
        try group { group, first, second, task in
            let now = second.clock.now
            second.clock.now = time
            try second.change(.text(task, .notes, "of any time", .list))
            second.clock.now = now
            _ = try second.replica.exchange()
            let report = try first.replica.exchange()
            #expect(report.applied == 1)
            #expect((report.ahead[second.id] != nil) == (time > 0))
            #expect(try first.texts(task, .notes) == ["of any time"])
        }
    }

    @Test("a wall clock gives no stamp that a segment may not have")
    func wallClock() throws {
        var clock = HybridClock()
        #expect(try clock.next(at: .max) < Stamp.wallLimit)
        #expect(Stamp(milliseconds: .max, device: .zero).clock < Stamp.wallLimit)
    }

    @Test("each segment that an author has seen makes room for clocks, and no number leaves none")
    func room() throws {
        let (own, other) = (DeviceID.random(from: .seeded(1)), DeviceID.random(from: .seeded(2)))
        func limit(_ number: UInt64, _ seen: UInt64) -> UInt64 {
            var vector = VersionVector()
            vector[own] = 7
            vector[other] = seen
            return Stamp.limit(in: Origin(dot: Dot(own, number), seen: vector))
        }
        #expect(limit(1, 0) == Stamp.wallLimit + 1 << 20)
        #expect(limit(2, 3) == Stamp.wallLimit + 5 << 20)
        #expect(limit(.max, .max) <= Stamp.limit)
    }

    @Test(
        "after the highest clock that is taken each device still writes, and what it writes is newer",
        arguments: [Stamp.wallLimit - 1, Stamp.wallLimit + 1 << 20 - 2, Stamp.limit / 2])
    func highestClocks(clock: UInt64) throws {
        try group { group, first, second, task in
            try second.store.transaction { $0.ledger.clock = HybridClock(last: clock) }
            for number in 0..<3 {
                for device in [second, first] {
                    try device.change(.text(task, .notes, "\(number)", .list))
                    try group.exchangeAll()
                }
                #expect(try second.texts(task, .notes).first == "\(number)")
                #expect(try first.texts(task, .notes) == second.texts(task, .notes))
            }
            let newest = try #require(try first.state(task)?.fields[.notes]?.current.stamp)
            #expect(newest.device == first.id && newest.clock < Stamp.limit / 2)
        }
    }

    @Test("thousands of versions of one field are merged at once", .timeLimit(.minutes(1)))
    func manyVersions() throws {
        try group { _, first, second, task in
            for part in 0..<3 {
                try first.replica.change { _ in
                    (0..<1_000).map {
                        Draft(
                            task, .notes, .list, Array("\(part) \($0)".utf8),
                            modified: Int64(part * 1_000 + $0 + 1))
                    }
                }
            }
            _ = try first.replica.exchange()
            _ = try second.replica.exchange()
            #expect(try second.state(task)?.fields[.notes]?.earlier.count == 2_999)
        }
    }
}
