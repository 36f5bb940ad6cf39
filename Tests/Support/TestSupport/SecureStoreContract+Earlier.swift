internal import SecretMemory
internal import SecureStorage
internal import Testing

extension SecureStoreContract {
    /// The rules for earlier values and removed secrets, with the standard ``EarlierRetention``.
    static let earlierRules: [SecureStoreContract] = [
        SecureStoreContract("keeps replaced values, and restores one as the next revision") {
            subject in
            let store = subject.store
            try store.save(Samples.one(), as: Samples.name, SecretAttributes(label: "first"))
            #expect(try store.history(of: Samples.name).isEmpty)
            let edit = SecretEdit(label: "second")
            try store.update(Samples.name, to: Samples.two(), edit, expecting: 1)
            try store.update(Samples.name, to: Samples.secret("three"))
            let history = try store.history(of: Samples.name)
            #expect(history.map(\.item.revision) == [2, 1])
            #expect(history.map(\.item.attributes.label) == ["second", "first"])
            #expect(Set(history.map(\.id)).count == 1)
            let restored = try store.restore(Samples.name, toRevision: 1)
            #expect(restored.revision == 4)
            #expect(restored.attributes.label == "second", "only the value comes back")
            #expect(try Samples.bytes(store.value(of: Samples.name)) == [1])
            #expect(try store.history(of: Samples.name).map(\.item.revision) == [3, 2, 1])
            for revision in [0, 4, 5, .max] as [UInt64] {
                #expect(throws: SecureStoreError.notFound) {
                    try store.restore(Samples.name, toRevision: revision)
                }
            }
            #expect(try store.list() == [restored])
        },
        SecureStoreContract("restores the addresses of a field `url` with its value") { subject in
            let store = subject.store
            let name = try Samples.name.with(field: ExtraAttribute.url)
            func attributes(_ address: String) -> [ExtraAttribute] {
                [ExtraAttribute(key: "tags", text: "t"), ExtraAttribute(key: "url", text: address)]
            }
            try store.save(Samples.secret("a"), as: name, SecretAttributes(extra: attributes("a")))
            try store.update(
                name, to: Samples.secret("b"), SecretEdit(extra: attributes("b")), expecting: nil)
            try store.update(
                name, to: Samples.secret("u:p@c"), SecretEdit(extra: []), expecting: nil)
            let second = try store.restore(name, toRevision: 2)
            #expect(second.attributes.extra == [ExtraAttribute(key: "url", text: "b")])
            try store.edit(name, SecretEdit(extra: attributes("b")), expecting: nil)
            #expect(try store.restore(name, toRevision: 1).attributes.extra == attributes("a"))
            #expect(try store.restore(name, toRevision: 3).attributes.addresses.isEmpty)
            #expect(try store.describe(name).attributes.tags == ["t"])
        },
        SecureStoreContract("makes an earlier value only of one that differs") { subject in
            let store = subject.store
            try store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try store.update(Samples.name, to: Samples.one())
            try store.edit(Samples.name, SecretEdit(label: "l"), expecting: nil)
            try store.edit(
                Samples.name, SecretEdit(extra: [ExtraAttribute(key: "k", text: "t")]),
                expecting: nil)
            #expect(try store.history(of: Samples.name).isEmpty)
            try store.update(Samples.name, to: Samples.two())
            #expect(try store.history(of: Samples.name).map(\.item.revision) == [4])
        },
        SecureStoreContract("reads an earlier value and changes nothing") { subject in
            let store = subject.store
            func earlier(_ revision: UInt64) throws -> [UInt8] {
                try store.readEarlier(Samples.name, revision: revision) {
                    (item, value) throws(SecureStoreError) in
                    #expect(item.revision == revision)
                    return Samples.bytes(value)
                }
            }
            #expect(throws: SecureStoreError.notFound) { _ = try earlier(1) }
            try store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try store.update(Samples.name, to: Samples.two())
            try store.update(Samples.name, to: Samples.one())
            #expect(try earlier(1) == Samples.bytes(Samples.one()))
            #expect(try earlier(2) == Samples.bytes(Samples.two()))
            for revision in [0, 3, 9] as [UInt64] {
                #expect(throws: SecureStoreError.notFound) { _ = try earlier(revision) }
            }
            #expect(try store.history(of: Samples.name).map(\.item.revision) == [2, 1])
            #expect(try store.describe(Samples.name).revision == 3)
        },
        SecureStoreContract("keeps earlier values of a secret under its new name") { subject in
            let store = subject.store
            let other = try SecretName(service: "other", account: "a", field: "pin")
            try store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try store.update(Samples.name, to: Samples.two())
            try store.edit(Samples.name, SecretEdit(name: other), expecting: nil)
            let history = try store.history(of: other)
            #expect(history.map(\.item.name) == [Samples.name], "the name that it had then")
            #expect(throws: SecureStoreError.notFound) { _ = try store.history(of: Samples.name) }
            try store.save(Samples.one(), as: Samples.name, SecretAttributes())
            #expect(try store.history(of: Samples.name).isEmpty)
            try store.restore(other, toRevision: 1)
            #expect(try Samples.bytes(store.value(of: other)) == [1])
            #expect(try store.describe(other).name == other)
        },
        SecureStoreContract("keeps the ten newest earlier values") { subject in
            let store = subject.store
            try store.save(Samples.secret("0"), as: Samples.name, SecretAttributes())
            for number in 1...14 {
                try store.update(Samples.name, to: Samples.secret("\(number)"))
            }
            let history = try store.history(of: Samples.name)
            #expect(history.map(\.item.revision) == (5...14).reversed())
            try store.restore(Samples.name, toRevision: 5)
            #expect(try Samples.bytes(store.value(of: Samples.name)) == Array("4".utf8))
            #expect(throws: SecureStoreError.notFound) {
                try store.restore(Samples.name, toRevision: 4)
            }
        },
        SecureStoreContract("brings back a removed secret with its revision and its history") {
            subject in
            let store = subject.store
            try store.save(Samples.one(), as: Samples.name, SecretAttributes(label: "l"))
            let last = try store.update(Samples.name, to: Samples.two())
            try store.remove(Samples.name)
            #expect(throws: SecureStoreError.notFound) {
                _ = try store.value(of: Samples.name)
            }
            #expect(throws: SecureStoreError.notFound) { _ = try store.history(of: Samples.name) }
            let removed = try store.removed()
            #expect(removed.map(\.item) == [last])
            let restored = try store.restore(removed: removed[0].id, as: nil)
            #expect(restored == last)
            #expect(try store.describe(Samples.name) == last)
            #expect(try Samples.bytes(store.value(of: Samples.name)) == [2, 2])
            #expect(try store.history(of: Samples.name).map(\.item.revision) == [1])
            #expect(try store.removed().isEmpty)
            #expect(throws: SecureStoreError.notFound) {
                try store.restore(removed: removed[0].id, as: nil)
            }
            try store.remove(Samples.name)
            #expect(try store.removed().map(\.item.revision) == [2])
        },
        SecureStoreContract("keeps each removed secret of one name, also if it is taken again") {
            subject in
            let store = subject.store
            try store.save(Samples.one(), as: Samples.name, SecretAttributes(label: "first"))
            try store.remove(Samples.name)
            try store.save(Samples.two(), as: Samples.name, SecretAttributes(label: "second"))
            try store.remove(Samples.name)
            let third = try store.save(
                Samples.secret("3"), as: Samples.name, SecretAttributes(label: "third"))
            let removed = try store.removed()
            #expect(Set(removed.map(\.item.attributes.label)) == ["first", "second"])
            let first = try #require(removed.first { $0.item.attributes.label == "first" })
            #expect(throws: SecureStoreError.duplicate) {
                try store.restore(removed: first.id, as: nil)
            }
            #expect(throws: SecureStoreError.duplicate) {
                try store.restore(removed: first.id, as: Samples.name)
            }
            #expect(try store.removed() == removed)
            let other = try SecretName(service: "other", account: "a")
            let restored = try store.restore(removed: first.id, as: other)
            #expect(restored.revision == 2)
            #expect(restored.name == other)
            #expect(restored.attributes.label == "first")
            #expect(try Samples.bytes(store.value(of: other)) == [1])
            #expect(try store.describe(Samples.name) == third)
            #expect(try store.removed().map(\.item.attributes.label) == ["second"])
        },
        SecureStoreContract("erases a secret and its history at a permanent removal") { subject in
            let store = subject.store
            try store.save(Samples.one(), as: Samples.name, SecretAttributes())
            try store.update(Samples.name, to: Samples.two())
            let id = try store.history(of: Samples.name)[0].id
            #expect(throws: SecureStoreError.conflict(found: 2)) {
                try store.remove(Samples.name, expecting: 1, permanently: true)
            }
            try store.remove(Samples.name, expecting: 2, permanently: true)
            #expect(try store.removed().isEmpty)
            #expect(throws: SecureStoreError.notFound) { try store.restore(removed: id, as: nil) }
            #expect(throws: SecureStoreError.notFound) {
                try store.remove(Samples.name, expecting: nil, permanently: true)
            }
            for id in [[], [1, 2, 3], [UInt8](repeating: 7, count: 16)] as [[UInt8]] {
                #expect(throws: SecureStoreError.notFound) {
                    try store.restore(removed: id, as: nil)
                }
            }
        },
        SecureStoreContract("needs verification to read protected values again, for nothing else") {
            subject in
            let store = subject.store
            let attributes = SecretAttributes(accessClass: .afterVerification)
            let other = try SecretName(service: "other", account: "a")
            try store.save(Samples.one(), as: Samples.name, attributes)
            try store.update(Samples.name, to: Samples.two())
            subject.endVerification()
            #expect(try store.history(of: Samples.name).map(\.item.revision) == [1])
            #expect(throws: SecureStoreError.notVerified) {
                try store.restore(Samples.name, toRevision: 1)
            }
            #expect(throws: SecureStoreError.notVerified) {
                try store.readEarlier(Samples.name, revision: 1) {
                    (_, _) throws(SecureStoreError) in
                }
            }
            try store.remove(Samples.name)
            let removed = try #require(try store.removed().first)
            #expect(removed.item.attributes.accessClass == .afterVerification)
            #expect(throws: SecureStoreError.notVerified) {
                try store.restore(removed: removed.id, as: other)
            }
            let restored = try store.restore(removed: removed.id, as: nil)
            #expect(restored.revision == 2)
            #expect(throws: SecureStoreError.notVerified) { _ = try store.value(of: Samples.name) }
            try store.remove(Samples.name, expecting: nil, permanently: true)
            #expect(try store.removed().isEmpty)
        },
        SecureStoreContract("protects the earlier values of a secret whose class is raised") {
            subject in
            let store = subject.store
            let other = try SecretName(service: "other", account: "a")
            let raise = SecretEdit(accessClass: .afterVerification)
            for name in [Samples.name, other] {
                try store.save(Samples.one(), as: name, SecretAttributes())
                try store.update(name, to: Samples.two())
            }
            try store.edit(Samples.name, raise, expecting: nil)
            try store.update(other, to: Samples.secret("3"), raise, expecting: nil)
            let lower = SecretEdit(accessClass: .whileUnlocked)
            try store.edit(other, lower, expecting: nil)
            subject.endVerification()
            for (name, revisions) in [(Samples.name, [1]), (other, [2, 1])] as [(_, [UInt64])] {
                let history = try store.history(of: name)
                #expect(history.map(\.item.revision) == revisions)
                for earlier in history {
                    #expect(earlier.item.attributes.accessClass == .afterVerification)
                    #expect(throws: SecureStoreError.notVerified) {
                        try store.restore(name, toRevision: earlier.item.revision)
                    }
                }
            }
        },
        SecureStoreContract(
            "keeps nothing earlier of the sign-in, but the text of tasks and items of programs"
        ) { subject in
            let store = subject.store
            let token = try SecretName(service: "taskvault.session:https://a.example", account: "m")
            let text = try SecretName(service: "taskvault.task", account: "k7m2qx.03fz81wc")
            let item = try SecretName(
                service: SecretName.programService, account: String(repeating: "a", count: 32))
            for name in [token, text, item] {
                try store.save(Samples.one(), as: name, SecretAttributes())
                try store.update(name, to: Samples.two())
            }
            #expect(try store.history(of: token).isEmpty)
            for name in [text, item] {
                #expect(try store.history(of: name).map(\.item.revision) == [1])
            }
            for name in [token, text, item] { try store.remove(name) }
            #expect(Set(try store.removed().map(\.item.name)) == [text, item])
        },
    ]
}
