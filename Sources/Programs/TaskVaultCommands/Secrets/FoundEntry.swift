internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

// Entries as operands and results of commands.
extension CommandContext {
    /// The entry that SERVICE and ACCOUNT name, or that SERVICE alone finds.
    ///
    /// See `Application.entry(of:in:orRemoved:)` for what one word finds.
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
            guard let entry = try application.entry(of: name, in: store) else {
                throw SecureStoreError.notFound
            }
            return entry
        }
        return try application.entry(
            of: invocation.text(of: .foundService), in: store, orRemoved: isRemoved)
    }

    /// The name of the field that the options choose, in the entry that the operands choose.
    ///
    /// - Parameters:
    ///   - store: The secrets.
    ///   - isOfProgram: Whether the entry may be an item of a program.
    /// - Returns: The name.
    /// - Throws: As ``entry(in:orRemoved:)``.
    func foundSecretName(
        in store: any SecureStore, orOfProgram isOfProgram: Bool = false
    ) throws -> SecretName {
        let account = invocation.texts(of: .foundAccount).first
        if let name = try secretName(account, orOfProgram: isOfProgram) { return name }
        let name = try entry(in: store).name.with(field: chosenField)
        errors.secret = name
        return name
    }

    /// The field that `--field` names, or `password`.
    var chosenField: String { invocation.text(of: .field) ?? SecretName.standardField }

    /// The name from the operand SERVICE and an account; nil without an account.
    private func secretName(
        _ account: String?, orOfProgram isOfProgram: Bool = false
    ) throws -> SecretName? {
        guard let account else { return nil }
        let field = invocation.takes(.field) ? chosenField : SecretName.standardField
        let name = try SecretName(
            service: invocation.text(of: .foundService), account: account, field: field)
        if !isOfProgram || !name.isOfProgram { try application.requireOwn(name) }
        errors.secret = name
        return name
    }
}

extension SecretEntry {
    /// Prints the result for the entry: a line, or its description in JSON.
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
    static let foundService = OperandDescription(
        "SERVICE", .stored(.service),
        "the service; without ACCOUNT, a service or label, or on a terminal a part")
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

    /// Writes the description of an entry as members of the open object.
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
        try member("urls", texts: entry.addresses)
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
