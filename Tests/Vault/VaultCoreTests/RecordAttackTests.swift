import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Attacks of somebody who may write the records but has no key.
@Suite("Changed records")
struct RecordAttackTests {
    private let storage: VaultDatabase
    private let vault: VaultUnderAttack
    private let records: Records

    init() throws {
        storage = try VaultDatabase.inMemory()
        vault = try VaultUnderAttack(filling: storage)
        records = try Records(of: storage)
    }

    @Test("are refused for a flipped bit of header, state, bucket records and rows")
    func bits() throws {
        var flips = 0
        for variant in records.bitFlips {
            try variant.put(into: storage)
            #expect(vault.answer(storage) == .refused)
            flips += 1
        }
        #expect(3 * flips >= 2 * min(Records.flips, 10_000), "a sample has odd steps")
        Attack.report(["record-bits": flips, "refused": flips])
        try records.put(into: storage)
        #expect(vault.answer(storage) == .unchanged, "the harness itself must not break the vault")
    }

    @Test("are refused when a row is gone, doubled or from another time")
    func rows() throws {
        var silent = 0
        for variant in try rowAttacks() {
            try variant.put(into: storage)
            #expect(vault.answer(storage) == .refused)
            if case .wrong = vault.answerWithoutIntegrity(storage) { silent += 1 }
        }
        // The control: a reader who believes each row that opens does not notice a row that is gone or old.
        #expect(silent >= records.items.count)
        Attack.report(
            control: "without whole-vault integrity \(silent) changes of rows were silent losses")
    }

    @Test("are refused when columns of two rows are exchanged")
    func swaps() throws {
        let storage = try VaultDatabase.inMemory()
        let vault = try VaultUnderAttack(filling: storage, items: 20)
        let records = try Records(of: storage)
        var tried = 0
        for first in records.items.indices {
            for second in records.items.indices where second != first {
                for column in ItemColumn.allCases {
                    var variant = records
                    column.copy(from: records.items[second], to: &variant.items[first])
                    guard variant != records else { continue }
                    try variant.put(into: storage)
                    #expect(vault.answer(storage) == .refused, "\(column)")
                    tried += 1
                }
            }
        }
        #expect(tried > 20 * 19 * 4)
        Attack.report(["pairs": 20 * 19, "exchanges": tried, "accepted": 0])
    }

    @Test("are refused when they are another vault's")
    func otherVault() throws {
        let otherStorage = try VaultDatabase.inMemory()
        _ = try VaultUnderAttack(filling: otherStorage)
        let other = try Records(of: otherStorage)
        var variants = [records, records, records, records]
        variants[0].header = other.header
        variants[1].state = other.state
        variants[2].buckets = other.buckets
        variants[3].items = other.items
        // Single fields of the header: slots and their parts, wrapped keys, and the pair for backups.
        let slot = [46, 32, 32, 104, 72, 80, 32, 16]
        let sizes = [4 + 4, 16, 4 + 1] + slot + slot + [72, 72, 72, 32, 72]
        var fields = [(29, 414), (29 + 414, 414)]
        var end = 0
        for size in sizes {
            fields.append((end, size))
            end += size
        }
        #expect(end == records.header.count)
        for (offset, size) in fields {
            var variant = records
            variant.header.replaceSubrange(
                offset..<(offset + size), with: other.header[offset..<(offset + size)])
            if variant != records { variants.append(variant) }
        }
        for variant in variants {
            try variant.put(into: storage)
            #expect(vault.answer(storage) == .refused)
        }
    }

    @Test("are refused when they are an older time's, unless all of them are")
    func olderTime() throws {
        let unlocked = try vault.unlock(storage)
        try unlocked.update(TestVault.name(0), to: Samples.secret("later"))
        let later = try Records(of: storage)
        let laterContents = try TestVault.contents(of: unlocked)
        for part in 1..<15 {
            var mixed = later
            if part & 1 != 0 { mixed.header = records.header }
            if part & 2 != 0 { mixed.state = records.state }
            if part & 4 != 0 { mixed.buckets = records.buckets }
            if part & 8 != 0 {
                mixed.items = records.items
                mixed.earlier = records.earlier
            }
            // Links say nothing about what the other records hold.
            guard mixed != later, mixed.with(links: records.links) != records else { continue }
            try mixed.put(into: storage)
            #expect(vault.answer(storage) == .refused, "part \(part)")
        }
        try later.put(into: storage)
        #expect(try TestVault.contents(of: vault.unlock(storage)) == laterContents)
    }

    @Test("are refused or have no effect in a session that has verified the vault before")
    func warmSession() throws {
        for variant in try rowAttacks() {
            try records.put(into: storage)
            let session = try vault.unlock(storage)
            _ = try session.list()
            // The state record is the old one, so the session sees no foreign change: each row must still be the one it knows.
            try variant.put(into: storage)
            for (item, value) in vault.contents {
                do {
                    #expect(try Samples.bytes(session.value(of: item.name)) == value)
                } catch {
                    // That there is none would be an answer, and a wrong one.
                    #expect(error != .notFound)
                }
            }
            #expect(try Set(session.list()) == Set(vault.contents.keys))
        }
    }

    @Test("are not laundered by a write")
    func writes() throws {
        for variant in try rowAttacks() {
            try variant.put(into: storage)
            let session = try vault.unlock(storage)
            for index in 0..<60 {
                _ = try? session.save(
                    Samples.one(), as: TestVault.name(1_000 + index), .init())
            }
            for index in 0..<4 {
                _ = try? session.update(TestVault.name(index), to: Samples.two())
                _ = try? session.remove(TestVault.name(index))
            }
            #expect(throws: (any Error).self) { _ = try vault.unlock(storage).list() }
        }
    }

    private func rowAttacks() throws -> [Records] {
        var attacks: [Records] = []
        let unlocked = try vault.unlock(storage)
        for index in 0..<4 { try unlocked.update(TestVault.name(index), to: Samples.one()) }
        let newer = try Records(of: storage)
        try records.put(into: storage)
        for (index, item) in records.items.enumerated() {
            var deleted = records
            deleted.items.remove(at: index)
            attacks.append(deleted)
            var doubled = records
            var copy = item
            copy.tag[31] ^= 1
            doubled.items.append(copy)
            attacks.append(doubled)
            var replaced = records
            replaced.items[index] = newer.items[index]
            attacks.append(replaced)
            var reclassified = records
            reclassified.items[index].accessClass ^= 3
            attacks.append(reclassified)
        }
        return attacks
    }
}

/// One column of a row.
private enum ItemColumn: CaseIterable {
    case tag, itemID, accessClass, revision, attributes, value, all

    func copy(from source: ItemRecord, to target: inout ItemRecord) {
        switch self {
        case .tag: target.tag = source.tag
        case .itemID: target.itemID = source.itemID
        case .accessClass: target.accessClass = source.accessClass
        case .revision: target.revision = source.revision
        case .attributes: target.attributes = source.attributes
        case .value: target.value = source.value
        case .all:
            let tag = target.tag
            target = source
            target.tag = tag
        }
    }
}
