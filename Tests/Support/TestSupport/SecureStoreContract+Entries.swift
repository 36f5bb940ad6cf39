internal import SecretMemory
internal import SecureStorage
internal import Testing

extension SecureStoreContract {
    /// The rules for searches, and for changes of several secrets in one step.
    static let entryRules: [SecureStoreContract] = [
        SecureStoreContract("finds the secrets of one entry, by exact names") { subject in
            let entry = try Self.save(["b", "password", "a"], "service", "account", in: subject)
            try Self.save(["password"], "service", "Account", in: subject)
            try Self.save(["password"], "Service", "account", in: subject)
            let found = try subject.store.find(.entry(service: "service", account: "account"))
            #expect(found == entry.sorted { $0.name < $1.name })
            #expect(found.map(\.name.field) == ["a", "b", "password"])
            for (service, account) in [("service", ""), ("", ""), ("account", "service")] {
                #expect(
                    try subject.store.find(.entry(service: service, account: account)).isEmpty)
            }
        },
        SecureStoreContract("finds parts of service, account, label, URL and tags in any case") {
            subject in
            try Self.save(["password"], "GitHub.example", "ada", in: subject)
            try Self.save(["password"], "mail", "Straße", label: "Caf\u{E9} mail", in: subject)
            try Self.save(["password"], "bank", "bob", in: subject) { attributes in
                attributes[ExtraAttribute.url] = "https://Login.Bank.example/"
                attributes.tags = ["Work", "money"]
                attributes["group"] = "hidden"
            }
            func services(_ text: String) throws -> [String] {
                try subject.store.find(.part(text)).map(\.name.service)
            }
            #expect(try services("HUB") == ["GitHub.example"])
            #expect(try services("strasse") == ["mail"])
            #expect(try services("CAFE\u{301}") == ["mail"])
            #expect(try services("login.bank") == ["bank"])
            #expect(try services("work") == ["bank"])
            #expect(try services("WORK MONEY") == ["bank"])
            #expect(try services("") == ["GitHub.example", "bank", "mail"])
            for missing in ["hidden", "password", "exampleada", "while", "ada\0"] {
                #expect(try services(missing).isEmpty, "\(missing)")
            }
        },
        SecureStoreContract("finds exact or whole services and labels, and nothing else") {
            subject in
            try Self.save(["password"], "github", "ada", in: subject)
            try Self.save(["password"], "GitHub", "bob", in: subject)
            try Self.save(["password"], "github.example", "eve", label: "github", in: subject)
            try Self.save(["password"], "mail", "github", in: subject) { attributes in
                attributes[ExtraAttribute.url] = "github"
                attributes.tags = ["github"]
            }
            func accounts(_ search: SecretSearch) throws -> [String] {
                try subject.store.find(search).map(\.name.account)
            }
            #expect(try accounts(.exact("github")) == ["ada", "eve"])
            #expect(try accounts(.exact("GitHub")) == ["bob"])
            #expect(try accounts(.whole("GITHUB")) == ["bob", "ada", "eve"])
            for text in ["", "hub", "github.", "git"] {
                #expect(try accounts(.exact(text)).isEmpty, "\(text)")
                #expect(try accounts(.whole(text)).isEmpty, "\(text)")
            }
        },
        SecureStoreContract("finds whole entries, as many as are wanted, without TaskVault's own") {
            subject in
            for account in ["a", "b", "c"] {
                try Self.save(["password"], "service", account, label: "word", in: subject)
                try Self.save(["pin"], "service", account, in: subject)
            }
            try Self.save(["password"], "taskvault.task", "word", label: "word", in: subject)
            for search in [SecretSearch.part("WOR"), .exact("word"), .whole("Word")] {
                #expect(try subject.store.find(search).count == 6)
                #expect(try subject.store.find(search, limit: 2).count == 4)
            }
            #expect(try subject.store.find(.part("taskvault")).isEmpty)
            #expect(
                try subject.store.find(.entry(service: "taskvault.task", account: "word")).isEmpty)
        },
        SecureStoreContract("finds what was changed since the last search") { subject in
            func found(_ text: String) throws -> [SecretItem] {
                try subject.store.find(.part(text))
            }
            #expect(try found("word").isEmpty)
            let saved = try Self.save(["password"], "s", "a", label: "word", in: subject)
            #expect(try found("word") == saved)
            let edited = try subject.store.edit(
                saved[0].name, SecretEdit(label: "other"), expecting: nil)
            #expect(try found("word").isEmpty)
            #expect(try found("other") == [edited])
            try subject.store.remove(edited.name)
            #expect(try found("other").isEmpty)
            let id = try subject.store.removed()[0].id
            try subject.store.restore(removed: id, as: nil)
            #expect(try found("other") == [edited])
        },
        SecureStoreContract("edits and removes several secrets in one step") { subject in
            let store = subject.store
            let items = try Self.save(["a", "b", "c"], "s", "x", in: subject)
            let new = try SecretName(service: "s", account: "y", field: "a")
            let changed = try store.change([
                SecretChange(items[0].name, expecting: 1, .edit(SecretEdit(name: new))),
                SecretChange(items[1].name, expecting: nil, .remove(permanently: false)),
                SecretChange(items[2].name, expecting: nil, .edit(SecretEdit(label: "l"))),
            ])
            #expect(changed.map(\.name) == [new, items[2].name])
            #expect(changed.map(\.revision) == [2, 2])
            #expect(try store.list() == changed.sorted { $0.name < $1.name })
            try store.change(
                changed.map {
                    SecretChange($0.name, expecting: 2, .remove(permanently: $0.name == new))
                })
            #expect(try store.list().isEmpty)
            #expect(Set(try store.removed().map(\.item.name.field)) == ["b", "c"])
            #expect(try store.change([]).isEmpty)
        },
        SecureStoreContract("changes nothing if one of several changes is refused") { subject in
            let store = subject.store
            let items = try Self.save(["a", "b"], "s", "x", in: subject)
            let missing = try SecretName(service: "s", account: "y")
            let refusals: [(SecretChange, SecureStoreError)] = [
                (SecretChange(missing, expecting: nil, .remove(permanently: true)), .notFound),
                (
                    SecretChange(items[1].name, expecting: 7, .edit(SecretEdit(label: "l"))),
                    .conflict(found: 1)
                ),
                (
                    SecretChange(
                        items[1].name, expecting: nil, .edit(SecretEdit(name: items[0].name))),
                    .duplicate
                ),
            ]
            for (change, error) in refusals {
                #expect(throws: error) {
                    try store.change([
                        SecretChange(items[0].name, expecting: 1, .edit(SecretEdit(label: "new"))),
                        change,
                    ])
                }
                #expect(try store.list() == items)
            }
            #expect(try store.removed().isEmpty)
        },
        SecureStoreContract("gives secrets that are removed in one step the same time") { subject in
            let items = try Self.save(["a", "b", "c"], "s", "x", in: subject)
            try subject.store.change(
                items.map { SecretChange($0.name, expecting: nil, .remove(permanently: false)) })
            #expect(Set(try subject.store.removed().map(\.moved)).count == 1)
        },
        SecureStoreContract("searches without verification, and refuses to change without it") {
            subject in
            let saved = try Self.save(["password"], "s", "a", label: "word", in: subject) {
                $0.accessClass = .afterVerification
            }
            let open = try Self.save(["password"], "s", "b", in: subject)
            subject.endVerification()
            #expect(try subject.store.find(.part("word")) == saved)
            let changes = [open[0], saved[0]].map {
                SecretChange($0.name, expecting: nil, .edit(SecretEdit(label: "l")))
            }
            #expect(throws: SecureStoreError.notVerified) { try subject.store.change(changes) }
            #expect(try subject.store.describe(open[0].name) == open[0])
        },
        SecureStoreContract("neither searches nor changes while locked") { subject in
            let items = try Self.save(["password"], "s", "a", in: subject)
            #expect(try subject.store.find(.part("s")) == items)
            subject.lock()
            for search in [SecretSearch.part("s"), .exact("s"), .entry(service: "s", account: "a")]
            {
                #expect(throws: SecureStoreError.locked) { _ = try subject.store.find(search) }
            }
            #expect(throws: SecureStoreError.locked) {
                try subject.store.change([
                    SecretChange(items[0].name, expecting: nil, .remove(permanently: true))
                ])
            }
        },
    ]

    @discardableResult
    private static func save(
        _ fields: [String], _ service: String, _ account: String, label: String = "",
        in subject: StoreUnderTest, _ change: (inout SecretAttributes) -> Void = { _ in }
    ) throws -> [SecretItem] {
        var attributes = SecretAttributes(label: label)
        change(&attributes)
        return try fields.map { field in
            try subject.store.save(
                Samples.one(), as: SecretName(service: service, account: account, field: field),
                attributes)
        }
    }
}
