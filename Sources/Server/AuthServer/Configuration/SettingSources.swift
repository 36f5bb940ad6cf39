internal import CommandLine
internal import Platform
internal import TextCoding

/// The settings from the command line, the environment and the configuration file. Each value is
/// checked, even if another one takes precedence.
struct SettingSources {
    /// The prefix of the environment variables.
    static let prefix = "TASKVAULT_AUTHD_"
    /// The variable that names the configuration file.
    static let fileVariable = prefix + "CONFIGURATION"

    /// A value and its source.
    struct Given: Hashable {
        /// The text of the value.
        let text: String
        /// The source.
        let origin: SettingOrigin
    }

    /// The registered clients.
    private(set) var clients: [RegisteredClient] = []
    /// The configuration file; nil if none was read.
    private(set) var file: String?
    private var given: [String: Given] = [:]

    /// Creates settings with all defaults.
    init() {}

    /// Reads all sources.
    ///
    /// - Parameters:
    ///   - invocation: The command line; only options of its command are read.
    ///   - environment: The environment.
    ///   - usualFile: The default configuration file, which need not exist.
    /// - Throws: `Failure` that names the location of the error.
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
            } catch let error as Failure where error.exitCode == .notFound {}
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
            guard let setting = ServerSettings.setting(entry.name) else { continue }
            try take(setting, entry.value, .file(file.path, line: entry.line))
        }
    }

    private mutating func take(_ environment: EnvironmentVariables) throws {
        let known = ServerSettings.all
        for name in environment.names(beginningWith: Self.prefix) where name != Self.fileVariable {
            guard let setting = known.first(where: { $0.variable == name }) else {
                let close = Suggestion.closest(to: name, among: known.map(\.variable))
                throw Failure(
                    .usage, code: "configuration",
                    "unknown environment variable \(name)",
                    hint: close.map { "did you mean \($0)?" }
                        ?? "taskvault-authd help serve lists the settings")
            }
            if let value = environment[name] { try take(setting, value, .variable) }
        }
    }

    private mutating func take(_ invocation: Invocation) throws {
        for setting in ServerSettings.all where invocation.takes(setting.option) {
            guard invocation.has(setting.option) else { continue }
            let text = invocation.text(of: setting.option) ?? ""
            try take(setting, setting.form == .yesNo ? "yes" : text, .option)
        }
    }

    private mutating func take(
        _ setting: any AnySetting, _ text: String, _ origin: SettingOrigin
    ) throws {
        if let violation = setting.violation(text) {
            throw Failure(
                .usage, code: "configuration", "\(origin.subject(of: setting)) \(violation)",
                hint: setting.name == ServerSettings.database.name
                    ? AccountDatabasePlace.hint(text) : nil)
        }
        given[setting.name] = Given(text: text, origin: origin)
    }

    /// The value of a setting and its source. It is nil for a default that depends on the machine
    /// or other settings.
    func given(_ setting: any AnySetting) -> Given? {
        given[setting.name] ?? setting.standard.map { Given(text: $0, origin: .standard) }
    }

    /// The value of a setting; nil as for ``given(_:)``.
    func value<Value>(_ setting: Setting<Value>) -> Value? {
        guard let given = given(setting) else { return nil }
        guard let value = setting.type.read(given.text) else {
            preconditionFailure("\(setting.name) was checked")
        }
        return value
    }

    /// The value of a setting with a default.
    func certain<Value>(_ setting: Setting<Value>) -> Value {
        guard let value = value(setting) else {
            preconditionFailure("\(setting.name) has no default")
        }
        return value
    }

    /// A failure about an invalid or refused value of a setting.
    func failure<Value>(
        _ setting: Setting<Value>, _ reason: String, hint: String? = nil,
        as exitCode: ExitCode = .usage
    ) -> Failure {
        let origin = given(setting)?.origin ?? .standard
        return Failure(
            exitCode, code: "configuration",
            "\(origin.subject(of: setting)) \(reason)", hint: hint)
    }
}

/// The source of a value, in descending order of priority.
enum SettingOrigin: Sendable, Hashable {
    /// The command line.
    case option
    /// An environment variable.
    case variable
    /// A line of the configuration file.
    case file(String, line: Int)
    /// The default.
    case standard

    /// The beginning of a message about the value.
    func subject(of setting: any AnySetting) -> String {
        switch self {
        case .option: "option '--\(setting.name)'"
        case .variable: "environment variable \(setting.variable)"
        case .file(let path, let line): "\(path):\(line): \(setting.name)"
        case .standard: setting.name
        }
    }

    /// The source in a list of all settings.
    func text(of setting: any AnySetting) -> String {
        switch self {
        case .option: "--\(setting.name)"
        case .variable: setting.variable
        case .file(let path, let line): "\(path):\(line)"
        case .standard: "default"
        }
    }
}
