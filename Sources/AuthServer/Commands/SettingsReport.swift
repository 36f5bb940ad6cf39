internal import CommandLine
internal import HTTPServer

/// What holds, and where it was said.
struct SettingsReport {
    private let context: ServerContext
    private let configuration: ServerConfiguration

    init(_ context: ServerContext, _ configuration: ServerConfiguration) {
        self.context = context
        self.configuration = configuration
    }

    /// A setting, what stands for it, and where that was said.
    private typealias Line = (name: String, value: String?, origin: String)

    private func lines() throws -> [Line] {
        let database = try context.database().title
        return SettingTable.all.map { setting in
            if let given = context.sources.given(setting) {
                return (setting.name, given.text, given.origin.text(of: setting))
            }
            // What depends on the machine or on other settings.
            let value: String? =
                switch setting.name {
                case SettingTable.issuer.description.name: configuration.issuerText
                case SettingTable.database.description.name: database
                case SettingTable.workers.description.name:
                    configuration.limits.lanes[.derivation].map { String($0.workers) }
                default: nil
                }
            return (setting.name, value, SettingOrigin.standard.text(of: setting))
        }
    }

    /// Prints it.
    func print() throws {
        let lines = try lines()
        let clients = configuration.clients.map(\.name)
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("configuration_file", context.sources.file)
                try json.key("settings")
                try json.beginObject()
                for line in lines {
                    try json.key(line.name)
                    try json.beginObject()
                    try json.member("value", line.value)
                    try json.member("origin", line.origin)
                    try json.endObject()
                }
                try json.endObject()
                try json.key("clients")
                try json.beginArray()
                for client in clients { try json.string(client) }
                try json.endArray()
                try json.endObject()
            }
        }
        var table = TextTable(["SETTING", "VALUE", "FROM"].map { TextTable.Column($0) })
        for line in lines { table.add([line.name, line.value ?? "", line.origin]) }
        for client in clients { table.add(["client", client, context.sources.file ?? ""]) }
        try context.print { output in
            for line in table.lines(limit: nil) { try output.writeLine(line) }
        }
    }
}
