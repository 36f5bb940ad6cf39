internal import CommandLine

/// What command line, environment and configuration file say, each value checked where it stands, whether another one goes before it or not.
struct SettingSources {
    /// What the names of the environment variables begin with.
    static let prefix = "TASKVAULT_AUTHD_"
    /// The variable that names the configuration file.
    static let fileVariable = prefix + "CONFIGURATION"

    /// A value and where it comes from.
    struct Given: Hashable {
        /// As it was given.
        let text: String
        /// Where it was given.
        let origin: SettingOrigin
    }

    /// The confidential clients.
    let clients: [OAuthClient]
    /// The configuration file; nil where none was read.
    let file: String?
    private var given: [String: Given] = [:]

    /// Reads all of them.
    ///
    /// - Parameters:
    ///   - invocation: The command line; only the options that its command has count.
    ///   - environment: The environment.
    ///   - usualFile: The configuration file that is read if it is there and none is named.
    /// - Throws: A failure that says where the mistake is.
    init(
        _ invocation: Invocation, _ environment: EnvironmentVariables, usualFile: String?
    ) throws {
        let named = invocation.text(of: .configuration) ?? environment[Self.fileVariable]
        var read: ConfigurationFile?
        if let path = named {
            read = try ConfigurationFile(path: path)
        } else if let path = usualFile {
            do {
                read = try ConfigurationFile(path: path)
            } catch let failure as CommandFailure where failure.code == "no_file" {
                // Nothing was set.
            }
        }
        clients = read?.clients ?? []
        file = read?.path
        try take(read)
        try take(environment)
        try take(invocation)
    }

    private mutating func take(_ file: ConfigurationFile?) throws {
        guard let file else { return }
        for entry in file.entries {
            guard let setting = SettingTable.setting(entry.name) else { continue }
            try take(setting, entry.value, .file(file.path, line: entry.line))
        }
    }

    private mutating func take(_ environment: EnvironmentVariables) throws {
        let known = SettingTable.all
        for name in environment.names(beginningWith: Self.prefix) where name != Self.fileVariable {
            guard let setting = known.first(where: { $0.variable == name }) else {
                let close = Suggestion.closest(to: name, among: known.map(\.variable))
                throw CommandFailure(
                    .usage, code: "configuration",
                    "the variable \(name) is not known",
                    hint: close.map { "did you mean \($0)?" }
                        ?? "taskvault-authd help serve lists the settings")
            }
            if let value = environment[name] { try take(setting, value, .variable) }
        }
    }

    private mutating func take(_ invocation: Invocation) throws {
        for setting in SettingTable.all where invocation.takes(setting.option) {
            guard invocation.has(setting.option) else { continue }
            let text = invocation.text(of: setting.option) ?? ""
            try take(setting, setting.placeholder == nil ? "yes" : text, .option)
        }
    }

    private mutating func take(
        _ setting: SettingDescription, _ text: String, _ origin: SettingOrigin
    ) throws {
        do throws(InvalidValue) {
            try setting.check(text)
        } catch {
            throw CommandFailure(
                .usage, code: "configuration",
                "\(origin.subject(of: setting)) \(error.reason)")
        }
        given[setting.name] = Given(text: text, origin: origin)
    }

    /// What stands for a setting; nil where nobody set it and that depends on something else.
    func given(_ setting: SettingDescription) -> Given? {
        given[setting.name] ?? setting.standard.map { Given(text: $0, origin: .standard) }
    }

    /// The value of a setting; nil as ``given(_:)``.
    func value<Value>(_ setting: Setting<Value>) -> Value? {
        guard let given = given(setting.description) else { return nil }
        guard let value = try? setting.type.read(given.text) else {
            preconditionFailure("\(setting.description.name) was checked")
        }
        return value
    }

    /// The value of a setting that has a default.
    func certain<Value>(_ setting: Setting<Value>) -> Value {
        guard let value = value(setting) else {
            preconditionFailure("\(setting.description.name) has no default")
        }
        return value
    }

    /// A failure about the value of a setting: a mistake, or what is understood and refused.
    func failure<Value>(
        _ setting: Setting<Value>, _ reason: String, hint: String? = nil,
        as exitCode: ExitCode = .usage
    ) -> CommandFailure {
        let origin = given(setting.description)?.origin ?? .standard
        return CommandFailure(
            exitCode, code: "configuration",
            "\(origin.subject(of: setting.description)) \(reason)", hint: hint)
    }
}
