/// A file format of imports.
public enum ExchangeFormat: Sendable, Hashable, CaseIterable {
    /// TaskVault's JSON, written by ``SecretExporter``.
    case taskVaultJSON
    /// TaskVault's CSV, written by ``SecretExporter``.
    case taskVaultCSV
    /// The CSV export of KeePassXC and KeePassium.
    case keePassXC
    /// The XML export of KeePassXC and KeePass 2.
    case keePassXML
    /// The CSV export of Bitwarden and Vaultwarden, personal or of an organisation.
    case bitwarden
    /// The unencrypted JSON export of Bitwarden and Vaultwarden, personal or of an organisation.
    case bitwardenJSON
    /// The CSV export of 1Password 8.
    case onePassword
    /// The 1PUX export of 1Password 8, or its file `export.data` alone.
    case onePUX
    /// The CSV export of LastPass.
    case lastPass
    /// A CSV file of Dashlane's export: logins, notes, cards, documents or personal data.
    case dashlane
    /// The CSV export of Proton Pass.
    case protonPass
    /// The directory of `pass` or gopass.
    case passwordStore
    /// The unencrypted JSON export of the authenticator Aegis.
    case aegis
    /// A list of `otpauth` URIs, one a line.
    case seedList
    /// The CSV export of Firefox.
    case firefox
    /// The CSV export of Safari, of macOS and of Apple's Passwords.
    case safari
    /// The CSV export of Chrome, Edge, Brave and other Chromium browsers.
    case chromium
    /// A CSV file whose columns the user has named (``ColumnMap``).
    case mapped

    /// The name of the format.
    public var title: String {
        switch self {
        case .taskVaultJSON: "TaskVault JSON"
        case .taskVaultCSV: "TaskVault CSV"
        case .keePassXC: "KeePassXC"
        case .keePassXML: "KeePass XML"
        case .bitwarden: "Bitwarden"
        case .bitwardenJSON: "Bitwarden JSON"
        case .onePassword: "1Password"
        case .onePUX: "1Password 1PUX"
        case .lastPass: "LastPass"
        case .dashlane: "Dashlane"
        case .protonPass: "Proton Pass"
        case .passwordStore: "pass"
        case .aegis: "Aegis"
        case .seedList: "otpauth list"
        case .firefox: "Firefox"
        case .safari: "Safari"
        case .chromium: "Chrome, Edge or Brave"
        case .mapped: "CSV"
        }
    }
}
