import Secrets
import SecureStorage
import Testing

@Suite("Columns and seeds of each manager")
struct ManagerExportTests {
    @Test(
        "LastPass: notes without an address, folders, favourites, and what it writes for special characters"
    )
    func lastPass() throws {
        for totp in [true, false] {
            let text =
                totp
                ? ExporterShapes.lastPass
                : ExporterShapes.lastPass.replacing("totp,", with: "")
                    .replacing("GEHEIMAA,", with: "").replacing(",,,,\"", with: ",,,\"")
            let (report, secrets) = try imported(text)
            #expect(report.format == .lastPass)
            let login = try #require(secrets.of("mia@x.example", service: "Mail"))
            #expect(login.text == "Geheim&lt;1" && login["favorite"] == "1")
            #expect(login["tags"] == "Work\\Accounts")
            #expect(secrets.of("mia@x.example", "notes")?.text == "Geheim line")
            #expect((secrets.of("mia@x.example", "totp") != nil) == totp)
            let note = try #require(secrets.of("notes", "notes", service: "Card one"))
            #expect(note["url"] == nil && note["favorite"] == nil && note["tags"] == "Money")
            #expect(report.kinds == [.login: 1, .note: 1])
            #expect(report.doubts == [.init(line: 2, .entities)])
            #expect(report.titles == [2: ["Mail"]])
        }
    }

