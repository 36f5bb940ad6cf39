/// A header line of a CSV format, which identifies it, and the roles of its columns.
struct CSVHeader {
    let format: ExchangeFormat
    /// The columns that the header has, in lower case and in any order.
    let required: [String]
    /// The roles of columns, by lower-case name. Each role occurs once.
    ///
    /// Another column is imported as a field of its name, so that it is neither lost nor revealed.
    let roles: [String: ColumnRole]
    /// Whether a file with another column has another format. Few columns occur in many programs.
    var isExact = false
    /// The kind of all records; nil for logins and notes.
    var kind: RecordKind?

    /// The header of a file with these columns; nil for an unknown one.
    static func of(_ columns: [String]) -> CSVHeader? {
        let present = Set(columns)
        return all.first { header in
            header.required.allSatisfy(present.contains)
                && (!header.isExact
                    || columns.allSatisfy { $0.isEmpty || header.roles[$0] != nil })
        }
    }

    /// All headers. If one's columns include those of another, it comes first.
    private static let all = managers + dashlane + browsers

    private static let managers: [CSVHeader] = [
        CSVHeader(
            format: .taskVaultCSV, required: TaskVaultColumn.allCases.map(\.rawValue),
            roles: [:]),
        CSVHeader(
            format: .keePassXC, required: ["group", "title", "username", "password", "url"],
            roles: [
                "title": .title, "username": .account, "password": .password, "url": .url,
                "notes": .secret("notes"), "totp": .secret("totp"), "group": .group,
                "created": .attribute("created"), "last modified": .attribute("modified"),
                "icon": .ignored,  // A number of an icon.
            ]),
        CSVHeader(
            format: .bitwarden,
            required: ["name", "login_uri", "login_username", "login_password"],
            roles: [
                "name": .title, "login_username": .account, "login_password": .password,
                "login_uri": .urls, "notes": .secret("notes"), "login_totp": .secret("totp"),
                "fields": .secret("fields"),  // Includes hidden ones in plaintext.
                "folder": .group, "collections": .tags([","]),
                "favorite": .flag("favorite"), "reprompt": .protection,
                "archiveddate": .attribute("archived"),
                "type": .ignored,  // Login or note, as the other columns tell.
            ]),
        CSVHeader(
            format: .onePassword,
            required: [
                "title", "url", "username", "password", "otpauth", "favorite", "archived",
                "tags",
            ],
            roles: [
                "title": .title, "username": .account, "password": .password, "url": .url,
                "notes": .secret("notes"), "otpauth": .secret("totp"),
                "tags": .tags([",", ";"]),
                "favorite": .flag("favorite"), "archived": .flag("archived"),
            ]),
        CSVHeader(
            format: .onePassword,
            required: [
                "title", "website", "username", "password", "one-time password",
                "favorite status",
                "archived status", "tags",
            ],
            roles: [
                "title": .title, "username": .account, "password": .password, "website": .url,
                "notes": .secret("notes"), "one-time password": .secret("totp"),
                "tags": .tags([",", ";"]), "favorite status": .flag("favorite"),
                "archived status": .flag("archived"),
            ]),
        CSVHeader(
            format: .lastPass,
            required: ["url", "username", "password", "extra", "name", "grouping", "fav"],
            roles: [
                "url": .url, "username": .account, "password": .password,
                "totp": .secret("totp"), "extra": .secret("notes"), "name": .title,
                "grouping": .group, "fav": .flag("favorite"),
            ]),
        CSVHeader(
            format: .protonPass,
            required: ["type", "name", "url", "username", "password", "note", "totp"],
            roles: [
                "type": .kind, "name": .title, "url": .urls, "autofillurls": .urls,
                "username": .account, "email": .otherAccount("email"), "password": .password,
                "note": .secret("notes"), "totp": .secret("totp"),
                "createtime": .time("created"), "modifytime": .time("modified"),
                "vault": .group,
            ]),
    ]

    private static let browsers: [CSVHeader] = [
        CSVHeader(
            format: .firefox,
            required: ["url", "username", "password", "httprealm", "formactionorigin"],
            roles: [
                "url": .url, "username": .account, "password": .password,
                "httprealm": .attribute("http_realm"),
                "formactionorigin": .attribute("form_action_origin"),
                "guid": .attribute("guid"),
                "timecreated": .attribute("created"),
                "timepasswordchanged": .attribute("modified"),
                "timelastused": .attribute("last_used"),
            ]),
        CSVHeader(
            format: .safari, required: ["title", "url", "username", "password"],
            roles: [
                "title": .title, "url": .url, "username": .account, "password": .password,
                "notes": .secret("notes"), "otpauth": .secret("totp"),
            ], isExact: true),
        CSVHeader(
            format: .chromium, required: ["name", "url", "username", "password"],
            roles: [
                "name": .title, "url": .url, "username": .account, "password": .password,
                "note": .secret("notes"),
            ], isExact: true),
    ]

