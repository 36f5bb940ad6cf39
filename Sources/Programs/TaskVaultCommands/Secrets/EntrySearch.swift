internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

extension CommandContext {
    /// How many candidates a message lists.
    private static let mostCandidates = 20

    /// The entry that SERVICE and ACCOUNT name, or that SERVICE alone finds.
    ///
    /// One word finds the entry whose service or label it is. A part of a text counts only if a person sees the result on a terminal: a
    /// program must never get another secret than before.
    ///
    /// - Parameters:
    ///   - store: The secrets.
    ///   - isRemoved: Whether one word also finds a removed entry, if it finds no other.
    /// - Returns: The entry.
    /// - Throws: A failure without an entry, or with several of them.
    func entry(
        in store: any SecureStore, orRemoved isRemoved: Bool = false
    ) throws -> SecretEntry {
        if let name = try secretName(invocation.texts(of: .foundAccount).first) {
            guard let entry = try entry(of: name, in: store) else {
                throw SecureStoreError.notFound
            }
            return entry
        }
        return try entry(
            of: invocation.text(of: .foundService), in: store, orRemoved: isRemoved)
    }

    /// The entry that one word finds.
    func entry(
        of word: String, in store: any SecureStore, orRemoved isRemoved: Bool = false
    ) throws -> SecretEntry {
        let isSeen = console.asks && console.isTerminal
        let searches: [SecretSearch] = [.exact(word)] + (isSeen ? [.whole(word), .part(word)] : [])
        for search in searches {
            var items = try store.find(search, limit: Self.mostCandidates + 1)
            if items.isEmpty, isRemoved { items = try store.removed(search) }
            let entries = SecretEntry.entries(of: items)
            guard let first = entries.first else { continue }
            guard entries.count == 1 else { throw ambiguous(word, entries) }
            about.secret = first.name
            return first
        }
        let typed = ShellText.quote(word)
        throw CommandFailure(
            .notFound,
            isSeen
                ? "no secret matches \(typed)" : "no secret has the service or label \(typed)",
            hint: folders.command(isSeen ? "secret list" : "secret list \(typed)"))
    }

    private func ambiguous(_ word: String, _ entries: [SecretEntry]) -> CommandFailure {
        let names = entries.prefix(Self.mostCandidates).map(\.typed).joined(separator: ", ")
        let more = entries.count > Self.mostCandidates ? ", and more" : ""
        return CommandFailure(
            .usage, code: "ambiguous_secret",
            "several secrets match \(ShellText.quote(word)): \(names)\(more)",
            hint: folders.command("\(invocation.command.name) \(entries[0].typed)"))
    }

    /// The entry of a name, or nil.
    func entry(of name: SecretName, in store: any SecureStore) throws -> SecretEntry? {
        do {
            let items = try store.find(
                .entry(service: name.service, account: name.account), limit: 1)
            return SecretEntry.entries(of: items).first
        } catch SecureStoreError.damaged {
            // Damage of other secrets does not prevent the use of this one.
            do {
                return SecretEntry(fields: [try store.describe(name)])
            } catch SecureStoreError.notFound {
                return nil
            }
        }
    }

    /// The name of the field that the options choose, of the entry that the operands choose.
    func foundSecretName(in store: any SecureStore) throws -> SecretName {
        if let name = try secretName(invocation.texts(of: .foundAccount).first) { return name }
        let name = try entry(in: store).name.with(field: chosenField)
        about.secret = name
        return name
    }

    /// The field that `--field` names, or `password`.
    var chosenField: String { invocation.text(of: .field) ?? SecretName.standardField }

    /// The name that the operand SERVICE and an account give; nil without an account.
    private func secretName(_ account: String?) throws -> SecretName? {
        guard let account else { return nil }
        let field = invocation.takes(.field) ? chosenField : SecretName.standardField
        let name = try SecretName(
            service: invocation.text(of: .foundService), account: account, field: field)
        try requireOwn(name)
        about.secret = name
        return name
    }

    /// The failure of a field that is missing in an existing entry; otherwise that of a missing secret.
    func missing(_ name: SecretName, in store: any SecureStore) -> any Error {
        guard let entry = try? entry(of: name, in: store) else { return SecureStoreError.notFound }
        return missing(name, of: entry)
    }

    /// The failure of a field that an entry does not have.
    func missing(_ name: SecretName, of entry: SecretEntry) -> CommandFailure {
        CommandFailure(
            .notFound, code: "no_field",
            "secret \(entry.typed) has no field \(ShellText.quote(name.field))",
            hint: folders.command("secret show \(entry.typed)") + " lists its fields")
    }
}

extension SecureStore {
    /// The removed secrets that a search finds, by name.
    fileprivate func removed(_ search: SecretSearch) throws -> [SecretItem] {
        let key = search.key
        return try removed().map(\.item).filter { search.finds($0, key) }
            .sorted { $0.name < $1.name }
    }
}

extension SecretEntry {
    /// The names of the entry as one types them behind a command.
    var typed: String { ShellText.quote(name.service) + " " + ShellText.quote(name.account) }

    /// Prints what was done to the entry: a line, or its description in JSON.
    func report(_ done: String, on console: Console) throws {
        guard console.isJSON else { return try console.printLine("\(done) \(typed)") }
        try console.printJSON { json in
            try json.beginObject()
            try json.members(of: self)
            try json.endObject()
        }
    }
}

extension OperandDescription {
    /// What the secret is for, or a word that finds it.
    static let foundService = OperandDescription(
        "SERVICE", .stored(.service),
        "the service; without ACCOUNT, a service or label, or on a terminal a part")
    /// Whose secret it is.
    static let foundAccount = OperandDescription(
        "ACCOUNT", .stored(.account), "the account; may be left out if one entry matches",
        count: 0...1)
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a list of texts as a member of the open object.
    mutating func member(_ key: String, texts: [String]) throws {
        try self.key(key)
        try beginArray()
        for text in texts { try string(text) }
        try endArray()
    }

    /// Writes what describes an entry as members of the open object.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - value: Writes a further member of a field, such as its value.
    /// - Throws: The error of the sink.
    mutating func members(
        of entry: SecretEntry, _ value: (inout Self, SecretItem) throws -> Void = { _, _ in }
    ) throws {
        try member("service", entry.name.service)
        try member("account", entry.name.account)
        try member("label", entry.label)
        try member("url", entry.url)
        try member("tags", texts: entry.tags)
        try member("class", entry.accessClass.name)
        try member("created", milliseconds: entry.created)
        try member("modified", milliseconds: entry.modified)
        try extra(entry.attributes.extra)
        try key("fields")
        try beginArray()
        for item in entry.fields {
            try beginObject()
            try member("field", item.name.field)
            try member("revision", item.revision)
            try member("created", milliseconds: item.created)
            try member("modified", milliseconds: item.modified)
            try value(&self, item)
            try endObject()
        }
        try endArray()
    }
}
