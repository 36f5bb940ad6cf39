internal import CommandLine
internal import HTTPServer
internal import TextCoding

/// A setting with an erased value type. Its option, environment variable, file line, check and
/// documents all derive from it.
protocol AnySetting: Sendable {
    /// The name in the configuration file, such as `listen`.
    var name: String { get }
    /// The purpose, in lower case and without a full stop.
    var meaning: String { get }
    /// The default; nil if it depends on the machine or on other settings.
    var standard: String? { get }
    /// A description of a default that depends on the machine or on other settings.
    var otherwise: String? { get }
    /// The name of the value in the documents; nil for yes or no.
    var placeholder: String? { get }
    /// The valid values, for the documents; nil if the meaning describes them.
    var range: String? { get }
    /// Whether 0 disables a limit.
    var hasNone: Bool { get }

    /// Describes the error of a value, such as `takes a number from 1 to 64`; nil for a valid
    /// value.
    /// It omits the text, which may be a secret.
    func violation(_ text: String) -> String?
}

extension AnySetting {
    /// The environment variable that sets it.
    var variable: String {
        SettingSources.prefix
            + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    /// The purpose, the valid values and the default.
    var fullMeaning: String {
        var text = meaning
        if let range { text += ": \(range)" }
        if let standard = otherwise ?? standard, placeholder != nil {
            text += " (default: \(standard))"
        }
        return text
    }

    /// The option that sets it.
    var option: OptionDescription {
        guard let placeholder else { return OptionDescription(name, fullMeaning) }
        return OptionDescription(
            name, placeholder == "FILE" ? .file(placeholder) : .text(placeholder), fullMeaning)
    }
}

/// A setting.
struct Setting<Value: Sendable>: AnySetting {
    let name: String
    let meaning: String
    let standard: String?
    let otherwise: String?
    /// The type of its values.
    let type: SettingType<Value>

    var placeholder: String? { type.placeholder }
    var range: String? { type.range }
    var hasNone: Bool { type.hasNone }

    /// Describes a setting.
    ///
    /// - Parameters:
    ///   - name: The name in the configuration file.
    ///   - type: The type of its values.
    ///   - meaning: The purpose, in lower case and without a full stop.
    ///   - standard: The default; nil if it depends on the machine or on other settings.
    ///   - otherwise: A description of that default.
    init(
        _ name: String, _ type: SettingType<Value>, _ meaning: String, standard: String? = nil,
        otherwise: String? = nil
    ) {
        self.name = name
        self.type = type
        self.meaning = meaning
        self.standard = standard
        self.otherwise = otherwise
    }

    func violation(_ text: String) -> String? { type.violation(text) }
}

/// The type of a setting's values.
struct SettingType<Value: Sendable>: Sendable {
    /// The name of the value in the documents; nil for yes or no.
    let placeholder: String?
    /// The valid values, for the documents; nil if the setting's meaning describes them.
    let range: String?
    /// Whether 0 disables a limit.
    let hasNone: Bool
    /// Parses a value; nil for an invalid one.
    let read: @Sendable (String) -> Value?
    /// Describes the error of a value; nil for a valid one.
    let violation: @Sendable (String) -> String?

    /// Creates a type whose errors all have the same description.
    init(
        _ placeholder: String?, range: String? = nil, hasNone: Bool = false, takes: String,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(placeholder, range: range, hasNone: hasNone, read) { text in
            read(text) == nil ? "takes \(takes)" : nil
        }
    }

    private init(
        _ placeholder: String?, range: String?, hasNone: Bool,
        _ read: @escaping @Sendable (String) -> Value?,
        violation: @escaping @Sendable (String) -> String?
    ) {
        self.placeholder = placeholder
        self.range = range
        self.hasNone = hasNone
        self.read = read
        self.violation = violation
    }
}

extension SettingType where Value == Bool {
    /// Yes or no; on the command line a flag.
    static let flag = SettingType(nil, takes: "yes or no") { text in
        switch text {
        case "yes": true
        case "no": false
        default: nil
        }
    }
}

extension SettingType where Value == String {
    /// The path of a file.
    static let file = SettingType("FILE", takes: "the path of a file") { text in
        text.isEmpty || text.utf8.contains(0) ? nil : text
    }
}

extension SettingType where Value == Int {
    /// A whole number.
    static func number(_ range: ClosedRange<Int>, orNone hasNone: Bool = false) -> SettingType {
        let text =
            "\(range.lowerBound) to \(range.upperBound)" + (hasNone ? ", or 0 for no limit" : "")
        return SettingType(
            "N", range: text, hasNone: hasNone, takes: "a number from \(text)"
        ) { text in
            // Each number has one form, so that its text identifies 0.
            guard let number = Int(text), String(number) == text else { return nil }
            return range.contains(number) || (hasNone && number == 0) ? number : nil
        }
    }
}

extension SettingType where Value == Duration {
    /// A time, such as `90s`, `15m` or `7d`.
    static func time(
        _ shortest: String, _ longest: String, orNone hasNone: Bool = false
    ) -> SettingType {
        guard let first = TimeSpan(shortest, hasDays: true),
            let last = TimeSpan(longest, hasDays: true)
        else { preconditionFailure("\(shortest) and \(longest) must be times") }
        let range = "\(shortest) to \(longest)" + (hasNone ? ", or 0 for no limit" : "")
        return SettingType(
            "TIME", range: range, hasNone: hasNone, takes: "a time from \(range)"
        ) { text in
            if hasNone, text == "0" { return .zero }
            guard let time = TimeSpan(text, hasDays: true),
                (first.seconds...last.seconds).contains(time.seconds)
            else { return nil }
            return .seconds(time.seconds)
        }
    }
}

extension SettingType where Value == ListenAddress {
    /// A numeric address with a port.
    static let listenAddress = SettingType(
        "ADDRESS:PORT", takes: "a numeric address and a port, such as 127.0.0.1:8420 or [::1]:8420"
    ) { ListenAddress($0) }
}

extension SettingType where Value == [AddressNetwork] {
    /// Addresses and networks.
    static let networks = SettingType(
        "ADDRESSES", takes: "addresses and networks, such as 127.0.0.1, 10.0.0.0/8"
    ) { text in
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let networks = parts.compactMap { part in
            let words = part.split(separator: " ")
            return words.count == 1 ? AddressNetwork(String(words[0])) : nil
        }
        return networks.count == parts.count ? networks : nil
    }
}

extension SettingType where Value == IssuerURL {
    /// The URL of a server.
    static let url = SettingType(
        "URL", takes: "an https URL without path, such as https://auth.example.org"
    ) { IssuerURL($0) }
}

extension SettingType where Value == Registration {
    /// The policy for creating accounts.
    static let registration = SettingType(
        "WHO", range: Registration.allCases.map(\.rawValue).joined(separator: " or "),
        takes: Registration.allCases.map(\.rawValue).joined(separator: " or ")
    ) { Registration(rawValue: $0) }
}

extension SettingType where Value == AccountDatabasePlace {
    /// A file or a PostgreSQL server.
    static let database = SettingType(
        "DATABASE", range: nil, hasNone: false, { try? AccountDatabasePlace($0) },
        violation: AccountDatabasePlace.violation)
}
