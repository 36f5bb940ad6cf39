internal import CommandLine
internal import SecureStorage

extension AccessClass {
    /// The name on the command line and in JSON.
    var name: String {
        switch self {
        case .whileUnlocked: "while-unlocked"
        case .afterVerification: "after-verification"
        }
    }

    /// The class of this name.
    init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes what describes a secret as members of the open object.
    mutating func members(of item: SecretItem) throws(OutputError) {
        try member("service", item.name.service)
        try member("account", item.name.account)
        try member("label", item.attributes.label)
        try member("class", item.attributes.accessClass.name)
        try member("revision", item.revision)
        try member("created", milliseconds: item.created)
        try member("modified", milliseconds: item.modified)
        try key("extra")
        try beginArray()
        for attribute in item.attributes.extra {
            try beginObject()
            try member("key", attribute.key)
            try member("text", attribute.text)
            try endObject()
        }
        try endArray()
    }
}

extension CommandContext {
    /// Prints what was done to a secret: a line, or its description in JSON.
    func report(_ done: String, _ item: SecretItem) throws(CommandFailure) {
        guard isJSON else { return try printLine("\(done) \(item.name.typed)") }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.members(of: item)
            try json.endObject()
        }
    }
}
