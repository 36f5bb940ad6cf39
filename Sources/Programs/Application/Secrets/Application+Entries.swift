package import SecretMemory
package import SecureStorage
package import TextCoding
internal import VaultCore

extension Application {
    /// How many candidates a message lists.
    private static let mostCandidates = 20

    /// Finds the entry with this service or label. A partial match counts only for results on a
    /// terminal:
    /// a program must never receive a different secret than before.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - store: The secrets.
    ///   - isRemoved: Whether to search removed entries, also those of programs, if no other entry matches.
    /// - Returns: The entry.
    /// - Throws: A failure if no entry or several entries match.
    package func entry(
        of word: String, in store: any SecureStore, orRemoved isRemoved: Bool = false
    ) throws -> SecretEntry {
        let isSeen = owner.seesResults
        let searches: [SecretSearch] = [.exact(word)] + (isSeen ? [.whole(word), .part(word)] : [])
        for search in searches {
            var items = try store.find(search, limit: Self.mostCandidates + 1)
            if items.isEmpty, isRemoved { items = try store.removed(search) }
            let entries = SecretEntry.entries(of: items)
            guard let first = entries.first else { continue }
            guard entries.count == 1 else { throw ambiguous(word, entries) }
            errors.secret = first.name
            return first
        }
        let typed = ShellText.quote(word)
        throw Failure(
            .notFound,
            isSeen
                ? "no secret matches \(typed)" : "no secret has the service or label \(typed)",
            hint: folders.command(isSeen ? "secret list" : "secret list \(typed)"))
    }

    private func ambiguous(_ word: String, _ entries: [SecretEntry]) -> Failure {
        let names = entries.prefix(Self.mostCandidates).map(\.typed).joined(separator: ", ")
        let more = entries.count > Self.mostCandidates ? ", and more" : ""
        return Failure(
            .usage, code: "ambiguous_secret",
            "several secrets match \(ShellText.quote(word)): \(names)\(more)",
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
