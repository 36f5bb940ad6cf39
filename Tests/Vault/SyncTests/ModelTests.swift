import Foundation
import TestSupport
import Testing

@testable import Sync

/// Random histories of two to five devices that run the product's code through real files.
@Suite("The model of sync")
struct ModelTests {
    /// The number of histories; the campaign runs more.
    private static let histories: UInt64 =
        ProcessInfo.processInfo.environment["TASKVAULT_SYNC_HISTORIES"].flatMap { UInt64($0) }
        ?? 200

    /// The failures of the first history that fails.
    private func firstFailure(
        _ seeds: Range<UInt64>, rules: SyncRules = .all, focus: [ModelWorld.Operation]? = nil
    ) throws -> [String] {
        for seed in seeds {
            let failures = try withTemporaryFolder { folder in
                let world = try ModelWorld(seed: seed, at: folder, rules: rules, focus: focus)
                try world.run()
                return world.failures
            }
            if !failures.isEmpty { return failures }
        }
        return []
    }

    @Test("converges, loses nothing, and marks what was concurrent", arguments: UInt64(0)..<8)
    func histories(part: UInt64) throws {
        let size = Self.histories / 8
        let failures = try firstFailure(part * size..<(part + 1) * size)
        #expect(failures == [])
    }

    @Test("does the same over databases", arguments: UInt64(0)..<4)
    func databases(part: UInt64) throws {
        let size = max(Self.histories / 20, 1)
        for seed in 1_000 + part * size..<1_000 + (part + 1) * size {
            try withTemporaryFolder { folder in
                var stores: [PairedStore] = []
                let world = try ModelWorld(seed: seed, at: folder) { path, device in
                    let store = try PairedStore(path, device)
                    stores.append(store)
                    return store
                }
                try world.run()
                for store in stores { try store.reopen() }
                #expect(world.failures + stores.flatMap(\.differences) == [])
            }
        }
    }

    @Test("leaves no mark after a sequential history", arguments: UInt64(0)..<10)
    func sequences(seed: UInt64) throws {
        try withTemporaryFolder { folder in
            let world = try ModelWorld(seed: seed, at: folder)
            try world.runSequence()
            #expect(world.failures == [])
        }
    }

    /// Each of these rules, switched off, is missed. What was erased too early is repeated by those who changed it: without this, too. The
    /// seed is that of the first history that fails; one of them is rare.
    @Test(
        "fails without a rule",
        arguments: [
            (SyncRules.causalOrder, 14), (.heads, 1), (.everyVersion, 11), (.keptPartsFirst, 0),
            (.coverage, 4), (.aliases, 2), ([.erasure, .repetition], 15), (.repetition, 987),
            (.occurrences, 42), (.protection, 4),
        ] as [(SyncRules, UInt64)])
    func control(rule: SyncRules, seed: UInt64) throws {
        let rules = SyncRules.all.subtracting(rule)
        let focus: [ModelWorld.Operation]? =
            rule == .keptPartsFirst ? [.create, .raise, .set, .set, .level, .level] : nil
        var failures = try firstFailure(seed..<seed + 1, rules: rules, focus: focus)
        if failures.isEmpty { failures = try firstFailure(0..<1_000, rules: rules, focus: focus) }
        #expect(failures != [])
    }
}
