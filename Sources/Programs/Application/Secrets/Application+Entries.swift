package import SecretMemory
package import SecureStorage
package import TextCoding
internal import VaultCore

extension Application {
    /// How many of the entries that match a name an error message lists at most.
    private static let mostCandidates = 20

    /// Finds the entry that a word means.
    ///
    /// A program gets the entry with exactly this service, or else with exactly this label, and never another one than before. A person at
    /// a terminal gets, in this order: that service; services that begin with the word; a part of service, account, label, addresses or
    /// tags; upper and lower case are equal. Of several the person chooses one, and also confirms a part if the results go elsewhere.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - store: The secrets.
    ///   - isRemoved: Whether to search removed entries, also those of programs, if no other entry matches.
    /// - Returns: The entry.
    /// - Throws: A failure if no entry matches, or several do and none is chosen.
    package func entry(
        of word: String, in store: any SecureStore, orRemoved isRemoved: Bool = false
    ) throws -> SecretEntry {
        let isPerson = owner.canAnswer
        for search in [SecretSearch.exact(word)] + (isPerson ? [.part(word)] : []) {
            var items = try store.find(search)
            if items.isEmpty, isRemoved { items = try store.removed(search) }
            let found = SecretEntry.entries(of: items).likeliest(word)
            guard let first = found.first else { continue }
            // A person who sees the result also sees which entry it is.
            let isClear = found.count == 1 && (search == .exact(word) || owner.seesResults)
            let entry = isClear ? first : try chosen(of: found, word)
            errors.secret = entry.name
            return entry
        }
        let typed = ShellText.quote(word)
        throw Failure(
            .notFound,
            isPerson
                ? "no secret matches \(typed)" : "no secret has the service or label \(typed)",
            hint: folders.command(isPerson ? "secret list" : "secret list \(typed)"))
    }

    /// The entry that the person chooses.
    private func chosen(of entries: [SecretEntry], _ word: String) throws -> SecretEntry {
        let shown = entries.prefix(Self.mostCandidates)
        let lines = shown.map { entry in
            entry.label.isEmpty ? entry.typed : "\(entry.typed)  (\(entry.label))"
        }
        let more = entries.count - shown.count
        let number = entries.count == 1 ? "one secret matches" : "several secrets match"
        let title = "\(number) \(ShellText.quote(word))"
        let rest = more == 0 ? "" : ", \(more) more than these"
        if let index = try owner.choose(title + rest, lines) { return entries[index] }
        throw Failure(
            .usage, code: "ambiguous_secret", title,
            details: lines + (more == 0 ? [] : ["and \(more) more"]),
            hint: folders.command("\(options.operation) \(entries[0].typed)"))
    }

    /// The entry of a name, or nil.
    package func entry(of name: SecretName, in store: any SecureStore) throws -> SecretEntry? {
        do {
            let items = try store.find(
                .entry(service: name.service, account: name.account), limit: 1)
            return SecretEntry.entries(of: items).first
        } catch SecureStoreError.damaged {
            // Damage of other secrets does not prevent the use of this secret.
            do {
                return SecretEntry(fields: [try store.describe(name)])
            } catch SecureStoreError.notFound {
                return nil
            }
        }
    }

    /// The failure of a missing field in an existing entry, or of a missing secret.
    package func missing(_ name: SecretName, in store: any SecureStore) -> any Error {
        guard let entry = try? entry(of: name, in: store) else { return SecureStoreError.notFound }
        return missing(name, of: entry)
    }

    /// The failure of a field that the entry lacks.
    package func missing(_ name: SecretName, of entry: SecretEntry) -> Failure {
        Failure(
            .notFound, code: "no_field",
            "secret \(entry.typed) has no field \(ShellText.quote(name.field))",
            hint: folders.command("secret show \(entry.typed)") + " lists its fields")
    }
}

extension [SecretEntry] {
    /// The entries with this service; else those whose service begins with the word; else all.
    fileprivate func likeliest(_ word: String) -> [SecretEntry] {
        let key = NameKey(word)
        let ranks: [(SecretEntry) -> Bool] = [
            { $0.name.service.hasSameBytes(as: word) }, { NameKey($0.name.service) == key },
            { NameKey($0.name.service).bytes.starts(with: key.bytes) },
        ]
        return ranks.lazy.map { rank in filter(rank) }.first { !$0.isEmpty } ?? self
    }
}

extension SecureStore {
    /// The removed secrets that a search finds, by name.
    fileprivate func removed(_ search: SecretSearch) throws -> [SecretItem] {
        let key = search.key
        return try removed().map(\.item).filter { search.finds($0, key, orOfProgram: true) }
            .sorted { $0.name < $1.name }
    }
}

// An import leaves the addresses of an entry in the attributes of its fields. A change moves them into the field `url`, which alone has them
// from then on: so they never differ from its value, and earlier ones are kept.
extension SecureStore {
    /// The addresses of an entry without a field `url`, as that field; nil for another name, and without any.
    package func addressItem(of name: SecretName) throws -> SecretItem? {
        guard name.isAddress else { return nil }
        do {
            guard let entry = try entry(of: name), entry.field(name.field) == nil,
                !entry.addresses.isEmpty
            else { return nil }
            return SecretItem(
                name: name, attributes: entry.attributes, revision: entry.fields[0].revision,
                created: entry.created, modified: entry.modified)
        } catch SecureStoreError.damaged {
            // Damage of other secrets does not prevent the use of this secret.
            return nil
        }
    }

    /// Moves the addresses of an entry from the attributes into the field `url`. Each step leaves the entry with the same addresses.
    package func moveAddressesIntoField(of name: SecretName) throws {
        if let item = try addressItem(of: name) {
            try save(
                item.attributes.valueOfAddresses(), as: name.with(field: ExtraAttribute.url),
                item.attributes)
        }
        guard let entry = try entry(of: name), entry.field(ExtraAttribute.url) != nil else {
            return
        }
        let copies = entry.fields.filter { !$0.name.isAddress && !$0.attributes.addresses.isEmpty }
        let changes = copies.map { item in
            var attributes = item.attributes
            attributes.addresses = []
            return SecretChange(
                item.name, expecting: item.revision, .edit(SecretEdit(extra: attributes.extra)))
        }
        if !changes.isEmpty { try change(changes) }
    }

    private func entry(of name: SecretName) throws -> SecretEntry? {
        let search = SecretSearch.entry(service: name.service, account: name.account)
        return SecretEntry.entries(of: try find(search, limit: 1)).first
    }
}

extension SecretAttributes {
    /// The addresses as the value of a field `url`.
    package func valueOfAddresses() throws -> SecretBytes {
        let bytes = Array(addresses.joined(separator: "\n").utf8)
        // Safe: the array outlives the span.
        return try SecretBytes(copying: unsafe bytes.span.bytes)
    }
}

extension SecretEntry {
    /// The name of the entry in the form of a command operand.
    package var typed: String {
        ShellText.quote(name.service) + " " + ShellText.quote(name.account)
    }
}
