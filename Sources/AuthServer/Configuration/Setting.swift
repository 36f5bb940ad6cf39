internal import CommandLine

/// A setting: the one source for its flag, its environment variable, its line in the file, the check and the documents.
struct Setting<Value: Sendable>: Sendable {
    /// What does not depend on the type of its values.
    let description: SettingDescription
    /// What it can be.
    let type: SettingType<Value>

    /// Describes a setting.
    ///
    /// - Parameters:
    ///   - name: Its name in the file, such as `listen`.
    ///   - type: What it can be.
    ///   - meaning: What it is for, beginning in lower case and without full stop.
    ///   - standard: What stands for a setting left out; nil where that depends on something else.
    ///   - otherwise: What stands for it then, in words.
    init(
        _ name: String, _ type: SettingType<Value>, _ meaning: String, standard: String? = nil,
        otherwise: String? = nil
    ) {
        self.type = type
        description = SettingDescription(
            name: name, placeholder: type.placeholder, range: type.range, hasNone: type.hasNone,
            meaning: meaning, standard: standard, otherwise: otherwise,
            check: { (text) throws(InvalidValue) in _ = try type.read(text) })
    }
}

/// A setting without the type of its values.
struct SettingDescription: Sendable {
    /// Its name in the file.
    let name: String
    /// The name of its value in the documents; nil for what is there or not.
    let placeholder: String?
    /// What it can be.
    let range: String?
    /// Whether 0 switches a limit off.
    let hasNone: Bool
    /// What it is for.
    let meaning: String
    /// What stands for a setting left out; nil where that depends on something else.
    let standard: String?
    /// What stands for it then, in words.
    let otherwise: String?
    /// Checks a value.
    let check: @Sendable (String) throws(InvalidValue) -> Void

    /// The environment variable that sets it.
    var variable: String {
        SettingSources.prefix
            + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    /// What it is for, what it can be and what stands for it.
    var fullMeaning: String {
        var text = meaning
        if let range { text += ": \(range)" }
        if let standard = otherwise ?? standard, placeholder != nil {
            text += " (\(standard) if left out)"
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