    @Test("Dashlane: logins with each name of the seed, notes, cards, documents, personal data")
    func dashlane() throws {
        for column in ["otpUrl", "otpSecret"] {
            let (report, secrets) = try imported(
                ExporterShapes.dashlane.replacing("otpUrl", with: column))
            #expect(report.format == .dashlane && report.unsupported.isEmpty)
            #expect(
                secrets.map(\.place) == [
                    "mia", "mia notes", "mia totp", "mia username2", "second", "second username3",
                ])
            #expect(secrets.of("mia")?["tags"] == "My-Shopping")
        }
        let notes = try imported("title,note\nPlan,Geheim\n")
        #expect(notes.report.format == .dashlane && notes.report.kinds == [.note: 1])
        let cards = try imported(
            "type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,routing_number,account_number,country,issuing_bank,note,name\n"
                + "payment_card,,Mia,4111,123,01,2031,,,,,,Visa\n")
        #expect(cards.report.kinds == [.card: 1])
        #expect(
            cards.secrets.map(\.name.field) == [
                "holder", "number", "code", "type", "expiration_month", "expiration_year",
            ])
        #expect(cards.secrets.allSatisfy { $0.name.service == "Visa" })
        let documents = try imported(
            "type,number,name,issue_date,expiration_date,place_of_issue,state\npassport,X1,Mia,,,,\n"
        )
        #expect(documents.report.kinds == [.identity: 1])
        #expect(documents.secrets.map(\.name.field) == ["number", "name"])
        #expect(documents.secrets.map(\.name.service) == ["passport", "passport"])
    }

    @Test("Proton Pass: the account, addresses, aliases, cards and times, in each version")
    func protonPass() throws {
        let (report, secrets) = try imported(ExporterShapes.protonPass)
        #expect(report.format == .protonPass && report.skipped.isEmpty)
        #expect(report.unsupported.isEmpty)
        let shop = try #require(secrets.of("mia@x.example", service: "Shop"))
        #expect(shop.attributes.addresses == ["https://shop.example/", "https://m.shop.example/"])
        #expect(shop["tags"] == "Personal")
        #expect(shop["created"] == "2024-01-01T00:00:00Z")
        #expect(shop["modified"] == "2025-01-01T00:00:00Z")
        #expect(secrets.of("mia77", service: "Forum")?.text == "Geheim2")
        #expect(secrets.of("mia77", "email")?.text == "mia@x.example")
        #expect(secrets.of("hide@alias.example", "email", service: "Alias one") != nil)
        #expect(secrets.of("notes", "notes", service: "Plan")?.text == "Geheim, \"second\"\nthird")
        let card = secrets.filter { $0.name.service == "Visa" }
        #expect(card.map(\.place) == ["card holder", "card number", "card code", "card expiry"])
        #expect(card.map(\.text) == ["Geheim M", "Geheim 4111", "Geheim3", "Geheim 2031"])
        #expect(report.kinds == [.login: 2, .note: 1, .card: 1, .other: 1])
        let first = try imported(
            "type,name,url,username,password,note,totp,createTime,modifyTime\nlogin,a,,b,Geheim,,,1,2\n"
        )
        #expect(first.report.format == .protonPass)
        #expect(first.secrets.map(\.place) == ["b"])
        // A note that is no JSON stays.
        let broken = try imported(
            "type,name,url,username,password,note,totp\ncreditCard,a,,,,{x,\n")
        #expect(broken.secrets.map(\.text) == ["{x"])
    }

    @Test(
        "Codes from Aegis and from a list of URIs; those by a counter and of Steam have their own word"
    )
    func authenticators() throws {
        let (report, secrets) = try imported(ExporterShapes.aegis)
        #expect(report.format == .aegis)
        #expect(secrets.map(\.name.service) == ["Shop", "Shop", "Forum", "Bank", "Steam"])
        #expect(
            secrets.of("mia", "totp", service: "Shop")?.text
                == "otpauth://totp/?secret=GEHEIMAA&algorithm=SHA256&digits=8&period=60")
        #expect(secrets.of("mia", "totp", service: "Shop")?["tags"] == "At-work")
        #expect(report.unsupported.map(\.subject) == [.counterSeed, .steamSeed])
        #expect(report.titles.values.joined().sorted() == ["Bank", "Steam"])
        #expect(importError(#"{"version":1,"header":{"slots":[]},"db":"QUJD"}"#) == .encrypted)
        #expect(importError(#"{"version":1,"vaults":{}}"#) == .unknownFormat)
        let list = try imported(ExporterShapes.seedList)
        #expect(list.report.format == .seedList)
        #expect(
            list.secrets.map { "\($0.name.service) \($0.place)" } == [
                "Shop mia@x.example totp", "Forum totp totp", "Bank mia totp",
            ])
        #expect(list.secrets.map(\.line) == [2, 4, 5])
        #expect(list.report.unsupported == [.init(line: 5, .counterSeed)])
        let mixed = try imported("otpauth://totp/a?secret=ABCDEFGH\rsecret\rotpauth://totp/b\r")
        #expect(mixed.report.skipped == [.init(line: 2, .notSeed)])
        #expect(mixed.report.isIncomplete)
        #expect(mixed.report.unsupported == [.init(line: 3, .seed)])
    }

    @Test(
        "Other columns are never taken for those of Chrome or Safari, and are named",
        arguments: [
            "name,url,username,password,note,cardholdername,folder",
            "Name,Url,MatchUrl,Username,Password,Note", "title,url,username,password,extra",
            "login,secret", "Account,Login Name,Password,Web Site,Comments",
            "Titel,Benutzername,Passwort,Webseite", "Nom,Identifiant,Mot de passe,Adresse",
            "Назва,Логін,Пароль,Посилання", "Nombre,Usuario,Contraseña", "名称,网址,用户名,密码",
        ])
    func unknownColumns(header: String) throws {
        let columns = header.lowercased().split(separator: ",").map { String($0) }
        let row = columns.map { _ in "x" }.joined(separator: ",")
        #expect(importError("\(header)\n\(row)\n") == .unknownColumns(columns))
        #expect(
            "\(ExchangeError.unknownColumns(columns))".contains(columns.joined(separator: ", ")))
        // The first line may be a secret if no row has as many fields.
        #expect(importError("\(header)x,y\n\(row)\n") == .unknownFormat)
        // A lost line end joined the header and the first login, and a second one the following two.
        let login = "example.org,https://example.org,carol,Geheim1"
        #expect(importError("\(header):\(login)\n\(row):\(login)\n") == .unknownFormat)
    }

    @Test("Columns of any language are named if a column has the addresses")
    func wordsAboveAddresses() {
        let rows = "Mail,mia,Geheim,https://mail.example\nShop,mia,Geheim,http://shop.example\n"
        #expect(
            importError("Hedi,Ainm,Focal,Nasc\n" + rows)
                == .unknownColumns(["hedi", "ainm", "focal", "nasc"]))
        // A first row may be a login.
        #expect(importError("Router,admin,Geheim,\n" + rows) == .unknownFormat)
        #expect(importError("Router,admin,Geheim1,modem\n" + rows) == .unknownFormat)
        #expect(importError("Hedi,Ainm,Focal,Nasc\n" + rows + "a,b,c,d\n") == .unknownFormat)
    }

    @Test("Two items on one line have their own titles")
    func oneLine() throws {
        let item = { (name: String, seed: String) in
            #"{"type":1,"name":"\#(name)","login":{"username":"a","password":"b","totp":"\#(seed)"}}"#
        }
        let items = [
            item("H", "otpauth://hotp/x?secret=GEHEIMAA&counter=1"), item("S", "steam://GEHEIMAA"),
            item("G", "GEHEIMAA"),
        ]
        let report = try imported(
            #"{"encrypted":false,"folders":[],"items":["# + items.joined(separator: ",") + "]}"
        ).report
        #expect(report.unsupported.map(\.subject) == [.counterSeed, .steamSeed])
        #expect(report.unsupported.map(\.line) == [1, 1])
        #expect(report.unsupported.map { report.title(of: $0) } == ["H", "S"])
    }

    @Test("A file without a header shows nothing of its first line")
    func noHeader() {
        #expect(importError("Work,Mail,mia,Geheim\nWork,Shop,mia,Geheim\n") == .unknownFormat)
    }

    @Test("The user names the columns; the others become fields")
    func namedColumns() throws {
        func imported(_ text: String, _ map: String) throws -> [Delivery] {
            let map = try #require(ColumnMap(map))
            var secrets: [Delivery] = []
            let source = try SecretImport(try guarded(Array(text.utf8)), columns: map)
            #expect(source.report.format == .mapped)
            _ = try source.deliver { secret, value in
                secrets.append(
                    Delivery(
                        name: secret.name, attributes: secret.attributes, value: bytes(of: value),
                        line: secret.line))
            }
            return secrets
        }
        let text = "Site,Login,Secret,My, odd,Label\nmail.example,mia,Geheim,1,2,a;b\n"
        let secrets = try imported(
            text, "title=site,user=login,password=secret,tags=label")
        #expect(secrets.map(\.place) == ["mia", "mia my", "mia  odd"])
        #expect(secrets.allSatisfy { $0.name.service == "mail.example" && $0["tags"] == "a b" })
        let quoted = try imported(
            "user,\"pass, word\"\nmia,Geheim\n", "user=user,password=pass, word")
        #expect(quoted.map(\.text) == ["Geheim"])
        for text in [
            "", "user", "user=", "other=x", "user=a,user=b", "user=a,password=a", "x,user=a",
        ] {
            #expect(ColumnMap(text) == nil, "\(text)")
        }
        #expect(throws: ExchangeError.missingColumn("b", ["user", "password"])) {
            try imported("user,password\n1,2\n", "user=b")
        }
        #expect(throws: ExchangeError.noColumns) {
            try imported(ExporterShapes.bitwardenJSON, "user=login")
        }
    }

    @Test("Rows that end early are whole if only optional columns are missing")
    func shortRows() throws {
        let header = "name,url,username,password,note\n"
        let (report, secrets) = try imported(
            header
                + "a,https://a.example,u,p\nb,https://b.example,u,p,n\nc,https://c.example,u\nd,,u,p\n"
        )
        #expect(secrets.map(\.name.service) == ["a", "b", "b", "d"])
        #expect(report.skipped == [.init(line: 4, .cutOff)])
        #expect(report.titles == [4: ["c"]] && report.isIncomplete)
    }

    @Test("A row that ends early is named by its title only if that is its first column")
    func titleOfAShortRow() throws {
        let header = "username,username2,username3,title,password,note,url,category,otpSecret\n"
        let (report, _) = try imported(header + "mia,,,Secret1\n")
        #expect(report.format == .dashlane)
        #expect(report.skipped == [.init(line: 2, .cutOff)] && report.titles.isEmpty)
    }

    @Test("Lines that end with CR")
    func returns() throws {
        let text = "name,url,username,password,note\ra,https://a.example,mia,\"p\rw\",\rb,,eve,2,\r"
        let (report, secrets) = try imported(text)
        #expect(report.format == .chromium)
        #expect(secrets.map(\.text) == ["p\rw", "2"])
        #expect(secrets.map(\.line) == [2, 4])
        // In another file a CR is content.
        let other = try imported("name,url,username,password\na,,mia,p\rw\n")
        #expect(other.secrets.map(\.text) == ["p\rw"])
    }

    @Test("Half of a surrogate pair spoils one item")
    func surrogates() throws {
        func login(_ name: String, _ password: String) -> String {
            #"{"type":1,"name":"\#(name)","login":{"password":"\#(password)"}}"#
        }
        let items = [
            login("a", "1"), login("b", "\\ud83d"), login("c\\udc00", "3"),
            login("d", "\\ud83d\\u0041"), login("e", "\\ud83d\\ude00"),
        ]
        let (report, secrets) = try imported(
            "{\"encrypted\":false,\"items\":[\n" + items.joined(separator: ",\n") + "]}")
        #expect(secrets.map(\.text) == ["1", "\u{1F600}"])
        #expect(report.skipped == [2, 3, 4].map { .init(line: $0 + 1, .damagedText) })
        #expect(report.titles == [3: ["b"], 4: ["c\u{FFFD}"], 5: ["d"]])
        let xml = try imported(
            "<KeePassFile><Root><Group>"
                + ["1", "&#xD83D;", "2"].map {
                    "\n<Entry><String><Key>Password</Key><Value>\($0)</Value></String></Entry>"
                }.joined() + "</Group></Root></KeePassFile>")
        #expect(xml.secrets.map(\.text) == ["1", "2"])
        #expect(xml.report.skipped == [.init(line: 3, .damagedText)])
    }

    @Test("Verification before an item is shown becomes the class")
    func protection() throws {
        let (_, secrets) = try imported(
            #"{"encrypted":false,"items":[{"type":1,"reprompt":1,"name":"Bank","login":{"username":"mia","password":"pw"}},{"type":1,"reprompt":0,"name":"Shop","login":{"password":"pw"}}]}"#
        )
        #expect(secrets.map(\.attributes.accessClass) == [.afterVerification, .whileUnlocked])
        #expect(secrets.allSatisfy { $0["reprompt"] == nil })
    }
}

