internal import CommandLine
internal import HTTPServer

/// Why a text is no value of a setting. It does not carry the text, which may have been meant for elsewhere.
struct InvalidValue: Error, Hashable {
    /// What follows the setting's name: `takes a number from 1 to 64`.
    let reason: String
}

/// What a setting can be.
struct SettingType<Value: Sendable>: Sendable {
    /// The name of the value in the documents; nil for what is there or not.
    let placeholder: String?
    /// What it can be, for the documents; nil where the setting's meaning says it.
    let range: String?
    /// Whether 0 switches a limit off.
    let hasNone: Bool
    /// Reads a value.
    let read: @Sendable (String) throws(InvalidValue) -> Value

    /// Makes a type of values that are understood or not.
    init(
        _ placeholder: String?, range: String? = nil, hasNone: Bool = false, takes: String,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(placeholder, range: range, hasNone: hasNone) { text throws(InvalidValue) in
            guard let value = read(text) else { throw InvalidValue(reason: "takes \(takes)") }
            return value
        }
    }

    private init(
        _ placeholder: String?, range: String?, hasNone: Bool,
        _ read: @escaping @Sendable (String) throws(InvalidValue) -> Value
    ) {
        self.placeholder = placeholder
        self.range = range
        self.hasNone = hasNone
        self.read = read
    }
}

extension SettingType where Value == Bool {
    /// Yes or no; on the command line it is there or not.
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
            // One form of each number, so that 0 is known by its text.
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
        else { preconditionFailure("\(shortest) and \(longest) are times") }
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
    /// Who may make accounts.
    static let registration = SettingType(
        "WHO", range: Registration.allCases.map(\.rawValue).joined(separator: " or "),
        takes: Registration.allCases.map(\.rawValue).joined(separator: " or ")
    ) { Registration(rawValue: $0) }
}

extension SettingType where Value == AccountDatabasePlace {
    /// A file or a server.
    static let database = SettingType("DATABASE", range: nil, hasNone: false) {
        (text) throws(InvalidValue) in try AccountDatabasePlace(text)
    }
}
