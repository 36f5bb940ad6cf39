internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret get`: prints a value.
enum GetSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "get"],
        summary: "print a secret",
        operands: [.foundService, .foundAccount],
        options: [.field, .clip],
        notes: [
            """
            SERVICE alone finds an entry by its whole service, or else by its whole label. If several match, they are listed (exit code 2). On a \
            terminal the beginning of a service is enough, or else a part of service, account, label, URL or tags, ignoring case. Of several \
            you choose one by its number, also if the output is a pipe. A script never gets a secret by a part.
            """,
            """
            A pipe or file gets exactly the bytes of the value. On a terminal control characters are escaped and a line end follows. With \
            --json the value is in value_base64.
            """,
        ],
        examples: [
            .init("taskvault secret get mail.example ada", "show it"),
            .init("taskvault secret get mail", "the only entry that matches"),
            .init("taskvault secret get mail.example ada --field notes", "another field"),
            .init(
                "taskvault secret get mail.example ada | mail-client --password-from-stdin",
                "hand it to a program"),
            .init("taskvault secret get mail.example ada --clip", "copy it for 45 seconds"),
            .init("taskvault secret get --json mail.example ada", "with its description"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let found = try context.vault.withStore(.reading) { store in
            let name = try context.foundSecretName(in: store.secrets)
            return try context.vault.verifying(store) {
                do {
                    return try FoundSecret(name, in: store.secrets)
                } catch SecureStoreError.notFound {
                    throw context.application.missing(name, in: store.secrets)
                }
            }
        }
        try context.deliver(found)
    }
}

/// A secret that was read, with a copy of its value.
struct FoundSecret: ~Copyable {
    let item: SecretItem
    let value: SecretBytes

    init(item: SecretItem, value: consuming SecretBytes) {
        self.item = item
        self.value = value
    }

    /// Reads a secret with its description and value. The addresses of an entry are its field `url`, also where an import left them in
    /// attributes.
    init(_ name: SecretName, in store: any SecureStore) throws {
        if let item = try store.addressItem(of: name) {
            self = FoundSecret(item: item, value: try item.attributes.valueOfAddresses())
            return
        }
        self = try store.read(name) { (item, value) throws(SecureStoreError) in
            do {
                return FoundSecret(item: item, value: try value.copy())
            } catch {
                throw SecureStoreError(translating: error)
            }
        }
    }

    /// Prints the value, and in JSON also the description.
    borrowing func print(on console: Console) throws {
        guard console.isJSON else { return try console.printValue(value) }
        var json = JSONWriter(Output(descriptor: console.output))
        try json.beginObject()
        try json.members(of: item)
        try json.key("value_base64")
        try json.base64(value)
        try json.endObject()
        try json.finish().finish()
    }
}

extension AccessClass {
    /// The name on the command line and in JSON.
    var name: String {
        switch self {
        case .whileUnlocked: "while-unlocked"
        case .afterVerification: "after-verification"
        }
    }

    /// The class with this name; nil if there is none.
    init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the description of a secret as members of the open object.
    mutating func members(of item: SecretItem) throws {
        try member("service", item.name.service)
        try member("account", item.name.account)
        try member("field", item.name.field)
        try member("label", item.label)
        try member("class", item.attributes.accessClass.name)
        try member("revision", item.revision)
        try member("created", milliseconds: item.created)
        try member("modified", milliseconds: item.modified)
        try extra(item.attributes.extra)
    }

    /// Writes further attributes as a member of the open object.
    mutating func extra(_ extra: [ExtraAttribute]) throws {
        try key("extra")
        try beginArray()
        for attribute in extra {
            try beginObject()
            try member("key", attribute.key)
            try member("text", attribute.text)
            try endObject()
        }
        try endArray()
    }
}

extension SecretItem {
    /// Prints the result for the secret: a line, or its description in JSON.
    func report(_ done: String, on console: Console) throws {
        guard console.isJSON else { return try console.printLine("\(done) \(name.typed)") }
        try console.printJSON { json in
            try json.beginObject()
            try json.members(of: self)
            try json.endObject()
        }
    }
}
