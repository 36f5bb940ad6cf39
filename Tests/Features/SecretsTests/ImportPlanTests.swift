import SecretMemory
@testable import Secrets
import SecureStorage
import Testing

@Suite("Imports beside what exists")
struct ImportPlanTests {
    private let store = MemorySecureStore(now: { 0 })

    /// Imports a file into the store as the command does, and returns the report.
    @discardableResult
    private func bring(
        _ text: String, replacing isReplacing: Bool = false, as named: AccessClass? = nil
    ) throws -> ImportReport {
        let source = try SecretImport(guarded(Array(text.utf8)))
        let plan = try source.plan(for: store, replacing: isReplacing, as: named)
        for step in plan.changes { try store.change(step) }
        return try source.deliver(plan) { secret, value in
            do {
                try store.save(value, as: secret.name, secret.attributes)
            } catch SecureStoreError.duplicate where isReplacing {
                let edit = SecretEdit(
                    label: secret.attributes.label, accessClass: secret.attributes.accessClass,
                    extra: secret.attributes.extra)
                try store.update(secret.name, to: value, edit, expecting: nil)
            }
        }
    }

    private func save(
        _ value: String, _ account: String, _ field: String = SecretName.standardField,
        _ attributes: SecretAttributes = SecretAttributes()
    ) throws {
        let name = try SecretName(service: "a", account: account, field: field)
        try store.save(guarded(Array(value.utf8)), as: name, attributes)
    }

    /// The values, such as `ada notes: x`.
    private var content: [String] {
        get throws {
            try SecretEntry.entries(of: store.list()).flatMap(\.fields).map { item in
                let value = try store.value(of: item.name)
                let place =
                    item.name.isStandard
                    ? item.name.account : "\(item.name.account) \(item.name.field)"
                return "\(place): " + String(decoding: bytes(of: value), as: UTF8.self)
            }
        }
    }

    private static func table(_ rows: String...) -> String {
        "title,url,username,password,notes\n" + rows.map { $0 + "\n" }.joined()
    }

