import Secrets
import SecureStorage
import Testing

@Suite("Exports of other programs")
struct ExporterShapeTests {
    @Test("KeePassXC: quotes, line ends inside of notes, one-time password")
    func keePassXC() throws {
        let (report, secrets) = try imported(ExporterShapes.keePassXC)
        #expect(report.format == .keePassXC)
        #expect(report.imported == 4 && report.skipped.isEmpty && report.nameChanges.isEmpty)
        #expect(
            secrets.map(\.place) == ["alice", "alice notes", "alice totp", "password"])
        let login = try #require(secrets.of("alice"))
        #expect(login.name.service == "Example \"Mail\"")
        #expect(login.attributes.label == "Example \"Mail\"")
        #expect(login.attributes.accessClass == .whileUnlocked)
        #expect(login.text == "Geheim,1")
        #expect(login.line == 2)
        #expect(login["url"] == "https://mail.example.org/")
        // Without the name of the database.
        #expect(login["tags"] == "Mail")
        #expect(login["created"] == "2025-01-02T03:04:05Z")
        #expect(login["modified"] == "2026-01-02T03:04:05Z")
        #expect(login.attributes.extra.map(\.key) == ["created", "modified", "tags", "url"])
        #expect(
            secrets.of("alice", "notes")?.text == "first line Geheim\nsecond \"line\" Geheim")
        #expect(secrets.of("alice", "totp")?.text == "otpauth://totp/x?secret=GEHEIMAA")
        #expect(secrets.of("password")?.name.service == "Router")
        #expect(secrets.of("password")?.line == 4)
    }

    @Test("Bitwarden: custom fields, a note without a login, several addresses")
    func bitwarden() throws {
        let (report, secrets) = try imported(ExporterShapes.bitwarden)
        #expect(report.format == .bitwarden)
        #expect(
            secrets.map(\.place) == ["bob", "bob fields", "bob totp", "notes notes"])
        #expect(secrets.of("bob")?.text == "Geheim3")
        #expect(secrets.of("bob")?["tags"] == "Work")
        #expect(report.kinds == [.login: 1, .note: 1])
        #expect(secrets.of("bob")?["favorite"] == "1")
        #expect(secrets.of("bob")?["reprompt"] == nil)
        #expect(secrets.of("bob")?["url"] == "https://example.org\nhttps://example.com")
        #expect(secrets.of("bob", "fields")?.text == "pin: Geheim1\nhint: Geheim2")
        #expect(secrets.of("notes", "notes", service: "Safe combination")?.text == "Geheim 4")
        // Bitwarden asks for the master password before it shows the note.
        #expect(secrets.of("notes", "notes")?.attributes.accessClass == .afterVerification)
        #expect(secrets.of("bob")?.attributes.accessClass == .whileUnlocked)
    }

    @Test("Bitwarden, organisation: collections in place of a folder")
    func bitwardenOrganisation() throws {
        let (_, secrets) = try imported(
            """
            collections,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
            "a,b",login,Example,,,0,,bob,Geheim,
            """)
        #expect(secrets.of("bob")?["tags"] == "a b")
    }

    @Test("Chromium: the host without a name, also of an app")
    func chromium() throws {
        let (report, secrets) = try imported(ExporterShapes.chromium)
        #expect(report.format == .chromium)
        #expect(secrets.of("carol", service: "example.org")?.text == "Geheim\"1\"")
        #expect(secrets.of("dave", service: "shop.example.org")?.text == "Geheim2")
        #expect(secrets.of("dave")?.attributes.label.isEmpty == true)
        #expect(secrets.of("dave", "notes")?.text == "Geheim 3")
        #expect(secrets.of("erin", service: "android") != nil)
        let old = try imported("name,url,username,password\na,https://a.example,b,Geheim")
        #expect(old.report.format == .chromium && old.report.imported == 1)
    }

    @Test("Firefox: the host as service, times and realm as attributes")
    func firefox() throws {
        let (report, secrets) = try imported(ExporterShapes.firefox)
        #expect(report.format == .firefox)
        #expect(secrets.of("frank", service: "example.org")?.text == "Geheim1")
        #expect(secrets.of("admin", service: "router.example")?["http_realm"] == "Router admin")
        #expect(secrets.of("frank")?["modified"] == "1700000000002")
        #expect(secrets.of("frank")?["guid"] == "{0a1b}")
    }

    @Test("Safari: notes and one-time password")
    func safari() throws {
        let (report, secrets) = try imported(ExporterShapes.safari)
        #expect(report.format == .safari)
        #expect(
            secrets.map(\.place) == ["grace", "grace notes", "grace totp", "heidi"])
        #expect(secrets.of("grace")?.name.service == "example.org (grace)")
    }

    @Test("1Password CSV: tags, favourite, archived, a note")
    func onePassword() throws {
        let (report, secrets) = try imported(ExporterShapes.onePassword)
        #expect(report.format == .onePassword)
        #expect(secrets.map(\.place) == ["ivan", "ivan totp", "ivan notes", "notes notes"])
        #expect(secrets.of("ivan")?["tags"] == "work my-mail")
        #expect(secrets.of("ivan")?["favorite"] == "true")
        #expect(secrets.of("ivan")?["archived"] == nil)
        #expect(secrets.of("notes", "notes", service: "Note")?["archived"] == "true")
        #expect(report.kinds == [.login: 1, .note: 1])
    }

    @Test("Bitwarden JSON: each kind, own fields, folders, further addresses, and what is left out")
    func bitwardenJSON() throws {
        let (report, secrets) = try imported(ExporterShapes.bitwardenJSON)
        #expect(report.format == .bitwardenJSON)
        #expect(report.kinds == [.login: 1, .note: 1, .card: 1, .identity: 1, .sshKey: 1])
        #expect(
            secrets.map(\.place) == [
                "judy", "judy notes", "judy totp", "judy pin code", "judy notes-2",
                "notes notes", "card holder", "card brand", "card number", "card code",
                "card expiry", "identity first-name", "identity address1",
                "identity passport-number", "private-key private-key", "private-key public-key",
                "private-key fingerprint",
            ])
        let login = try #require(secrets.of("judy"))
        #expect(login.text == "Geheim'3")
        #expect(login.line == 7)
        #expect(login["url"] == "https://example.org\nhttps://example.com")
        #expect(login["tags"] == "Work/My-Mail")
        #expect(login["favorite"] == "1" && login["reprompt"] == nil)
        #expect(login.attributes.accessClass == .afterVerification)
        #expect(login["modified"] == "2026-01-02T03:04:05.000Z")
        #expect(secrets.of("judy", "notes")?.text == "Geheim\nnote")
        #expect(secrets.of("judy", "notes-2")?.text == "Geheim2")
        #expect(secrets.of("card", "expiry")?.text == "4/2030")
        #expect(secrets.of("identity", "passport-number")?.text == "Geheim5")
        #expect(
            report.unsupported == [
                .init(line: 7, .earlierValues), .init(line: 7, .link),
                .init(line: 7, .passkey), .init(line: 7, .addressMatch),
            ])
        // The custom field `notes`.
        #expect(report.nameChanges == [.init(line: 7, .field)])
    }

    @Test("KeePass XML: groups, references and CDATA, the recycle bin, and what is left out")
    func keePassXML() throws {
        let (report, secrets) = try imported(ExporterShapes.keePassXML)
        #expect(report.format == .keePassXML)
        #expect(
            secrets.map(\.place) == ["password", "kim", "kim notes", "kim totp", "kim PIN"])
        #expect(secrets.of("password", service: "At root")?["tags"] == nil)
        let login = try #require(secrets.of("kim", service: "Ex & <q>"))
        #expect(login.text == "Geheim<&amp;>\"1")
        #expect(login["tags"] == "old two-words Mail/My-Work")
        #expect(login["url"] == "https://mail.example.org/")
        #expect(login["created"] == "2025-01-02T03:04:05Z")
        #expect(login["expires"] == nil)
        #expect(login.line == 22)
        #expect(secrets.of("kim", "notes")?.text == "Geheim\nsecond <line> & \u{1F600}")
        #expect(secrets.of("kim", "totp")?.text == "otpauth://totp/x?secret=GEHEIMAA&period=30")
        #expect(report.kinds == [.login: 2])
        #expect(report.skipped.map(\.subject) == [.deleted])
        #expect(report.unsupported.map(\.subject) == [.attachment, .earlierValues])
    }

    @Test("1PUX: items by number, each kind of value, vault and tags, and what is left out")
    func onePUX() throws {
        let (report, secrets) = try imported(ExporterShapes.onePUX)
        #expect(report.format == .onePUX)
        #expect(report.kinds == [.login: 1, .card: 1, .note: 1, .sshKey: 1])
        #expect(
            secrets.map(\.place) == [
                "lea", "lea notes", "lea totp", "lea x", "lea Security.PIN", "lea Security.mail",
                "lea Security.home", "lea Security.born", "card holder",
                "card number", "card code", "card expiry",
                "notes notes", "private-key private-key", "private-key public-key",
                "private-key fingerprint",
            ])
        let login = try #require(secrets.of("lea"))
        #expect(login.text == "Geheim1" && login.line == 1)
        #expect(login["url"] == "https://example.org\nhttps://example.com")
        #expect(login["tags"] == "work my-mail My-Vault")
        #expect(login["created"] == "2021-02-26T00:22:36Z")
        #expect(secrets.of("lea", "Security.home")?.text == "Geheim 1\nGeheim Town")
        #expect(secrets.of("lea", "Security.born")?.text == "1990-01-01")
        #expect(secrets.of("lea", "Security.mail")?.text == "geheim@example.org")
        #expect(secrets.of("card", "expiry")?.text == "04/2030")
        #expect(secrets.of("card", "number")?["archived"] == "true")
        #expect(
            report.unsupported == [
                .init(line: 1, .attachment), .init(line: 1, .earlierValues),
            ])
    }

    @Test("Attributes and names have no secrets", arguments: ExporterShapes.all)
    func attributesHoldNoSecret(shape: ExporterShape) throws {
        let (_, secrets) = try imported(shape.text)
        #expect(!secrets.isEmpty)
        for secret in secrets {
            let visible = "\(secret.name) \(secret.attributes)"
            #expect(!visible.lowercased().contains(ExporterShapes.marker.lowercased()))
            #expect(!secret.value.isEmpty)
        }
    }

    @Test(
        "The same with CR and LF, with a byte order mark, without the last line end, with empty lines",
        arguments: ExporterShapes.all)
    func lineEnds(shape: ExporterShape) throws {
        let plain = try imported(shape.text)
        let withMark = try imported("\u{FEFF}" + shape.text)
        #expect(withMark.secrets == plain.secrets && withMark.report == plain.report)
        let unended = try imported(String(shape.text.dropLast()))
        #expect(unended.secrets == plain.secrets)
        let windows = try imported(shape.text.replacing("\n", with: "\r\n"))
        #expect(windows.secrets.map(\.name) == plain.secrets.map(\.name))
        #expect(windows.secrets.map(\.line) == plain.secrets.map(\.line))
        #expect(windows.secrets.map(\.attributes) == plain.secrets.map(\.attributes))
        // A line end inside a field is content and stays.
        #expect(
            windows.secrets.map { $0.text.replacing("\r\n", with: "\n") }
                == plain.secrets.map(\.text))
        let spaced = try imported("\n\r\n" + shape.text + "\r\n\n")
        #expect(spaced.secrets.map(\.value) == plain.secrets.map(\.value))
        // In a 1PUX archive it is the number of the item.
        let added = shape.text == ExporterShapes.onePUX ? 0 : 2
        #expect(spaced.secrets.map { $0.line - added } == plain.secrets.map(\.line))
    }

    @Test("Columns in any order and case")
    func columnOrder() throws {
        let (report, secrets) = try imported("PASSWORD,Url,Name,USERNAME\nGeheim,u,n,a\n")
        #expect(report.format == .chromium)
        #expect(secrets.of("a", service: "n")?.text == "Geheim")
    }

    @Test("Each format is recognised by its own header, and each role occurs once")
    func formatsAreDistinct() throws {
        let headers: [ExchangeFormat: String] = [
            .keePassXC: ExporterShapes.keePassXC, .bitwarden: ExporterShapes.bitwarden,
            .chromium: ExporterShapes.chromium, .firefox: ExporterShapes.firefox,
            .safari: ExporterShapes.safari, .taskVaultCSV: ExporterShapes.taskVaultCSV,
            .taskVaultJSON: ExporterShapes.taskVaultJSON,
            .onePassword: ExporterShapes.onePassword, .onePUX: ExporterShapes.onePUX,
            .bitwardenJSON: ExporterShapes.bitwardenJSON, .keePassXML: ExporterShapes.keePassXML,
            .lastPass: ExporterShapes.lastPass, .dashlane: ExporterShapes.dashlane,
            .protonPass: ExporterShapes.protonPass, .aegis: ExporterShapes.aegis,
            .seedList: ExporterShapes.seedList,
        ]
        // A folder of `pass` is no file, and the user names the columns of others.
        #expect(headers.count == ExchangeFormat.allCases.count - 2)
        for (format, text) in headers {
            #expect(try imported(text).report.format == format)
        }
    }
}
