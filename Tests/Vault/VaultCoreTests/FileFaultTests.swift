import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Each transaction of a change of files fails in turn.
@Suite("A failed change of files")
struct FileFaultTests {
    /// How a transaction fails.
    enum Fault: CaseIterable {
        /// It is not begun, once.
        case once
        /// This one and all later ones are not begun, as on a full disk.
        case full
        /// It is committed, and reported as failed.
        case denied
    }

    private static let changes: [(String, @Sendable (UnlockedVault) throws -> Void)] = [
        ("add", { try TestFiles.add(content, as: "new", to: $0) }),
        ("replace", { try TestFiles.write(content, to: VaultFiles($0).replace(id(in: $0))) }),
        ("rename", { try VaultFiles($0).edit(id(in: $0), FileEdit(name: "renamed")) }),
        ("remove", { try VaultFiles($0).remove(id(in: $0)) }),
        ("erase", { try VaultFiles($0).remove(id(in: $0), permanently: true) }),
    ]
    private static let content = TestFiles.content(1, size: 4_500_000)
    private static let before = TestFiles.content(2, size: 5_000_000)

    private static func id(in vault: UnlockedVault) throws -> String {
        try VaultFiles(vault).file(named: "old").id
    }

    @Test("is not made at all or made whole, and leaves no chunk behind", arguments: Fault.allCases)
    func sweep(fault: Fault) throws {
        for (name, change) in Self.changes {
            var number = 1
            while try fails(at: number, fault, change) { number += 1 }
            // The chunks of two transactions, those that are left, and the item.
            #expect(number > (name == "add" || name == "replace" ? 3 : 1), "\(name)")
        }
    }

    private func isBefore(_ contents: [String: [UInt8]]) -> Bool {
        contents.count == 1 && contents["old"]?.isSame(as: Self.before) == true
    }

    /// Lets one transaction of a change fail.
    ///
    /// - Returns: Whether there was such a transaction.
    private func fails(
        at number: Int, _ fault: Fault, _ change: (UnlockedVault) throws -> Void
    ) throws -> Bool {
        let clock = TestClock()
        let environment = TestVault.environment(now: { clock.now })
        let storage = FailingStorage(try VaultDatabase.inMemory())
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        try TestFiles.add(Self.before, as: "old", to: vault)
        storage.fail(at: number, fault)
        var isRefused = false
        do { try change(vault) } catch { isRefused = true }
        let isReached = storage.isFailed
        storage.fail(at: 0, .once)
        let seen = try TestVault.unlock(storage, environment)
        let contents = try TestFiles.contents(of: seen)
        #expect(isBefore(contents) == isRefused)
        #expect(try seen.check().problems.isEmpty)
        clock.advance(hours: 25)
        try VaultFiles(seen).sweep()
        #expect(try seen.check().orphanedChunks == 0)
        // The same session goes on.
        if isRefused { try change(vault) }
        #expect(try !isBefore(TestFiles.contents(of: vault)))
        return isReached
    }
}

/// A storage whose transactions fail from one on, or one of them.
private final class FailingStorage: RecordStorage {
    private struct State: Sendable {
        /// The transactions before the failing one; negative after it.
        var rest = -1
        var fault = FileFaultTests.Fault.once
        var isFailed = false
    }

    private let base: any RecordStorage
    private let state = Mutex(State())

    init(_ base: any RecordStorage) { self.base = base }

    /// Lets transaction `number` from now on fail; 0 for none.
    func fail(at number: Int, _ fault: FileFaultTests.Fault) {
        state.withLock { $0 = State(rest: number, fault: fault) }
    }

    var isFailed: Bool { state.withLock { $0.isFailed } }

    func read<Result>(_ body: (any RecordReader) throws -> Result) throws -> Result {
        try base.read(body)
    }

    func write<Result>(_ body: (any RecordWriter) throws -> Result) throws -> Result {
        let fault = state.withLock { state -> FileFaultTests.Fault? in
            if state.isFailed { return state.fault == .full ? .full : nil }
            state.rest -= 1
            guard state.rest == 0 else { return nil }
            state.isFailed = true
            return state.fault
        }
        if fault == .once || fault == .full { throw DatabaseError.full }
        let result = try base.write(body)
        if fault == .denied { throw DatabaseError.inputOutput(operation: "commit", code: 5) }
        return result
    }

    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        try base.stateAndItem(tag: tag)
    }

    func eraseOldBytes() throws -> Bool? { try base.eraseOldBytes() }
    func returnSpace() throws { try base.returnSpace() }
    func backup(to path: String) throws { try base.backup(to: path) }
    func close() { base.close() }
}
