/// Where the value of a setting comes from; the first of these that has one wins.
enum SettingOrigin: Sendable, Hashable {
    /// The command line.
    case option
    /// An environment variable.
    case variable
    /// A line of the configuration file.
    case file(String, line: Int)
    /// Nobody set it.
    case standard

    /// How a message about it begins.
    func subject(of setting: SettingDescription) -> String {
        switch self {
        case .option: "option '--\(setting.name)'"
        case .variable: "the variable \(setting.variable)"
        case .file(let path, let line): "\(path):\(line): \(setting.name)"
        case .standard: setting.name
        }
    }

    /// How a list of all settings names it.
    func text(of setting: SettingDescription) -> String {
        switch self {
        case .option: "--\(setting.name)"
        case .variable: setting.variable
        case .file(let path, let line): "\(path):\(line)"
        case .standard: "default"
        }
    }
}