@Suite("Seeds and references of KeePass")
struct KeePassTests {
    /// A file of entries with these strings; the ids are `0001…`, `0002…` and so on.
    private static func file(_ entries: [[String: String]]) -> String {
        let texts = entries.enumerated().map { number, strings in
            let strings = strings.sorted { $0.key < $1.key }.map {
                "<String><Key>\($0.key)</Key><Value>\($0.value)</Value></String>"
            }
            return "<Entry><UUID>\(ids[number])</UUID>\(strings.joined())</Entry>\n"
        }
        return "<KeePassFile><Root><Group>\n\(texts.joined())</Group></Root></KeePassFile>"
    }

    /// The texts e100000000000000, e200…, e300… in Base64.
    private static let ids = [
        "ZTEwMDAwMDAwMDAwMDAwMA==", "ZTIwMDAwMDAwMDAwMDAwMA==", "ZTMwMDAwMDAwMDAwMDAwMA==",
    ]

    private static func reference(_ wanted: String, _ number: Int) -> String {
        "{REF:\(wanted)@I:653\(number)3030303030303030303030303030}"
    }

    @Test(
        "A secret in each encoding gives the codes of its key",
        arguments: [
            (["TimeOtp-Secret": "12345678901234567890"], ""),
            (["TimeOtp-Secret-Hex": "31 32 33 34 35 36 37 38 39 30 3132333435363738 3930"], ""),
            (["TimeOtp-Secret-Base32": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"], ""),
            (["TimeOtp-Secret-Base64": "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA="], ""),
            (
                [
                    "TimeOtp-Secret-Hex": "3132333435363738393031323334353637383930",
                    "TimeOtp-Length": "8", "TimeOtp-Period": "60",
                    "TimeOtp-Algorithm": "HMAC-SHA-512",
                ], "&algorithm=SHA512&digits=8&period=60"
            ),
            (["otp": "key=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"], ""),
            (["otp": "key=MTIzNDU2Nzg5MDEyMzQ1Njc4OTA%3d&amp;encoding=Base64"], ""),
            (
                [
                    "otp":
                        "key=3132333435363738393031323334353637383930&amp;encoding=Hex&amp;type=Totp&amp;step=60&amp;size=8&amp;otpHashMode=Sha256"
                ], "&period=60&digits=8&algorithm=SHA256"
            ),
            (["otp": "key=12345678901234567890&amp;encoding=UTF8&amp;size=7"], "&digits=7"),
        ] as [([String: String], String)])
    func encodings(strings: [String: String], parameters: String) throws {
        let (report, secrets) = try imported(Self.file([strings]))
        let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        #expect(report.unsupported.isEmpty)
        #expect(secrets.map(\.name.field) == ["totp"])
        #expect(
            secrets.first?.text
                == (parameters.isEmpty ? key : "otpauth://totp/?secret=\(key)\(parameters)"))
    }

    @Test(
        "Other codes stay fields, and have their own word",
        arguments: [
            (["HmacOtp-Secret": "x", "HmacOtp-Counter": "3"], .counterSeed),
            (["otp": "key=ABCDEFGH&amp;type=Hotp&amp;counter=3"], .counterSeed),
            (["otp": "key=ABCDEFGH&amp;type=Steam"], .steamSeed),
            (["TOTP Seed": "ABCDEFGH", "TOTP Settings": "30;S"], .steamSeed),
            (["otp": "otpauth://totp/x?secret=ABCDEFGH&amp;encoder=steam"], .steamSeed),
            (["otp": "key=ABCDEFGH&amp;size=10"], .seed),
            (["otp": "key=!&amp;encoding=Base64"], .seed), (["otp": "ABCDEFGH"], .seed),
            (["TimeOtp-Secret-Hex": "xy"], .seed),
        ] as [([String: String], UnsupportedPart)])
    func otherCodes(strings: [String: String], part: UnsupportedPart) throws {
        let (report, secrets) = try imported(Self.file([strings]))
        #expect(secrets.map(\.name.field).sorted() == strings.keys.sorted())
        #expect(report.unsupported.map(\.subject) == [part])
    }

    @Test("Codes by time and by a counter in one entry")
    func bothCodes() throws {
        let (report, secrets) = try imported(
            Self.file([["TimeOtp-Secret-Base32": "ABCDEFGH", "HmacOtp-Secret": "x"]]))
        #expect(secrets.map(\.name.field) == ["totp", "HmacOtp-Secret"])
        #expect(report.unsupported.map(\.subject) == [.counterSeed])
    }

    @Test("A reference becomes the value of the other entry, also through a third, and within text")
    func references() throws {
        let (report, secrets) = try imported(
            Self.file([
                [
                    "Title": "bank", "UserName": "ada", "Password": "secret-1",
                    "URL": "https://bank.example", "Notes": "plain &amp; simple",
                ],
                [
                    "Title": "clone", "UserName": Self.reference("U", 1),
                    "Password": Self.reference("P", 1).lowercased(), "URL": Self.reference("A", 1),
                    "Notes": "see " + Self.reference("N", 1) + "!", "ID": Self.reference("I", 1),
                ],
                [
                    "Title": "third", "UserName": "{REF:U@T:BANK}",
                    "Password": Self.reference("P", 2),
                    "Other": "{REF:P@U:ad}-{REF:P@P:secret-1}",
                ],
            ]))
        #expect(report.unsupported.isEmpty && report.skipped.isEmpty)
        #expect(secrets.of("ada", service: "clone")?.text == "secret-1")
        #expect(secrets.of("ada", service: "clone")?["url"] == "https://bank.example")
        #expect(secrets.of("ada", "notes", service: "clone")?.text == "see plain & simple!")
        #expect(
            secrets.of("ada", "ID", service: "clone")?.text == "65313030303030303030303030303030")
        #expect(secrets.of("ada", service: "third")?.text == "secret-1")
        #expect(secrets.of("ada", "Other", service: "third")?.text == "secret-1-secret-1")
    }

