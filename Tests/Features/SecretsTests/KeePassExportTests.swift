import SecretMemory
import Secrets
import SecureStorage
import Testing

@Suite("Export for KeePass")
struct KeePassExportTests {
    /// A secret of an entry whose fields have the same attributes.
    private static func secret(
        _ service: String, _ account: String, _ field: String, _ value: String,
        _ attributes: SecretAttributes? = nil
    ) throws -> Delivery {
        Delivery(
            name: try SecretName(service: service, account: account, field: field),
            attributes: attributes ?? SecretAttributes(label: service), value: Array(value.utf8),
            line: 0, created: 1_700_000_000_999, modified: 1_772_355_900_120)
    }

    private static func attributes(
        _ label: String, _ accessClass: AccessClass, _ extra: KeyValuePairs<String, String>
    ) -> SecretAttributes {
        SecretAttributes(
            label: label, accessClass: accessClass,
            extra: extra.map { ExtraAttribute(key: $0.key, text: $0.value) })
    }

    private static func text(_ secrets: [Delivery]) throws -> String {
        String(decoding: try exported(secrets, as: .keePassXML), as: UTF8.self)
    }

    /// The keys of all strings.
    private static func keys(_ text: String) -> [String] {
        text.matches(of: /<String><Key>([^<]*)</).map { String($0.output.1) }
    }