    /// The files of Dashlane's archive.
    private static let dashlane: [CSVHeader] = [
        CSVHeader(
            format: .dashlane,
            required: ["username", "title", "password", "note", "url", "category"],
            roles: [
                "username": .account, "username2": .otherAccount("username2"),
                "username3": .otherAccount("username3"), "title": .title, "password": .password,
                "note": .secret("notes"), "url": .url, "category": .group,
                "otpsecret": .secret("totp"), "otpurl": .secret("totp"), "otp": .secret("totp"),
            ]),
        CSVHeader(
            format: .dashlane, required: ["type", "account_holder", "cc_number", "code"],
            roles: [
                "type": .otherTitle("type"), "name": .title,
                "account_name": .otherTitle("account name"), "account_holder": .secret("holder"),
                "cc_number": .secret("number"), "code": .secret("code"),
                "note": .secret("notes"),
            ], kind: .card),
        CSVHeader(
            format: .dashlane,
            required: ["type", "number", "issue_date", "expiration_date", "place_of_issue"],
            roles: ["type": .otherTitle("type")], kind: .identity),
        CSVHeader(
            format: .dashlane, required: ["type", "first_name", "last_name", "date_of_birth"],
            roles: ["type": .otherTitle("type"), "item_name": .title], kind: .identity),
        CSVHeader(
            format: .dashlane, required: ["title", "note"],
            roles: ["title": .title, "note": .secret("notes"), "category": .group], isExact: true),
    ]
}

/// The role of a column in the export of another password manager.
enum ColumnRole: Hashable {
    case title
    case account
    case url
    /// URLs with commas between them.
    case urls
    case password
    /// The account if the others are empty, or else a field of this name.
    case otherAccount(String)
    /// The title if the others are empty, or else a field of this name.
    case otherTitle(String)
    /// A field of this name.
    case secret(String)
    /// An attribute with this key. Attributes are visible while the vault is unlocked.
    case attribute(String)
    /// An attribute with this key: a time in seconds since 1970.
    case time(String)
    /// An attribute that is omitted if it is `0` or `false`.
    case flag(String)
    /// Whether the program asks for verification before it shows the values.
    case protection
    /// The kind of the record.
    case kind
    /// A folder, which becomes a tag.
    case group
    /// Tags separated by any of these characters.
    case tags([Character])
    /// An unknown column, which becomes a field of its name.
    case own
    case ignored

    /// Whether a row that ends before the column is no whole record.
    var isNeeded: Bool {
        switch self {
        case .title, .account, .url, .urls, .password: true
        default: false
        }
    }
}

/// The roles of the columns of a CSV file, as the user names them: `user=login,password=secret`.
///
/// Further columns become fields of their names.
public struct ColumnMap: Sendable, Hashable {
    /// The names of the roles, in the order of a message.
    public static let roles = ["title", "user", "password", "url", "notes", "totp", "tags"]

    /// The roles by lower-case column.
    let columns: [String: ColumnRole]

    /// Reads a map; nil for an unknown or repeated role, a repeated column, or another text.
    ///
    /// - Parameter text: The roles and columns. A comma that no role follows belongs to the column.
    public init?(_ text: String) {
        let known: [String: ColumnRole] = [
            "title": .title, "user": .account, "password": .password, "url": .url,
            "notes": .secret("notes"), "totp": .secret("totp"), "tags": .tags([",", ";"]),
        ]
        var pairs: [(role: String, column: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let equals = part.firstIndex(of: "="), known[String(part[..<equals])] != nil {
                pairs.append((String(part[..<equals]), String(part[equals...].dropFirst())))
            } else if pairs.isEmpty || part.contains(where: { $0 == "=" }) {
                return nil
            } else {
                pairs[pairs.count - 1].column += ",\(part)"
            }
        }
        var columns: [String: ColumnRole] = [:]
        for (role, column) in pairs {
            columns[column.lowercased()] = known[role]
        }
        guard columns.count == pairs.count, Set(columns.values).count == pairs.count,
            !columns.isEmpty, columns[""] == nil
        else { return nil }
        self.columns = columns
    }

    var header: CSVHeader { CSVHeader(format: .mapped, required: [], roles: columns) }
}
