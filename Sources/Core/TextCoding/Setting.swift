/// A setting with an erased value type. Options, lines of files, checks and documents derive from
/// it.
package protocol AnySetting: Sendable {
    /// The name on the command line and in files, such as `idle-limit`.
    var name: String { get }
    /// The effect, in lower case and without a full stop.
    var help: String { get }
    /// The default; nil if it depends on the machine or on other settings.
    var standard: String? { get }
    /// A description of a default that depends on the machine or on other settings.
    var otherwise: String? { get }
    /// The form of its values.
    var form: SettingForm { get }
    /// The valid values, such as `a number from 1 to 64`.
    var values: String { get }
    /// The valid values for documents that describe the form; nil if ``help`` describes them.
    var range: String? { get }
    /// The value that disables a limit; nil if none does.
    var unlimited: String? { get }
    /// The words that are values, such as `yes` and `no`.
    var words: [String] { get }

    /// The canonical form of a value; nil for an invalid one.
    func canonical(_ text: String) -> String?
    /// Describes the error of a value, such as `takes a number from 1 to 64`; nil for a valid one.
    /// It omits the text, which may be a secret.
    func violation(_ text: String) -> String?
}

/// The form of a setting's values.
package enum SettingForm: Sendable, Hashable {
    /// Yes or no; on the command line of the server a flag.
    case yesNo
    /// A whole number.
    case number
    /// A time, such as `90s`, `15m` or `7d`.
    case time
    /// Text, with its name in documents.
    case text(String)

    /// The name of a value in documents; nil for yes or no.
    package var placeholder: String? {
        switch self {
        case .yesNo: nil
        case .number: "N"
        case .time: "TIME"
        case .text(let name): name
        }
    }
}

/// A setting of a program.
package struct Setting<Value: Sendable>: AnySetting {
    package let name: String
    package let help: String
    package let standard: String?
    package let otherwise: String?
    /// The type of its values.
    package let type: SettingType<Value>

    package var form: SettingForm { type.form }
    package var values: String { type.values }
    package var range: String? { type.range }
    package var unlimited: String? { type.unlimited }
    package var words: [String] { type.words }

    /// Describes a setting.
    ///
    /// - Parameters:
    ///   - name: The name on the command line and in files.
    ///   - type: The type of its values.
    ///   - help: The effect, in lower case and without a full stop.
    ///   - standard: The default; nil if it depends on the machine or on other settings.
    ///   - otherwise: A description of that default.
    package init(
        _ name: String, _ type: SettingType<Value>, _ help: String, standard: String? = nil,
        otherwise: String? = nil
    ) {
        self.name = name
        self.type = type
        self.help = help
        self.standard = standard
        self.otherwise = otherwise
    }

    package func canonical(_ text: String) -> String? { type.canonical(text) }

    package func violation(_ text: String) -> String? { type.violation(text) }
}

/// The type of a setting's values.
package struct SettingType<Value: Sendable>: Sendable {
    /// The form of its values.
    package let form: SettingForm
    /// The valid values, such as `a number from 1 to 64`.
    package let values: String
    /// The valid values for documents that describe the form; nil if the setting's help describes
    /// them.
    package let range: String?
    /// The value that disables a limit; nil if none does.
    package let unlimited: String?
    /// The words that are values, such as `yes` and `no`.
    package let words: [String]
    /// Parses a value; nil for an invalid one.
    package let read: @Sendable (String) -> Value?
    /// The canonical form of a value; nil for an invalid one.
    package let canonical: @Sendable (String) -> String?
    /// Describes the error of a value; nil for a valid one.
    package let violation: @Sendable (String) -> String?

    /// Creates a type.
    ///
    /// - Parameters:
    ///   - form: The form of its values.
    ///   - values: The valid values.
    ///   - range: The valid values for documents that describe the form.
    ///   - unlimited: The value that disables a limit.
    ///   - words: The words that are values, besides it.
    ///   - canonical: The canonical form of a valid value; nil if a value has one form.
    ///   - violation: Describes the error of a value; nil if all errors have one description.
    ///   - read: Parses a value.
    package init(
        _ form: SettingForm, _ values: String, range: String? = nil, unlimited: String? = nil,
        words: [String] = [], canonical: (@Sendable (String) -> String)? = nil,
        violation: (@Sendable (String) -> String?)? = nil,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.form = form
        self.values = values
        self.range = range
        self.unlimited = unlimited
        self.words = words + [unlimited].compactMap { $0 }
        self.read = read
        self.canonical = { text in
            read(text) == nil ? nil : canonical.map { $0(text) } ?? text
        }
        self.violation = violation ?? { text in read(text) == nil ? "takes \(values)" : nil }
    }
}

extension SettingType where Value == Bool {
    /// Yes or no.
    package static let yesNo = SettingType(.yesNo, "yes or no", words: ["yes", "no"]) { text in
        switch text {
        case "yes": true
        case "no": false
        default: nil
        }
    }
}

extension SettingType where Value == Int {
    /// A whole number, or a word for no limit, which is read as 0.
    package static func number(
        _ range: ClosedRange<Int>, unlimited: String? = nil
    ) -> SettingType {
        let text = "\(range.lowerBound) to \(range.upperBound)" + suffix(unlimited)
        return SettingType(
            .number, "a number from \(text)", range: text, unlimited: unlimited
        ) { text in
            if text == unlimited { return 0 }
            // Each number has one form.
            guard let number = Int(text), String(number) == text else { return nil }
            return range.contains(number) ? number : nil
        }
    }
}

extension SettingType where Value == Duration {
    /// A time, or a word for no limit, which is read as zero.
    package static func time(
        _ shortest: String, _ longest: String, unlimited: String? = nil
    ) -> SettingType {
        guard let first = TimeSpan(shortest, hasDays: true),
            let last = TimeSpan(longest, hasDays: true)
        else { preconditionFailure("\(shortest) and \(longest) must be times") }
        let range = "\(shortest) to \(longest)" + suffix(unlimited)
        return SettingType(
            .time, "a time from \(range)", range: range, unlimited: unlimited,
            canonical: { text in TimeSpan(text, hasDays: true)?.text ?? text }
        ) { text in
            if text == unlimited { return .zero }
            guard let time = TimeSpan(text, hasDays: true),
                (first.seconds...last.seconds).contains(time.seconds)
            else { return nil }
            return .seconds(time.seconds)
        }
    }
}

extension SettingType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the raw values; `name` is that of a value in documents.
    package static func choice(_ name: String) -> SettingType {
        choice(name, Value.allCases.map(\.rawValue)) { Value(rawValue: $0) }
    }
}

extension SettingType where Value == String {
    /// One of some words; `name` is that of a value in documents.
    package static func choice(_ name: String, of words: [String]) -> SettingType {
        choice(name, words) { words.contains($0) ? $0 : nil }
    }
}

extension SettingType {
    private static func choice(
        _ name: String, _ words: [String], _ read: @escaping @Sendable (String) -> Value?
    ) -> SettingType {
        let text = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return SettingType(.text(name), text, range: text, words: words, read)
    }

    private static func suffix(_ unlimited: String?) -> String {
        switch unlimited {
        case nil: ""
        case "0": ", or 0 for no limit"
        case .some(let word): ", or \(word)"
        }
    }
}
