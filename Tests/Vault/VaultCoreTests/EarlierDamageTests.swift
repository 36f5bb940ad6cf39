@testable import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Attacks on earlier rows, without the keys and with them.
@Suite("Changed earlier rows")
struct EarlierDamageTests {
    private let storage: VaultDatabase
    /// Without a rollback record of the states that were put back.
    private var environment: VaultEnvironment { TestVault.environment() }
    private let records: Records

    init() throws {
        storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        try TestVault.fill(vault, count: 4)
        for index in 0..<3 { try vault.update(TestVault.name(index), to: Samples.one()) }
        try vault.remove(TestVault.name(1))
        records = try Records(of: storage)
        #expect(records.earlier.count == 4)
    }

    /// The failure of reading everything that an earlier row says.
    private func failure(_ storage: any RecordStorage) -> SecureStoreError? {
        do throws(SecureStoreError) {
            let vault = try unlock(storage)
            _ = try vault.removed()
            return nil
        } catch {
            return error
        }
    }

    private func unlock(_ storage: any RecordStorage) throws(SecureStoreError) -> UnlockedVault {
        do {
            return try TestVault.unlock(storage, environment)
        } catch {
            throw SecureStoreError(VaultError(translating: error))
        }
    }

    @Test("are refused for a flipped bit, and leave the items readable")
    func bits() throws {
        let all = records.earlier.indices.flatMap { row in
            Column.allCases.flatMap { column in
                // The highest bit of a revision cannot be stored.
                (0..<(column.size(of: records.earlier[row]) * 8))
                    .filter { column != .revision || $0 < 63 }.map { (row, column, $0) }
            }
        }
        #expect(all.count > 10_000)
        let flips = Attack.sample(Records.flips, of: all.count)
        for (row, column, bit) in flips.map({ all[$0] }) {
            var variant = records
            column.flip(bit, of: &variant.earlier[row])
            try variant.put(into: storage)
            let failure = failure(storage)
            #expect(
                [
                    .damaged(failure: "bucket_rows"), .damaged(failure: "row_shape"),
                    .damaged(failure: "row_format"),
                ].contains(failure), "\(column) \(bit): \(String(describing: failure))")
        }
        Attack.report(["earlier-bits": flips.count, "refused": flips.count])
        #expect(try unlock(storage).list().count == 3)
        try records.put(into: storage)
        #expect(failure(storage) == nil)
    }

    @Test("are refused when one is gone, doubled, of another item or from another time")
    func rows() throws {
        let vault = try unlock(storage)
        try vault.update(TestVault.name(2), to: Samples.two())
        let later = try Records(of: storage)
        var variants: [Records] = []
        for index in records.earlier.indices {
            var gone = records
            gone.earlier.remove(at: index)
            variants.append(gone)
            var doubled = records
            doubled.earlier[index].revision += 100
            doubled.earlier.append(records.earlier[index])
            variants.append(doubled)
            for other in records.earlier.indices where other != index {
                var exchanged = records
                exchanged.earlier[index].moved = records.earlier[other].moved
                variants.append(exchanged)
                exchanged.earlier[index].moved = records.earlier[index].moved
                exchanged.earlier[index].value = records.earlier[other].value
                variants.append(exchanged)
            }
        }
        var newer = records
        newer.earlier = later.earlier
        variants.append(newer)
        for variant in variants {
            try variant.put(into: storage)
            #expect(failure(storage) == .damaged(failure: "bucket_rows"))
            // A write into the bucket does not launder it.
            let session = try unlock(storage)
            for index in [0, 2, 3] {
                _ = try? session.update(TestVault.name(index), to: Samples.secret("new"))
            }
            #expect(failure(storage) == .damaged(failure: "bucket_rows"))
        }
    }

    @Test("a reader finds a row that is shown twice in place of another")
    func repeated() throws {
        let vault = try unlock(storage)
        for number in 0..<5 { try vault.update(TestVault.name(0), to: Samples.secret("\(number)")) }
        let hooked = HookedStorage(storage)
        let other = try TestVault.unlock(hooked, environment)
        for _ in 0..<2 {
            hooked.set { $0.repeatsRows = true }
            #expect(throws: SecureStoreError.damaged(failure: "row_shape")) {
                _ = try other.removed()
            }
            hooked.set { $0.repeatsRows = false }
            #expect(try other.removed().count == 1)
        }
    }

    /// A row that a holder of the keys made wrong, with the sums that go with it.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let failure: FormatFailure
        let change: @Sendable (inout EarlierRecord, VaultSession) throws -> Void

        var testDescription: String { failure.rawValue }

        static let all = [
            Forgery(failure: .movedSeal) { row, _ in row.moved[30] ^= 1 },
            Forgery(failure: .movedContent) { row, session in
                row.moved = Sealing.seal(
                    unsafe ([UInt8](repeating: 0, count: 8) + [2]).span.bytes,
                    under: session.keys.attribute,
                    session.context(.moved, row.itemID, row.accessClass, row.revision),
                    random: .system)
            },
            Forgery(failure: .attributesSeal) { row, _ in row.attributes[30] ^= 1 },
            Forgery(failure: .attributesContent) { row, session in
                row.attributes = try Sealing.sealPadded(
                    unsafe [UInt8](repeating: 0, count: 40).span.bytes,
                    under: session.keys.attribute,
                    session.context(.attributes, row.itemID, row.accessClass, row.revision),
                    random: .system)
            },
            Forgery(failure: .valueSeal) { row, _ in row.value[30] ^= 1 },
            Forgery(failure: .valueTooLarge) { row, session in
                row.value = try Sealing.sealPadded(
                    unsafe [UInt8](repeating: 0, count: SecretLimits.maximumValueSize + 1).span
                        .bytes,
                    under: try session.valueKey(.whileUnlocked).key,
                    session.context(.value, row.itemID, row.accessClass, row.revision),
                    random: .system)
            },
        ]
    }

    @Test("are found and named by a full check, with their item", arguments: Forgery.all)
    func named(forgery: Forgery) throws {
        let vault = try unlock(storage)
        let name = try TestVault.name(2)
        let id = try vault.history(of: name)[0].id
        try vault.use { session in
            try session.write { changes in
                let key = RowKey(itemID: id, revision: 1)
                guard var row = try changes.earlier(key) else { return }
                try changes.remove(row)
                try forgery.change(&row, session)
                try changes.insert(row)
            }
        }
        let report = try vault.check()
        #expect(report.problems.map(\.failure) == [forgery.failure])
        #expect(report.problems[0].bucket == 256 + Int(id[0]))
        let isOfValue = [.valueSeal, .valueTooLarge].contains(forgery.failure)
        #expect(report.problems[0].item == (isOfValue ? name : nil))
        #expect(report.soundItems == 3)
        #expect(report.soundEarlier == 3)
        let outcome = try LockedVault(storage, environment)
            .authenticateForRepair(with: TestVault.secret()).repair()
        #expect(outcome.kept == 3 && outcome.removed == 1)
        let repaired = try unlock(storage)
        #expect(try repaired.check().problems.isEmpty)
        #expect(try repaired.check().soundEarlier == 3)
        #expect(try repaired.removed().count == 1)
    }

    @Test("that are not in the sums are found and named by a full check, and by a list")
    func counts() throws {
        var variants: [(FormatFailure, Records)] = []
        var wrongFormat = records
        wrongFormat.earlier[0].format = 1
        variants.append((.rowFormat, wrongFormat))
        var wrongShape = records
        wrongShape.earlier[0].moved.append(0)
        variants.append((.rowShape, wrongShape))
        var gone = records
        gone.earlier.removeAll()
        variants.append((.bucketRows, gone))
        for (failure, variant) in variants {
            try variant.put(into: storage)
            let problems = try unlock(storage).check().problems
            #expect(problems.contains { $0.failure == failure })
            #expect(problems.allSatisfy { ($0.bucket ?? 256) >= 256 })
            #expect(self.failure(storage) == .damaged(failure: failure.rawValue))
        }
        try records.put(into: storage)
        // The sums agree, and the state's number does not.
        let vault = try unlock(storage)
        try vault.use { session in
            try session.write { changes in changes.state.earlierCount += 1 }
        }
        #expect(failure(storage) == .damaged(failure: "earlier_count"))
        #expect(try unlock(storage).list().count == 3)
        #expect(try unlock(storage).check().problems.map(\.failure) == [.earlierCount])
    }

    @Test("of over 4 MiB are refused before they are read")
    func tooLarge() throws {
        var variant = records
        variant.earlier[0].value = [UInt8](repeating: 0, count: 4 * 1_024 * 1_024 + 1)
        // A server may show what no file holds.
        let shown = ShownStorage()
        try variant.put(into: shown)
        #expect(failure(shown) == .damaged(failure: "row_shape"))
        #expect(try unlock(shown).list().count == 3)
        #expect(try unlock(shown).check().problems.map(\.failure) == [.rowShape])
    }

    @Test("cost no more than their bucket: another item is read and written")
    func elsewhere() throws {
        var variant = records
        let damaged = variant.earlier[0]
        variant.earlier[0].value[0] ^= 1
        try variant.put(into: storage)
        let vault = try unlock(storage)
        for index in [0, 2, 3] {
            let name = try TestVault.name(index)
            _ = try vault.value(of: name)
            let row = try #require(
                try Records(of: storage).items.first { row in
                    try vault.use { $0.tag(of: name) } == row.tag
                })
            if row.itemID[0] == damaged.itemID[0] {
                #expect(throws: SecureStoreError.damaged(failure: "bucket_rows")) {
                    try vault.update(name, to: Samples.two())
                }
            } else {
                try vault.update(name, to: Samples.two())
            }
        }
        try TestVault.fillOne(vault, 50)
    }

    /// The columns, for flipping bits.
    private enum Column: CaseIterable {
        case itemID, accessClass, revision, format, attributes, value, moved

        func size(of row: EarlierRecord) -> Int {
            switch self {
            case .itemID: row.itemID.count
            case .accessClass: 1
            case .revision: 8
            case .format: 4
            case .attributes: row.attributes.count
            case .value: row.value.count
            case .moved: row.moved.count
            }
        }

        func flip(_ bit: Int, of row: inout EarlierRecord) {
            let mask = UInt8(1) << UInt8(bit % 8)
            switch self {
            case .itemID: row.itemID[bit / 8] ^= mask
            case .accessClass: row.accessClass ^= mask
            case .revision: row.revision ^= 1 << UInt64(bit)
            case .format: row.format ^= 1 << UInt32(bit)
            case .attributes: row.attributes[bit / 8] ^= mask
            case .value: row.value[bit / 8] ^= mask
            case .moved: row.moved[bit / 8] ^= mask
            }
        }
    }
}