    @Test("An import gives equal entries, with their times as attributes")
    func roundTrip() throws {
        let times = ["2023-11-14T22:13:20Z", "2026-03-01T09:05:00Z"]
        let login = Self.attributes(
            "Mail at home", .afterVerification,
            [
                "change-every": "90 days", "created": "2020-01-02T03:04:05Z",
                "expires": "2026-12-01",
                "modified": "2021-01-02T03:04:05Z", "tags": "home work",
                "url": "https://mail.example/?a&b\nhttps://m.example/\nhttps://n.example/",
            ])
        let secrets = [
            try Self.secret("mail.example", "ada", "PIN", "12\t34", login),
            try Self.secret("mail.example", "ada", "notes", "a\r\nb\rc\nd", login),
            try Self.secret(
                "mail.example", "ada", "password", " <p>&amp;]]>\"'\u{7F}\u{85}\u{FFFD}😀 ", login),
            try Self.secret(
                "mail.example", "ada", "totp", "otpauth://totp/?secret=JBSWY3DP&digits=8", login),
            try Self.secret("mail.example", "eve", "password", "second"),
            // An entry without a user name has the name of its field.
            try Self.secret("router", "password", "password", "third"),
            try Self.secret(
                "safe", "notes", "notes", "left 3", Self.attributes("", .whileUnlocked, [:])),
        ]
        let text = try Self.text(secrets)
        #expect(!text.utf8.contains(13))
        #expect(text.matches(of: /<Entry>/).count == 4)
        #expect(Self.keys(text).count { $0 == "UserName" } == 2)
        let (report, back) = try imported(text)
        #expect(report.format == .keePassXML && report.imported == 7)
        #expect(report.skipped.isEmpty && report.nameChanges.isEmpty && report.unsupported.isEmpty)
        for secret in secrets {
            let found = try #require(
                back.first { $0.name == secret.name }, "\(secret.name)")
            #expect(found.value == secret.value, "\(secret.name)")
            var expected = secret.attributes
            if expected["created"] == nil {
                (expected["created"], expected["modified"]) = (times[0], times[1])
            }
            if expected["expires"] != nil { expected["expires"] = "2026-12-01T23:59:59Z" }
            expected.extra.sort { $0.key < $1.key }
            #expect(found.attributes == expected, "\(secret.name)")
        }
    }

    @Test("Random values come back exactly")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        func text(_ sizes: ClosedRange<Int>, controls: [Unicode.Scalar] = []) -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: sizes, using: &random) {
                let limit: UInt32 =
                    [0x80, 0x300, 0xFFFE, 0x11_0000].randomElement(using: &random) ?? 0
                let scalar = Unicode.Scalar(UInt32.random(in: 0x20..<limit, using: &random)) ?? "&"
                let isAllowed =
                    scalar.properties.generalCategory != .control && scalar.value & 0xFFFE != 0xFFFE
                text.append(isAllowed ? scalar : controls.randomElement(using: &random) ?? "<")
            }
            return String(text)
        }
        for round in 0..<60 {
            var secrets: [Delivery] = []
            for entry in 0..<4 {
                let (service, account) = ("s\(entry)" + text(0...9), "a" + text(0...9))
                for field in ["f" + text(1...9), "notes", "password"] {
                    let value = text(1...80, controls: ["\t", "\n", "\r", "]", ">"])
                    secrets.append(try Self.secret(service, account, field, value))
                }
            }
            let back = try imported(try exported(secrets, as: .keePassXML)).secrets
            #expect(back.count == secrets.count, "seed \(seed), round \(round)")
            for secret in secrets {
                let found = back.first { $0.name == secret.name }
                #expect(found?.value == secret.value, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("A seed in Base32 becomes a URI, an invalid one stays a field")
    func seeds() throws {
        let text = try Self.text([
            try Self.secret("mail.example", "ada", "totp", " jbsw y3dp ehpk 3pxp\n"),
            try Self.secret("mail.example", "eve", "totp", "steam://JBSWY3DP"),
        ])
        #expect(Self.keys(text).filter { $0.hasSuffix("otp") } == ["otp", "totp"])
        let back = try imported(text).secrets
        let uri = try #require(back.of("ada", "totp"))
        #expect(
            uri.text
                == "otpauth://totp/mail.example:ada?secret=JBSWY3DPEHPK3PXP&issuer=mail.example")
        #expect(back.of("eve", "totp")?.text == "steam://JBSWY3DP")
    }

    @Test("No key is repeated, and no field has the place of another one")
    func keysAreUnique() throws {
        let attributes = Self.attributes(
            "", .whileUnlocked, ["url": "https://a.example/\nhttps://b.example/"])
        let fields = [
            "KP2A_URL", "Notes", "Password", "Title", "URL", "UserName", "otp", "password", "totp",
        ]
        let secrets = try fields.map {
            try Self.secret("s", "a", $0, $0 == "totp" ? "JBSWY3DP" : "value", attributes)
        }
        let text = try Self.text(secrets)
        let keys = Self.keys(text)
        #expect(Set(keys).count == keys.count && keys.count == fields.count + 4)
        #expect(text.contains("<Key>Title</Key><Value>s</Value>"))
        #expect(text.contains("<Key>URL</Key><Value>https://a.example/</Value>"))
        #expect(
            try imported(text).secrets.map(\.name.account) == [String](repeating: "a", count: 8))
    }

    @Test("The field with addresses is the URL, also if one is secret")
    func addressField() throws {
        let visible = Self.attributes("s", .whileUnlocked, ["url": "https://a.example/"])
        let text = try Self.text([
            try Self.secret("s", "a", "password", "x"),
            try Self.secret("s", "a", "url", "https://a.example/", visible),
            try Self.secret("t", "a", "url", "https://u:pw@b.example/"),
        ])
        #expect(Self.keys(text).count { $0 == "URL" } == 2)
        let back = try imported(text).secrets
        #expect(back.of("a", service: "s")?["url"] == "https://a.example/")
        #expect(back.of("a", "url", service: "t")?.text == "https://u:pw@b.example/")
        #expect(back.of("a", "url", service: "t")?["url"] == nil)
    }

    @Test("A value that XML cannot hold is left out, and named by the caller")
    func leftOut() throws {
        let pieces = Pieces()
        var exporter = try SecretExporter(.keePassXML) { piece in pieces.append(piece) }
        let values: [([UInt8], isHeld: Bool)] = [
            ([0], false), ([0xFF], false), ([65, 0x1F], false), ([0xED, 0xA0, 0x80], false),
            ([0xEF, 0xBF, 0xBE], false), ([0xEF, 0xBF, 0xBF], false), ([9, 10, 13], true),
            ([0x7F], true), (Array("\u{FFFD}\u{10FFFF}\u{FEFF}".utf8), true),
        ]
        for (number, value) in values.enumerated() {
            let secret = try Self.secret("s", "\(number)", "password", "")
            let item = SecretItem(
                name: secret.name, attributes: secret.attributes, revision: 1, created: 0,
                modified: 0)
            #expect(try exporter.write(item, try guarded(value.0)) == value.isHeld, "\(number)")
        }
        try exporter.finish()
        let (report, back) = try imported(pieces.bytes)
        #expect(back.map(\.name.account) == ["6", "7", "8"])
        #expect(back.map(\.value) == values.filter(\.isHeld).map(\.0) && report.skipped.isEmpty)
    }

    @Test("Times of KDBX 4, further addresses and data of plug-ins in KeePassXC's export")
    func keePassXC() throws {
        func file(_ parts: String) -> String {
            "<KeePassFile><Root><Group><Entry><String><Key>Title</Key><Value>a</Value></String>"
                + parts + "</Entry></Group></Root></KeePassFile>"
        }
        let (report, secrets) = try imported(
            file(
                """
                <Times><CreationTime>eume4g4AAAA=</CreationTime>\
                <LastModificationTime>////////fwA=</LastModificationTime>\
                <ExpiryTime>AAWg4g4AAAA=</ExpiryTime><Expires>True</Expires></Times>\
                <String><Key>KP2A_URL_1</Key><Value>https://c.example/</Value></String>\
                <String><Key>URL</Key><Value>https://b.example/</Value></String>\
                <CustomData><Item><Key>_LAST_MODIFIED</Key><Value>x</Value></Item></CustomData>
                """))
        #expect(report.unsupported.isEmpty)
        #expect(secrets.first?["created"] == "2026-11-30T03:50:18Z")
        // Not a time.
        #expect(secrets.first?["modified"] == "////////fwA=")
        #expect(secrets.first?["expires"] == "2026-12-01T00:00:00Z")
        #expect(
            secrets.first?.attributes.addresses == ["https://b.example/", "https://c.example/"])
        let other = "<CustomData><Item><Key>KPRPC JSON</Key><Value>x</Value></Item></CustomData>"
        #expect(try imported(file(other)).report.unsupported.map(\.subject) == [.other])
    }
}