    @Test("References in a circle, to nothing, and of secrets in names are left out and named")
    func brokenReferences() throws {
        let (report, secrets) = try imported(
            Self.file([
                ["Title": "a", "UserName": "x", "Password": Self.reference("P", 2), "PIN": "1"],
                [
                    "Title": "b", "UserName": Self.reference("P", 3),
                    "Password": Self.reference("P", 1), "PIN": "2",
                ],
                ["Title": "c", "UserName": "{REF:U@T:none}", "Password": "Geheim"],
            ]))
        #expect(secrets.map(\.text) == ["1", "2", "Geheim"])
        #expect(!secrets.contains { "\($0.name)".contains("Geheim") })
        #expect(report.unsupported == [2, 3, 4].map { .init(line: $0, .link) })
        #expect(report.titles == [2: ["a"], 3: ["b"], 4: ["c"]])
    }

    @Test("References that multiply at each level end, and references without an end take no time")
    func manyReferences() throws {
        func many(_ number: Int) -> String {
            String(repeating: Self.reference("P", number), count: 200)
        }
        let (report, secrets) = try imported(
            Self.file([
                ["Title": "a", "PIN": "1", "Password": many(2)],
                ["Title": "b", "PIN": "2", "Password": many(3)],
                [
                    "Title": "c", "Password": String(repeating: "x", count: 200),
                    "Notes": String(repeating: "{REF:P@I:", count: 50_000),
                ],
            ]))
        #expect(report.unsupported.first == .init(line: 2, .link))
        #expect(secrets.of("password", service: "b")?.value.count == 40_000)
        #expect(secrets.of("password", "notes", service: "c") != nil)
    }
}
