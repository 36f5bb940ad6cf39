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
    /// The directory of `pass`.
    case passwordStore
    /// The CSV export of Firefox.
    case firefox
    /// The CSV export of Safari, of macOS and of Apple's Passwords.
    case safari
    /// The CSV export of Chrome, Edge, Brave and other Chromium browsers.
    case chromium

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
        case .passwordStore: "pass"
        case .firefox: "Firefox"
        case .safari: "Safari"
        case .chromium: "Chrome, Edge or Brave"
        }
    }

    /// The columns that identify a CSV format, in lower case and in any order; nil for other
    /// formats.
    ///
    /// If one format's columns include those of another, it comes first in `allCases`.
    var requiredColumns: [String]? {
        switch self {
        case .taskVaultJSON, .keePassXML, .bitwardenJSON, .onePUX, .passwordStore: nil
        case .taskVaultCSV: TaskVaultColumn.allCases.map(\.rawValue)
        case .keePassXC: ["group", "title", "username", "password", "url"]
        case .bitwarden: ["name", "login_uri", "login_username", "login_password"]
        case .onePassword:
            ["title", "url", "username", "password", "otpauth", "favorite", "archived", "tags"]
        case .firefox: ["url", "username", "password", "httprealm", "formactionorigin"]
        case .safari: ["title", "url", "username", "password"]
        case .chromium: ["name", "url", "username", "password"]
        }
    }

    /// The roles of another password manager's columns, by lower-case name. Each role occurs once.
    ///
    /// An unknown column is imported as a secret, so that it is neither lost nor revealed.
    var columnRoles: [String: ColumnRole] {
        switch self {
        case .taskVaultJSON, .taskVaultCSV, .keePassXML, .bitwardenJSON, .onePUX, .passwordStore:
            [:]
        case .keePassXC:
            [
                "title": .title, "username": .account, "password": .password, "url": .url,
                "notes": .secret("notes"), "totp": .secret("totp"), "group": .group,
                "created": .attribute("created"), "last modified": .attribute("modified"),
                "icon": .ignored,  // A number of an icon.
            ]
        case .bitwarden:
            [
                "name": .title, "login_username": .account, "login_password": .password,
                "login_uri": .url, "notes": .secret("notes"), "login_totp": .secret("totp"),
                "fields": .secret("fields"),  // Includes hidden ones in plaintext.
                "folder": .group, "collections": .tags([","]),
                "favorite": .flag("favorite"), "reprompt": .flag("reprompt"),
                "archiveddate": .attribute("archived"),
                "type": .ignored,  // Login or note, as the other columns tell.
            ]
        case .onePassword:
            [
                "title": .title, "username": .account, "password": .password, "url": .url,
                "notes": .secret("notes"), "otpauth": .secret("totp"), "tags": .tags([",", ";"]),
                "favorite": .flag("favorite"), "archived": .flag("archived"),
            ]
        case .firefox:
            [
                "url": .url, "username": .account, "password": .password,
                "httprealm": .attribute("http_realm"),
                "formactionorigin": .attribute("form_action_origin"), "guid": .attribute("guid"),
                "timecreated": .attribute("created"),
                "timepasswordchanged": .attribute("modified"),
                "timelastused": .attribute("last_used"),
            ]
        case .safari:
            [
                "title": .title, "url": .url, "username": .account, "password": .password,
                "notes": .secret("notes"), "otpauth": .secret("totp"),
            ]
        case .chromium:
            [
                "name": .title, "url": .url, "username": .account, "password": .password,
                "note": .secret("notes"),
            ]
        }
    }
}

/// The role of a column in the export of another password manager.
enum ColumnRole: Hashable {
    case title
    case account
    case url
    case password
    /// A field of this name.
    case secret(String)
    /// An attribute with this key. Attributes are visible while the vault is unlocked.
    case attribute(String)
    /// An attribute that is omitted if it is `0` or `false`.
    case flag(String)
    /// A folder, which becomes a tag.
    case group
    /// Tags separated by any of these characters.
    case tags([Character])
    /// An unknown column, which becomes a field of its name.
    case own
    case ignored
}
