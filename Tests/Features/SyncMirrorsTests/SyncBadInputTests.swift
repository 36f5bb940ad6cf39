import Database
import Platform
import SecureStorage
import Sync
import SyncMirrors
import Tasks
import TestSupport
import Testing
import VaultCore
import VaultStorage

/// Clocks, disks and homes at the ends of what happens.
@Suite("Mirrors: bad input")
struct SyncBadInputTests {
    private static let year: Int64 = 366 * 86_400_000

    @Test("homes whose clocks say 1999 and 2038 have the same list, and the last change is shown")
    func clocks() throws {
        try withTaskHomes { group, first, second in
            first.clock.now = PointInTime(milliseconds: 915_148_800_000)
            second.clock.now = PointInTime(milliseconds: 2_161_728_000_000)
            let ids = [try first.add("first"), try second.add("second")]
            try group.syncAll()
            #expect(try first.described() == second.described())
            // Each has seen what the other one wrote, so its own change is the newer one.
            for (home, id) in zip([first, second], ids.reversed()) {
                try home.editText(id) { $0.name += " again" }
                try home.sync()
            }
            try group.syncAll()
            for home in group.homes {
                #expect(try home.text(ids[0]).name == "first again")
                #expect(try home.text(ids[1]).name == "second again")
                #expect(try home.mirror().markedIDs().isEmpty)
            }
        }
    }

    @Test(
        "what was removed while a home was away for a year comes back if it changed there, marked",
        arguments: [false, true])
    func yearAway(isChanged: Bool) throws {
        try withSecretHomes(3) { group, homes in
            if isChanged { try homes[2].set("bank", "new") }
            group.wait()
            try homes[0].remove("bank")
            for home in homes.dropLast() { try home.round() }
            for home in homes.dropLast() { try home.round() }
            group.wait(Self.year)
            for home in homes.dropLast() {
                #expect(try home.mirror.expire(now: home.clock.now) == 0)
            }
            try group.exchange()
            for home in homes {
                guard isChanged else {
                    #expect(try home.all().isEmpty)
                    continue
                }
                #expect(try home.all()["bank"]?.value == "new")
                #expect(try home.mark("bank") == ["↺"])
            }
        }
    }

    @Test("the same of a task", arguments: [false, true])
    func yearAwayTask(isChanged: Bool) throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            if isChanged { try second.editText(id) { $0.notes = "new" } }
            first.clock.wait(.seconds(1))
            try first.list.remove(first.task(id), from: nil)
            try first.sync()
            group.wait(.milliseconds(Self.year))
            #expect(try first.mirror().expire() == 0)
            try group.syncAll()
            for home in group.homes {
                #expect(try home.tasks().map(\.id) == (isChanged ? [id] : []))
                if isChanged { #expect(try home.text(id).notes == "new") }
                #expect(try home.mirror().markedIDs() == (isChanged ? [id] : []))
            }
        }
    }

    @Test("an occurrence with the last number of all is completed as others are")
    func lastOccurrence() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("daily") { task in
                task.due = .moment(PointInTime(milliseconds: 1_800_230_400_000))
                task.setRepetition(try? RepeatRule(rule: "FREQ=DAILY"), in: RuleCalendar.utc)
            }
            try group.syncAll()
            let state = try #require(try first.state(id))
            let due = DueDate(
                occurrence: .max, isEdited: true, date: try #require(state.due?.date))
            try first.replica.change { _ in [Draft(state.object, .due, .list, due.bytes)] }
            try group.syncAll()
            group.wait(.seconds(60))
            try second.finish(id)
            try group.syncAll()
            #expect(try second.state(id)?.completed == [.max])
            #expect(try first.state(id)?.completed == [.max])
        }
    }

    @Test("times of records that no list has are left out", arguments: [Int64.min, Int64.max - 1])
    func impossibleTimes(number: Int64) throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            let object = try #require(try first.state(id)).object
            var bytes = ByteWriter()
            bytes.integer(number)
            let fields: [RecordField] = [.created, .start, .reminder, .snooze]
            try first.replica.change { _ in
                fields.map { Draft(object, $0, .list, bytes.bytes) }
            }
            try group.syncAll()
            let task = try second.task(id)
            #expect(task.wait == nil && task.reminder == nil && task.snooze == nil)
            #expect(try task.created == first.task(id).created)
            try second.editText(id) { $0.notes = "changed" }
            try group.syncAll()
            #expect(try first.text(id).notes == "changed")
        }
    }

    // MARK: Full disks

    /// Where the disk is full: under the records of the device that changed something, in the folder, under the records of another device,
    /// under its list or vault.
    enum Side: CaseIterable, Codable { case store, remote, otherStore, other }

    /// Runs a body that fails because files have their largest size.
    private static func whileFull(_ body: () throws -> Void) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        unsafe getrlimit(fileSizeLimit, &limit)
        var small = rlimit(rlim_cur: 40_000, rlim_max: limit.rlim_max)
        unsafe setrlimit(fileSizeLimit, &small)
        #expect(throws: (any Error).self) { try body() }
        unsafe setrlimit(fileSizeLimit, &limit)
    }

    @Test("a full disk on either side loses nothing", .endsProcess, arguments: Side.allCases)
    func fullDisk(side: Side) async throws {
        await #expect(processExitsWith: .success) { [side] in
            try withTaskHomes { group, first, second in
                let id = try first.add("small")
                try group.syncAll()
                try first.editText(id) { $0.notes = String(repeating: "n", count: 90_000) }
                if side == .remote { try first.mirror().capture() }
                if side == .otherStore || side == .other { try first.sync() }
                let mirror = try second.mirror()
                if side == .other { _ = try second.replica.collect() }
                Self.whileFull {
                    switch side {
                    case .store: try first.sync()
                    case .remote:
                        var report = SyncReport()
                        try first.replica.publish(&report)
                    case .otherStore: _ = try second.replica.collect()
                    case .other: try mirror.apply()
                    }
                }
                #expect(try first.text(id).notes.utf8.count == 90_000)
                try group.syncAll()
                #expect(try second.described() == first.described())
                #expect(try second.text(id).notes.utf8.count == 90_000)
            }
        }
    }

    @Test("the same of secrets", .endsProcess, arguments: Side.allCases)
    func fullDiskOfSecrets(side: Side) async throws {
        await #expect(processExitsWith: .success) { [side] in
            try withTemporaryFolder { folder in
                let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
                defer { storage.close() }
                _ = try TestVault.create(in: storage)
                let vault = try TestVault.unlock(storage)
                let group = try SecretGroup(folder, count: 2, vaults: [vault])
                let (inFile, inMemory) = (group.homes[0], group.homes[1])
                let isOther = side == .otherStore || side == .other
                let large = String(repeating: "x", count: 90_000)
                try (isOther ? inMemory : inFile).set("large", large)
                if side == .remote { _ = try inFile.mirror.capture() }
                if isOther { try inMemory.round() }
                if side == .other { _ = try inFile.replica.collect() }
                Self.whileFull {
                    switch side {
                    case .store: try inFile.round()
                    case .remote:
                        var report = SyncReport()
                        try inFile.replica.publish(&report)
                    case .otherStore: _ = try inFile.replica.collect()
                    case .other: _ = try inFile.mirror.apply()
                    }
                }
                try inFile.open()
                try group.exchange()
                for home in group.homes {
                    #expect(try home.all() == ["large": SecretView(value: large)])
                }
            }
        }
    }
}

#if os(Linux)
    private var fileSizeLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
#else
    private var fileSizeLimit: Int32 { RLIMIT_FSIZE }
#endif