    @Test("A file is imported again without copies, also with a record more and in another order")
    func again() throws {
        try bring(Self.table("a,,bob,1,", "a,,bob,2,n"))
        #expect(try content == ["bob: 1", "bob (2): 2", "bob (2) notes: n"])
        let same = try bring(Self.table("a,,bob,2,n", "a,,bob,1,"))
        #expect(same.imported == 0 && same.kinds.isEmpty && same.nameChanges.isEmpty)
        #expect(
            same.skipped == [.init(line: 2, .exists(.same)), .init(line: 3, .exists(.same))])
        let more = try bring(Self.table("a,,bob,3,", "a,,bob,1,", "a,,bob,2,n"))
        #expect(more.imported == 1 && more.kinds == [.login: 1])
        #expect(more.nameChanges == [.init(line: 2, .numbered)])
        #expect(
            more.skipped == [.init(line: 3, .exists(.same)), .init(line: 4, .exists(.same))])
        #expect(try content == ["bob: 1", "bob (2): 2", "bob (2) notes: n", "bob (3): 3"])
    }

    @Test("Entries of one password are told apart by their other values")
    func samePassword() throws {
        try bring(Self.table("a,,bob,1,x", "a,,bob,1,y"))
        let report = try bring(Self.table("a,,bob,1,y", "a,,bob,1,x"))
        #expect(report.skipped.map(\.subject) == [.exists(.same), .exists(.same)])
    }

    @Test("Accounts of one name keep what is theirs when their passwords change")
    func newPasswords() throws {
        let (one, two) = ("https://one.example", "https://two.example")
        try bring(Self.table("a,\(one),bob,1,of one", "a,\(two),bob,2,"))
        try bring(Self.table("a,\(two),bob,20,", "a,\(one),bob,10,of one"), replacing: true)
        #expect(try content == ["bob: 10", "bob notes: of one", "bob (2): 20"])
        // The first one is no longer in the file.
        try bring(Self.table("a,\(two),bob,30,"), replacing: true)
        #expect(try content == ["bob: 10", "bob notes: of one", "bob (2): 30"])
    }

    @Test("A record with other values is one line, and nothing of it is imported")
    func different() throws {
        try bring(Self.table("a,,bob,1,n"))
        let file = Self.table("a,,bob,2,new", "b,,eve,3,")
        let report = try bring(file)
        #expect(report.imported == 1 && report.kinds == [.login: 1])
        #expect(report.skipped == [.init(line: 2, .exists(.different))])
        #expect(try content == ["bob: 1", "bob notes: n", "eve: 3"])
        // The same password: notes differ.
        #expect(
            try bring(Self.table("a,,bob,1,new")).skipped == [.init(line: 2, .exists(.different))])
        #expect(try bring(file, replacing: true).imported == 3)
        #expect(try content == ["bob: 2", "bob notes: new", "eve: 3"])
    }

    @Test("The record with the password of an entry replaces it, before one of another password")
    func replacing() throws {
        try bring(Self.table("a,,bob,1,", "a,,bob,2,"))
        try bring(Self.table("a,,bob,2,new", "a,,bob,3,"), replacing: true)
        #expect(try content == ["bob: 3", "bob (2): 2", "bob (2) notes: new"])
    }

    @Test("Fields of the owner's own do not make an entry another one")
    func ownFields() throws {
        try bring(Self.table("a,,bob,1,"))
        try save("mine", "bob", "pin")
        #expect(
            try bring(Self.table("a,,bob,1,")).skipped == [.init(line: 2, .exists(.same))])
    }

    @Test("A protected value that cannot be read now is not compared")
    func unverified() throws {
        try save("1", "bob", SecretName.standardField, .init(accessClass: .afterVerification))
        try save("2", "eve")
        store.endVerification()
        let report = try bring(Self.table("a,,bob,1,", "a,,eve,2,"))
        #expect(
            report.skipped == [
                .init(line: 2, .exists(.unknown)), .init(line: 3, .exists(.attributesDiffer)),
            ])
    }

    @Test("An entry whose number is beyond a gap is found")
    func gap() throws {
        try bring(Self.table("a,,bob,1,", "a,,bob,2,", "a,,bob,3,"))
        try store.remove(SecretName(service: "a", account: "bob (2)"))
        let report = try bring(Self.table("a,,bob,3,"), replacing: true)
        #expect(report.nameChanges.count == 1)
        #expect(try content == ["bob: 1", "bob (3): 3"])
    }

    @Test("A field that is too large was not imported, and is not said to be there the next time")
    func tooLarge() throws {
        let text = Self.table(
            "a,,bob,1," + String(repeating: "x", count: SecretLimits.maximumValueSize + 1))
        try bring(text)
        #expect(try content == ["bob: 1"])
        #expect(try bring(text).skipped == [.init(line: 2, .exists(.different))])
    }

    @Test("Another address or class is said, with the same values")
    func description() throws {
        try bring(Self.table("a,https://one.example,bob,1,"))
        let moved = try bring(Self.table("a,https://two.example,bob,1,"))
        #expect(moved.skipped == [.init(line: 2, .exists(.attributesDiffer))])
        let same = Self.table("a,https://one.example,bob,1,")
        #expect(try bring(same).skipped == [.init(line: 2, .exists(.same))])
        let raised = try bring(same, as: .afterVerification)
        #expect(raised.skipped == [.init(line: 2, .exists(.attributesDiffer))])
    }

    @Test(
        "An entry has one class after an import",
        arguments: [AccessClass?.none] + AccessClass.allCases)
    func classes(named: AccessClass?) throws {
        for (account, old) in [("bob", AccessClass.whileUnlocked), ("eve", .afterVerification)] {
            try save("1", account, SecretName.standardField, .init(accessClass: old))
            try save("p", account, "pin", .init(accessClass: old))
        }
        try bring(Self.table("a,,bob,2,n", "a,,eve,2,n"), replacing: true, as: named)
        for account in ["bob", "eve"] {
            let classes = try store.list().filter { $0.name.account == account }
                .map(\.attributes.accessClass)
            let expected = named ?? (account == "eve" ? .afterVerification : .whileUnlocked)
            #expect(classes == [expected, expected, expected])
        }
    }

    @Test("TaskVault's own file does not mix classes either")
    func ownFormat() throws {
        try save("p", "bob", "pin")
        try save("p", "eve", "pin", .init(accessClass: .afterVerification))
        let time = "2026-03-01T09:05:00.120Z"
        func row(_ account: String, _ accessClass: String) -> String {
            "a,\(account),password,,\(accessClass),\(time),\(time),1,text,[]\n"
        }
        try bring(
            "service,account,field,label,class,created,modified,value,value_encoding,extra\n"
                + row("bob", "after-verification") + row("eve", "while-unlocked"))
        #expect(try content == ["bob: 1", "bob pin: p", "eve: 1", "eve pin: p"])
        #expect(
            try Set(store.list().map(\.attributes.accessClass)) == [.afterVerification])
    }

    @Test("A replaced entry has label, tags and address of the file, the address in one place")
    func address() throws {
        let old = SecretAttributes(
            label: "Old", extra: [ExtraAttribute(key: "url", text: "https://old.example/")])
        try save("1", "bob", SecretName.standardField, old)
        try save("https://old.example/", "bob", "url", old)
        try save("p", "bob", "pin", old)
        try bring(Self.table("a,https://new.example/,bob,2,"), replacing: true)
        #expect(try content == ["bob: 2", "bob pin: p", "bob url: https://new.example/"])
        for item in try store.list() {
            #expect(item.attributes.label == "a")
            let addresses = item.name.isAddress ? ["https://new.example/"] : []
            #expect(item.attributes.addresses == addresses && item.attributes.extra.count < 2)
        }
        let same = try bring(Self.table("a,https://new.example/,bob,2,"))
        #expect(same.skipped == [.init(line: 2, .exists(.same))])
        let moved = try bring(Self.table("a,https://other.example/,bob,2,"))
        #expect(moved.skipped == [.init(line: 2, .exists(.attributesDiffer))])
        // A secret address, which is a field.
        try bring(Self.table("a,https://u:p@c.example/,bob,2,"), replacing: true)
        #expect(try content == ["bob: 2", "bob pin: p", "bob url: https://u:p@c.example/"])
        #expect(try store.list().allSatisfy { $0.attributes.extra.isEmpty })
        // Without one in the file it stays.
        try bring(Self.table("a,,bob,3,"), replacing: true)
        #expect(try content == ["bob: 3", "bob pin: p", "bob url: https://u:p@c.example/"])
    }

    /// The number of names that the import of a table would try.
    private func triedNames(_ text: String) throws -> Int {
        try SecretImport(guarded(Array(text.utf8))).plan(for: store).triedNames
    }

    @Test("Each of 500 records of one name is looked up once and tries one name")
    func manyOfOneName() throws {
        let rows = (0..<500).map { "a,,bob,\($0),\n" }
        let head = "title,url,username,password,notes\n"
        // Each but the first tries the name without a number, and one number.
        #expect(try triedNames(head + rows.joined()) == 999)
        #expect(try bring(head + rows.joined()).imported == 500)
        let reversed = head + rows.reversed().joined()
        #expect(try triedNames(reversed) == 1_000)
        let again = try bring(reversed)
        #expect(again.imported == 0)
        #expect(again.skipped.allSatisfy { $0.subject == .exists(.same) })
    }

    @Test("A file that chose its names makes the next import try no more of them")
    func chosenNames() throws {
        // Any number at the end of a name.
        let rows = (0..<600).map { "b\($0),,u\($0),\($0),\n" }
        try bring(Self.table("a,,x (1000000000),1,", "a,,x (9),1,", "a,,x (010),1,"))
        let head = "title,url,username,password,notes\n"
        #expect(try bring(head + rows.joined()).imported == 600)
        let tried = try triedNames(head + rows.joined())
        #expect(tried <= 4 * rows.count)
        #expect(try bring(head + rows.joined()).imported == 0)
        let same = Self.table("a,,x,1,", "a,,x,1,", "a,,x,1,")
        let triedAgain = try triedNames(same)
        // Each stored record is looked at once.
        #expect(triedAgain <= rows.count + 64)
        #expect(try bring(same).imported == 1)
        // Long names that differ only where a number cuts them.
        let long = String(repeating: "x", count: 1_014)
        let cut = (0..<300).map { number in
            let row = "a,,\(long)\(number + 1_000_000),\(number),\n"
            return row + row
        }
        #expect(try bring(head + cut.joined()).imported == 600)
        let triedCut = try triedNames(head + cut.joined())
        #expect(triedCut <= 8 * 600)
        #expect(try bring(head + cut.joined()).imported == 0)
    }

    // The store keeps each value in guarded memory of its own: four mappings of the 65,530 that a process may have.
    @Test("2,000 fields of one entry are imported, and found again")
    func manyFields() throws {
        let time = "2026-03-01T09:05:00.120Z"
        let head =
            "service,account,field,label,class,created,modified,value,value_encoding,extra\n"
        let rows = (0..<2_000).map {
            "a,bob,f\($0),,while-unlocked,\(time),\(time),1,text,[]\n"
        }
        #expect(try bring(head + rows.joined()).imported == 2_000)
        #expect(try bring(head + rows.joined()).imported == 0)
    }
}

extension SecretName {
    fileprivate var isStandard: Bool { field == Self.standardField }
}
