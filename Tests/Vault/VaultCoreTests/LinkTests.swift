import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// The links of the commits, by which a machine sees that a newer state follows from the one it saw.
@Suite("Links")
struct LinkTests {
    private let storage: VaultDatabase
    private let records = MemoryRollbackRecords()
    private var environment: VaultEnvironment { TestVault.environment(rollbackRecords: records) }

    init() throws {
        storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        // The machine is six commits behind.
        try TestVault.fill(TestVault.unlock(storage), count: 6)
    }

    private func damage(_ change: (inout [LinkRecord]) -> Void) throws {
        var records = try Records(of: storage)
        change(&records.links)
        try records.put(into: storage)
    }

    private func expectRefused(_ failure: FormatFailure) throws {
        #expect(throws: VaultError.damaged(failure)) {
            _ = try TestVault.unlock(storage, environment)
        }
        // A reader without a record needs none; a full check finds it.
        let vault = try TestVault.unlock(storage)
        #expect(try vault.list().count == 6)
        #expect(try vault.check().problems.map(\.failure) == [failure])
        var accepting = environment
        accepting.acceptsOlder = true
        _ = try TestVault.unlock(storage, accepting)
        #expect(try TestVault.unlock(storage, environment).list().count == 6)
    }

    @Test("there is one for each commit, and they lead to a state from any before")
    func sound() throws {
        #expect(try Records(of: storage).links.map(\.counter) == Array(1...7))
        #expect(try Records(of: storage).links.allSatisfy { $0.bytes.count == 60 })
        let vault = try TestVault.unlock(storage, environment)
        #expect(try vault.check().problems.isEmpty)
        #expect(try records.read()?.counter == 7)
    }

    @Test("that are missing are told", arguments: [1, 3, 6])
    func missing(index: Int) throws {
        try damage { $0.remove(at: index) }
        try expectRefused(.linkMissing)
    }

    @Test("that were changed are told", arguments: [0, 4, 30, 59])
    func changed(byte: Int) throws {
        try damage { $0[3].bytes[byte] ^= 1 }
        try expectRefused(.linkDamaged)
    }

    @Test("of another size or counter are told")
    func exchanged() throws {
        let sound = try Records(of: storage)
        let first = try #require(try records.read())
        try damage { $0[3].bytes = [] }
        try expectRefused(.linkDamaged)
        try sound.put(into: storage)
        try records.replace(with: first)
        try damage { links in
            (links[3].bytes, links[4].bytes) = (links[4].bytes, links[3].bytes)
        }
        try expectRefused(.linkDamaged)
    }

    @Test("that stand there twice, or in another order, are told")
    func doubled() throws {
        let hooked = HookedStorage(storage)
        for change in [
            { (links: inout [LinkRecord]) in links.insert(links[2], at: 2) },
            { links in links.swapAt(3, 4) },
        ] as [@Sendable (inout [LinkRecord]) -> Void] {
            hooked.set { $0.links = change }
            #expect(throws: VaultError.self) { _ = try TestVault.unlock(hooked, environment) }
            let problems = try TestVault.unlock(hooked).check().problems.map(\.failure)
            #expect(problems.contains(.linkDamaged))
        }
        hooked.set { $0.links = { links in links.insert(links[2], at: 2) } }
        #expect(throws: VaultError.damaged(.linkDamaged)) {
            _ = try TestVault.unlock(hooked, environment)
        }
    }

    @Test("are removed when they are old; a machine that is further behind must confirm")
    func pruned() throws {
        var few = environment
        few.keptLinks = 5
        let behind = try #require(try records.read())
        let vault = try TestVault.unlock(storage, few)
        for index in 6..<20 { try TestVault.fillOne(vault, index) }
        #expect(try Records(of: storage).links.map(\.counter) == Array(17...21))
        #expect(try vault.check().problems.isEmpty)
        // Exactly as far behind as there are links, and one commit more.
        let machine = MemoryRollbackRecords()
        let other = TestVault.environment(rollbackRecords: machine)
        _ = try TestVault.unlock(storage, other)
        for index in 20..<25 { try TestVault.fillOne(vault, index) }
        #expect(try TestVault.unlock(storage, other).list().count == 25)
        for index in 25..<31 { try TestVault.fillOne(vault, index) }
        #expect(throws: VaultError.damaged(.linkMissing)) {
            _ = try TestVault.unlock(storage, other)
        }
        try records.replace(with: behind)
        few.acceptsOlder = true
        #expect(try TestVault.unlock(storage, few).list().count == 31)
    }

    @Test("stay what they are through a rekey")
    func rekeyed() throws {
        let before = try Records(of: storage).links
        _ = try TestVault.authenticate(storage).rekey()
        let after = try Records(of: storage).links
        #expect(after.map(\.counter) == Array(1...8))
        #expect(zip(before, after).allSatisfy { $0.bytes != $1.bytes })
        let vault = try TestVault.unlock(storage, environment)
        #expect(try vault.check().problems.isEmpty)
        try damage { $0[2].bytes[20] ^= 1 }
        let damaged = try Records(of: storage)
        #expect(throws: VaultError.damaged(.linkDamaged)) {
            _ = try TestVault.authenticate(storage).rekey()
        }
        #expect(try Records(of: storage) == damaged)
    }

    @Test("of no commit are told, and removed by a rekey or a repair", arguments: [true, false])
    func stray(isRekeyed: Bool) throws {
        try damage { $0.append(LinkRecord(counter: 999, bytes: [UInt8](repeating: 0, count: 60))) }
        let vault = try TestVault.unlock(storage, environment)
        #expect(try vault.check().problems.map(\.failure) == [.linkDamaged])
        if isRekeyed {
            _ = try TestVault.authenticate(storage, environment).rekey()
        } else {
            _ = try LockedVault(storage, environment)
                .authenticateForRepair(with: TestVault.secret()).repair()
        }
        #expect(try Records(of: storage).links.map(\.counter) == Array(1...8))
        #expect(try TestVault.unlock(storage, environment).check().problems.isEmpty)
    }

    @Test("are made for the counters that a new lineage passes over")
    func newLineage() throws {
        var few = TestVault.environment()
        few.keptLinks = 20
        try TestVault.authenticate(storage, few).startLineage(above: 10)
        #expect(try Records(of: storage).links.map(\.counter) == Array(1...11))
        #expect(try TestVault.unlock(storage, few).check().problems.isEmpty)
        try TestVault.authenticate(storage, few).startLineage(above: 1_000_000_000)
        let links = try Records(of: storage).links
        #expect(links.count == 20 && links.last?.counter == 1_000_000_001)
        #expect(try TestVault.unlock(storage, few).check().problems.isEmpty)
    }

    @Test("that are lost are replaced by a repair")
    func repaired() throws {
        try damage { links in
            links.remove(at: 2)
            links[4].bytes[9] ^= 1
        }
        let outcome = try LockedVault(storage, environment)
            .authenticateForRepair(with: TestVault.secret()).repair()
        #expect(outcome.kept == 6 && !outcome.isStateLost)
        let vault = try TestVault.unlock(storage, environment)
        #expect(try vault.check().problems.isEmpty)
        try TestVault.fillOne(vault, 9)
        #expect(try vault.check().problems.isEmpty)
    }

    @Test("are made anew with a lost state, and the machine that repairs accepts it")
    func lostState() throws {
        var records = try Records(of: storage)
        records.state[50] ^= 1
        try records.put(into: storage)
        let outcome = try LockedVault(storage, environment)
            .authenticateForRepair(with: TestVault.secret()).repair()
        #expect(outcome.isStateLost)
        let vault = try TestVault.unlock(storage, environment)
        #expect(try vault.check().problems.isEmpty)
        #expect(try vault.list().count == 6)
    }

    @Test("of a counter that cannot grow any more are refused")
    func largestCounter() throws {
        var few = TestVault.environment()
        few.keptLinks = 20
        let session = try TestVault.authenticate(storage, few).session
        try session.write { $0.state.counter = LinkRecord.largestCounter }
        let vault = try TestVault.unlock(storage)
        #expect(throws: SecureStoreError.self) { try TestVault.fillOne(vault, 9) }
        #expect(try vault.list().count == 6)
    }
}
