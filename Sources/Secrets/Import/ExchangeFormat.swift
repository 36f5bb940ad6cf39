/// A file format that secrets are imported from.
public enum ExchangeFormat: Sendable, Hashable, CaseIterable {
    /// TaskVault's own JSON, written by ``SecretExporter``.
    case taskVaultJSON
    /// TaskVault's own CSV, written by ``SecretExporter``.
    case taskVaultCSV
    /// The CSV export of KeePassXC and of KeePassium.
    case keePassXC
    /// The CSV export of Bitwarden and Vaultwarden, of a person or of an organisation.
    case bitwarden
    /// The CSV export of Firefox.
    case firefox
    /// The CSV export of Safari, of macOS and of Apple's Passwords.
    case safari
    /// The CSV export of Chrome, Edge, Brave and other Chromium browsers.
    case chromium

    /// The format's name for a person.
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

    /// The columns that tell a CSV format from the others, in lower case; nil for JSON.
    ///
    /// A format is recognised when its header has all of them, in any order. Where one format's list is part of another's, the
    /// longer comes first in `allCases`.
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

    /// What the columns of another password manager hold, by their names in lower case; no role stands twice.
    ///
    /// A column that is not listed is taken for a secret: nobody knows what stands there, and nothing may be lost.
    var columnRoles: [String: ColumnRole] {
        switch self {
        case .taskVaultJSON, .taskVaultCSV:
            [:]
        case .keePassXC:
            [
                "title": .title, "username": .account, "password": .password, "url": .url,
                "notes": .secret("notes"), "totp": .secret("totp"), "group": .attribute("group"),
                "created": .attribute("created"), "last modified": .attribute("modified"),
                "icon": .ignored,  // The number of a picture.
            ]
        case .bitwarden:
            [
                "name": .title, "login_username": .account, "login_password": .password,
                "login_uri": .url, "notes": .secret("notes"), "login_totp": .secret("totp"),
                "fields": .secret("fields"),  // Hidden ones stand among them in the clear.
                "folder": .attribute("folder"), "collections": .attribute("collections"),
                "favorite": .flag("favorite"), "reprompt": .flag("reprompt"),
                "archiveddate": .attribute("archived"),
                "type": .ignored,  // Login or note, which the other columns say as well.
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

/// What a column of another password manager's export is for.
enum ColumnRole: Hashable {
    case title
    case account
    case url
    case password
    /// A secret of its own, whose account ends with this kind in parentheses.
    case secret(String)
    /// An attribute of this key, visible while the vault is unlocked.
    case attribute(String)
    /// Likewise, left out if it is `0`.
    case flag(String)
    case ignored
}

/// The columns of TaskVault's own CSV, in the order in which they are written.
enum TaskVaultColumn: String, CaseIterable {
    case service, account, label
    case accessClass = "class"
    case created, modified, value
    case encoding = "value_encoding"
    case extra
}
