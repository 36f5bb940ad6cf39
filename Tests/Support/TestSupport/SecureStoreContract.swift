internal import SecretMemory
package import SecureStorage
internal import Testing

/// A store under test, with functions to bring it into its three states.
package struct StoreUnderTest: Sendable {
    package let store: any SecureStore
    package let lock: @Sendable () -> Void
    package let endVerification: @Sendable () -> Void

    package init(
        _ store: any SecureStore, lock: @escaping @Sendable () -> Void,
        endVerification: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.lock = lock
        self.endVerification = endVerification
    }
}

/// The rules for every implementation of ``SecureStore``. Each rule gets a new, empty store, unlocked and verified.
package struct SecureStoreContract: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let check: @Sendable (StoreUnderTest) throws -> Void

    init(_ sentence: String, _ check: @escaping @Sendable (StoreUnderTest) throws -> Void) {
        testDescription = sentence
        self.check = check
    }

    package static let rules = plainRules + earlierRules + entryRules

    private static let plainRules: [SecureStoreContract] = [
        SecureStoreContract("gives back what was saved, byte for byte") { subject in
            let store = subject.store
            for (index, value) in Samples.values.enumerated() {
                let name = try SecretName(service: "service", account: "account \(index)")
                try store.save(Samples.secret(value), as: name, SecretAttributes())
                #expect(try Samples.bytes(store.value(of: name)) == value)
            }
            #expect(try store.list().count == Samples.values.count)
        },
        SecureStoreContract("describes what was saved") { subject in
            let attributes = SecretAttributes(
                label: "a label", accessClass: .afterVerification,
                extra: [
                    ExtraAttribute(key: "url", text: "https://example.org\n"),
                    ExtraAttribute(key: "group", text: ""),
                ])
            let saved = try subject.store.save(Samples.one(), as: Samples.name, attributes)
            #expect(saved.name == Samples.name)
            #expect(saved.revision == 1)
            #expect(saved.created == saved.modified)
            #expect(saved.attributes.label == "a label")
            #expect(saved.attributes.accessClass == .afterVerification)
            #expect(saved.attributes.extra.map(\.key) == ["group", "url"])
            #expect(try subject.store.list() == [saved])
            try subject.store.read(Samples.name) { (item, _) throws(SecureStoreError) in
                #expect(item == saved)
            }
        },
        SecureStoreContract("refuses to save a name twice and keeps the first") { subject in
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            #expect(throws: SecureStoreError.duplicate) {
                try subject.store.save(Samples.two(), as: Samples.name, SecretAttributes())
            }
            #expect(throws: SecureStoreError.duplicate) {
                try subject.store.save(
                    Samples.two(), as: Samples.name,
                    SecretAttributes(accessClass: .afterVerification))
            }
            #expect(try Samples.bytes(subject.store.value(of: Samples.name)) == [1])
        },
        SecureStoreContract("says of a missing secret that it is missing") { subject in
            #expect(throws: SecureStoreError.notFound) {
                _ = try subject.store.value(of: Samples.name)
            }
            #expect(throws: SecureStoreError.notFound) {
                try subject.store.update(Samples.name, to: Samples.one())
            }
            #expect(throws: SecureStoreError.notFound) {
                try subject.store.edit(Samples.name, SecretEdit(label: "x"), expecting: nil)
            }
            #expect(throws: SecureStoreError.notFound) { try subject.store.remove(Samples.name) }
            #expect(throws: SecureStoreError.notFound) {
                _ = try subject.store.history(of: Samples.name)
            }
            #expect(throws: SecureStoreError.notFound) {
                try subject.store.restore(Samples.name, toRevision: 1)
            }
            #expect(try subject.store.removed().isEmpty)
            let items = try subject.store.list()
            #expect(items.isEmpty)
        },
        SecureStoreContract("describes a secret of any class, also while its value cannot be read")
        {
            subject in
            let saved = try AccessClass.allCases.map { accessClass in
                try subject.store.save(
                    Samples.one(),
                    as: SecretName(service: "service", account: "\(accessClass)"),
                    SecretAttributes(label: "label", accessClass: accessClass))
            }
            subject.endVerification()
            for item in saved { #expect(try subject.store.describe(item.name) == item) }
            #expect(throws: SecureStoreError.notFound) {
                _ = try subject.store.describe(Samples.name)
            }
        },
        SecureStoreContract("updates the value, keeps the description, counts revisions") {
            subject in
            let saved = try subject.store.save(
                Samples.one(), as: Samples.name, SecretAttributes(label: "kept"))
            let updated = try subject.store.update(Samples.name, to: Samples.two())
            #expect(updated.revision == 2)
            #expect(updated.attributes == saved.attributes)
            #expect(updated.created == saved.created)
            #expect(try Samples.bytes(subject.store.value(of: Samples.name)) == [2, 2])
            #expect(try subject.store.list() == [updated])
        },
        SecureStoreContract("refuses a change that expects another revision") { subject in
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try subject.store.update(Samples.name, to: Samples.two(), expecting: 1)
            let conflict = SecureStoreError.conflict(found: 2)
            #expect(throws: conflict) {
                try subject.store.update(Samples.name, to: Samples.one(), expecting: 1)
            }
            #expect(throws: conflict) {
                try subject.store.edit(Samples.name, SecretEdit(label: "x"), expecting: 3)
            }
            #expect(throws: conflict) { try subject.store.remove(Samples.name, expecting: 1) }
            #expect(try Samples.bytes(subject.store.value(of: Samples.name)) == [2, 2])
        },
        SecureStoreContract("edits label, class, attributes and name without the value") {
            subject in
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            let other = try SecretName(service: "other", account: "account")
            let edited = try subject.store.edit(
                Samples.name,
                SecretEdit(
                    name: other, label: "new", accessClass: .afterVerification,
                    extra: [ExtraAttribute(key: "a", text: "b")]), expecting: 1)
            #expect(edited.name == other)
            #expect(edited.revision == 2)
            #expect(edited.attributes.label == "new")
            #expect(edited.attributes.accessClass == .afterVerification)
            #expect(edited.attributes.extra == [ExtraAttribute(key: "a", text: "b")])
            #expect(try Samples.bytes(subject.store.value(of: other)) == [1])
            #expect(throws: SecureStoreError.notFound) {
                _ = try subject.store.value(of: Samples.name)
            }
            #expect(try subject.store.list() == [edited])
        },
        SecureStoreContract("refuses to rename onto another secret") { subject in
            let other = try SecretName(service: "other", account: "account")
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try subject.store.save(Samples.two(), as: other, SecretAttributes())
            #expect(throws: SecureStoreError.duplicate) {
                try subject.store.edit(Samples.name, SecretEdit(name: other), expecting: nil)
            }
            #expect(try Samples.bytes(subject.store.value(of: Samples.name)) == [1])
            #expect(try Samples.bytes(subject.store.value(of: other)) == [2, 2])
        },
        SecureStoreContract("removes, and a new save starts at revision 1") { subject in
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try subject.store.update(Samples.name, to: Samples.two())
            try subject.store.remove(Samples.name)
            #expect(throws: SecureStoreError.notFound) {
                _ = try subject.store.value(of: Samples.name)
            }
            let saved = try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            #expect(saved.revision == 1)
        },
        SecureStoreContract("takes composed and decomposed names for two") { subject in
            let composed = try SecretName(service: "caf\u{E9}", account: "a")
            let decomposed = try SecretName(service: "cafe\u{301}", account: "a")
            try subject.store.save(Samples.one(), as: composed, SecretAttributes())
            try subject.store.save(Samples.two(), as: decomposed, SecretAttributes())
            #expect(try Samples.bytes(subject.store.value(of: composed)) == [1])
            #expect(try Samples.bytes(subject.store.value(of: decomposed)) == [2, 2])
            #expect(try subject.store.list().count == 2)
        },
        SecureStoreContract("tells service, account and field apart") { subject in
            let first = try SecretName(service: "ab", account: "c")
            let second = try SecretName(service: "a", account: "bc")
            try subject.store.save(Samples.one(), as: first, SecretAttributes())
            try subject.store.save(Samples.two(), as: second, SecretAttributes())
            #expect(try Samples.bytes(subject.store.value(of: second)) == [2, 2])
            let notes = try SecretName(service: "a", account: "bc", field: "notes")
            #expect(throws: SecureStoreError.notFound) {
                _ = try subject.store.value(of: notes)
            }
            try subject.store.save(Samples.one(), as: notes, SecretAttributes())
            #expect(try Samples.bytes(subject.store.value(of: second)) == [2, 2])
            #expect(try subject.store.list().map(\.name) == [notes, second, first])
            let moved = try SecretName(service: "a", account: "bc", field: "pin")
            try subject.store.edit(notes, SecretEdit(name: moved), expecting: nil)
            #expect(try subject.store.describe(moved).name.field == "pin")
            #expect(try subject.store.list().map(\.name.field) == ["password", "pin", "password"])
        },
        SecureStoreContract("lists by the bytes of the names") { subject in
            for service in ["b", "a", "Z", "ä", "ab"] {
                let name = try SecretName(service: service, account: "x")
                try subject.store.save(Samples.one(), as: name, SecretAttributes())
            }
            #expect(
                try subject.store.list().map(\.name.service) == ["Z", "a", "ab", "b", "ä"])
        },
        SecureStoreContract("holds to the limits") { subject in
            let limit = SecretLimits.maximumValueSize
            let largest = [UInt8](repeating: 7, count: limit)
            try subject.store.save(Samples.secret(largest), as: Samples.name, SecretAttributes())
            #expect(try Samples.bytes(subject.store.value(of: Samples.name)) == largest)
            let tooLarge = SecureStoreError.tooLarge(maximum: limit)
            let other = try SecretName(service: "other", account: "a")
            #expect(throws: tooLarge) {
                try subject.store.save(
                    Samples.secret(largest + [7]), as: other, SecretAttributes())
            }
            #expect(throws: tooLarge) {
                try subject.store.update(Samples.name, to: Samples.secret(largest + [7]))
            }
            let text = String(repeating: "x", count: SecretAttributes.maximumSize)
            #expect(throws: SecureStoreError.tooLarge(maximum: SecretAttributes.maximumSize)) {
                try subject.store.save(
                    Samples.one(), as: other,
                    SecretAttributes(extra: [ExtraAttribute(key: "k", text: text)]))
            }
            let line = String(repeating: "l", count: 1_025)
            #expect(throws: SecureStoreError.invalidName(field: "label", .tooLong(maximum: 1_024)))
            {
                try subject.store.save(Samples.one(), as: other, SecretAttributes(label: line))
            }
            #expect(throws: SecureStoreError.invalidName(field: "attribute", .repeated)) {
                try subject.store.save(
                    Samples.one(), as: other,
                    SecretAttributes(extra: [
                        ExtraAttribute(key: "k", text: "1"), ExtraAttribute(key: "k", text: "2"),
                    ]))
            }
            #expect(try subject.store.list().count == 1)
        },
        SecureStoreContract("needs verification for protected values only") { subject in
            let open = try SecretName(service: "open", account: "a")
            try subject.store.save(Samples.one(), as: open, SecretAttributes())
            try subject.store.save(
                Samples.one(), as: Samples.name, SecretAttributes(accessClass: .afterVerification))
            subject.endVerification()
            let notVerified = SecureStoreError.notVerified
            #expect(throws: notVerified) { _ = try subject.store.value(of: Samples.name) }
            #expect(throws: notVerified) {
                try subject.store.update(Samples.name, to: Samples.two())
            }
            #expect(throws: notVerified) {
                try subject.store.edit(Samples.name, SecretEdit(label: "x"), expecting: nil)
            }
            #expect(throws: notVerified) {
                try subject.store.edit(
                    open, SecretEdit(accessClass: .afterVerification), expecting: nil)
            }
            #expect(throws: notVerified) {
                try subject.store.save(
                    Samples.one(), as: SecretName(service: "new", account: "a"),
                    SecretAttributes(accessClass: .afterVerification))
            }
            #expect(try Samples.bytes(subject.store.value(of: open)) == [1])
            try subject.store.update(open, to: Samples.two())
            #expect(try subject.store.list().map(\.name.service) == ["open", "service"])
            try subject.store.remove(Samples.name)
            #expect(try subject.store.list().map(\.name.service) == ["open"])
        },
        SecureStoreContract("reads many in their order, and passes over what is missing") {
            subject in
            let store = subject.store
            let names = try (0..<300).map { try SecretName(service: "many", account: "\($0)") }
            for (place, name) in names.enumerated() where place % 3 != 1 {
                try store.save(
                    Samples.secret([UInt8(place % 251)]), as: name, SecretAttributes())
            }
            let wanted = names.reversed() + [names[0]]
            var read: [Int] = []
            try store.readEach(wanted) { (place, item, value) in
                #expect(item.name == wanted[place])
                let number = Int(item.name.account) ?? 0
                #expect(Samples.bytes(value) == [UInt8(number % 251)])
                read.append(place)
            }
            #expect(read == wanted.indices.filter { $0 == 300 || (299 - $0) % 3 != 1 })
            try store.readEach([]) { (_, _, _) in Issue.record("nothing was asked for") }
        },
        SecureStoreContract("reads many up to the first that it cannot read, and goes on working") {
            subject in
            let store = subject.store
            let names = try (0..<9).map { try SecretName(service: "many", account: "\($0)") }
            for (place, name) in names.enumerated() {
                try store.save(
                    Samples.one(), as: name,
                    SecretAttributes(accessClass: place < 4 ? .whileUnlocked : .afterVerification))
            }
            var read: [Int] = []
            #expect(throws: SecureStoreError.duplicate) {
                try store.readEach(names) { (place, _, _) throws(SecureStoreError) in
                    if place == 2 { throw .duplicate }
                    read.append(place)
                }
            }
            subject.endVerification()
            #expect(throws: SecureStoreError.notVerified) {
                try store.readEach(names) { (place, _, _) in read.append(place) }
            }
            #expect(read == [0, 1, 0, 1, 2, 3])
            #expect(try Samples.bytes(store.value(of: names[0])) == [1])
            subject.lock()
            #expect(throws: SecureStoreError.locked) { try store.readEach(names) { _, _, _ in } }
        },
        SecureStoreContract("refuses everything while locked, whatever the arguments") { subject in
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            subject.lock()
            let huge = [UInt8](repeating: 0, count: SecretLimits.maximumValueSize + 1)
            let missing = try SecretName(service: "missing", account: "a")
            let locked = SecureStoreError.locked
            for name in [Samples.name, missing] {
                #expect(throws: locked) { _ = try subject.store.value(of: name) }
                #expect(throws: locked) { _ = try subject.store.describe(name) }
                #expect(throws: locked) {
                    try subject.store.save(
                        Samples.secret(huge), as: name,
                        SecretAttributes(label: "\n", accessClass: .afterVerification))
                }
                #expect(throws: locked) {
                    try subject.store.update(name, to: Samples.secret(huge), expecting: 9)
                }
                #expect(throws: locked) {
                    try subject.store.edit(name, SecretEdit(label: "\n"), expecting: 9)
                }
                #expect(throws: locked) { try subject.store.remove(name, expecting: 9) }
                #expect(throws: locked) {
                    try subject.store.remove(name, expecting: nil, permanently: true)
                }
                #expect(throws: locked) { _ = try subject.store.history(of: name) }
                #expect(throws: locked) { try subject.store.restore(name, toRevision: 0) }
                #expect(throws: locked) { try subject.store.restore(removed: [], as: name) }
            }
            #expect(throws: locked) { _ = try subject.store.list() }
            #expect(throws: locked) { _ = try subject.store.removed() }
        },
        SecureStoreContract("passes on what a reader throws, and goes on working") { subject in
            try subject.store.save(Samples.one(), as: Samples.name, SecretAttributes())
            #expect(throws: SecureStoreError.conflict(found: 77)) {
                try subject.store.read(Samples.name) { (_, _) throws(SecureStoreError) in
                    throw .conflict(found: 77)
                }
            }
            #expect(try Samples.bytes(subject.store.value(of: Samples.name)) == [1])
        },
    ]
}
