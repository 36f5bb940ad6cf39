/// A file format of an import.
public enum ExchangeFormat: Sendable, Hashable, CaseIterable {
    /// TaskVault's own JSON, written by ``SecretExporter``.
    case taskVaultJSON
    /// TaskVault's own CSV, written by ``SecretExporter``.
    case taskVaultCSV
    /// The CSV export of KeePassXC and of KeePassium.
    case keePassXC
    /// The CSV export of Bitwarden and Vaultwarden, personal or of an organisation.
    case bitwarden
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
        case .bitwarden: "Bitwarden"
        case .firefox: "Firefox"
        case .safari: "Safari"
        case .chromium: "Chrome, Edge or Brave"
        }
    }

    /// The columns that identify a CSV format, in lower case and any order; nil for JSON.
    ///
    /// If the columns of one format include those of another, the longer list comes first in `allCases`.
    var requiredColumns: [String]? {
        switch self {
        case .taskVaultJSON: nil
        case .taskVaultCSV: TaskVaultColumn.allCases.map(\.rawValue)
        case .keePassXC: ["group", "title", "username", "password", "url"]
        case .bitwarden: ["name", "login_uri", "login_username", "login_password"]
        case .firefox: ["url", "username", "password", "httprealm", "formactionorigin"]
        case .safari: ["title", "url", "username", "password"]
        case .chromium: ["name", "url", "username", "password"]
        }
    }

    /// The roles of the columns of another password manager, by names in lower case; each role occurs once.
    ///
    /// An unknown column is taken for a secret, so that nothing is lost or revealed.
    var columnRoles: [String: ColumnRole] {
        switch self {
        case .taskVaultJSON, .taskVaultCSV:
            [:]
        case .keePassXC:
            [
                "title": .title, "username": .account, "password": .password, "url": .url,
                "notes": .secret("notes"), "totp": .secret("totp"), "group": .attribute("group"),
                "created": .attribute("created"), "last modified": .attribute("modified"),
                "icon": .ignored,  // A number of an icon.
            ]
        case .bitwarden:
            [
                "name": .title, "login_username": .account, "login_password": .password,
                "login_uri": .url, "notes": .secret("notes"), "login_totp": .secret("totp"),
                "fields": .secret("fields"),  // Includes hidden ones in plaintext.
                "folder": .attribute("folder"), "collections": .attribute("collections"),
                "favorite": .flag("favorite"), "reprompt": .flag("reprompt"),
                "archiveddate": .attribute("archived"),
                "type": .ignored,  // Login or note, as the other columns tell.
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
    /// An attribute with this key, visible while the vault is unlocked.
    case attribute(String)
    /// The same, omitted if it is `0`.
    case flag(String)
    case ignored
}
