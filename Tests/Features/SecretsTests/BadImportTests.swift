import SecretMemory
import Secrets
import SecureStorage
import Testing

@Suite("Bad and unusual exports")
struct BadImportTests {
    @Test("An encrypted export of Bitwarden is refused")
    func encryptedBitwarden() {
        let account = #"{"encrypted":true,"encKeyValidation_DO_NOT_EDIT":"2.x","items":[]}"#
        #expect(importError(account) == .encrypted)
        let password = #"{"encrypted":true,"passwordProtected":true,"salt":"x","data":"2.x"}"#
        #expect(importError(password) == .encrypted)
        let reordered = #"{"passwordProtected":true,"encrypted":true,"data":"2.x"}"#
        #expect(importError(reordered) == .encrypted)
    }

    @Test("Folders may come after the items")
    func foldersLater() throws {
        let file = #"""
            {"encrypted":false,"items":[{"type":1,"name":"a","folderId":"x","login":{"password":"1"}}],
            "folders":[{"id":"x","name":"Work"}]}
            """#
        #expect(try imported(file).secrets.map { $0["tags"] } == ["Work"])
    }

    @Test("Members of Bitwarden that are not known become fields or are reported")
    func unknownMembers() throws {
        let file = #"""
            {"encrypted":false,"items":[
            {"type":9,"name":"a","newText":"1","newList":[1],"newEmpty":[],"newObject":{"someNumber":2,"deep":{"x":1}}}]}
            """#
        let (report, secrets) = try imported(file)
        #expect(secrets.map(\.name.field) == ["new-text", "some-number"])
        #expect(secrets.map(\.text) == ["1", "2"])
        #expect(report.unsupported == [.init(line: 2, .other)])
        #expect(report.kinds == [.other: 1])
    }

    @Test("A name that occurs twice in an object, and removed items")
    func repeatedMember() throws {
        let twice = #"{"encrypted":false,"items":[{"name":"a","name":"b"}]}"#
        #expect(importError(twice) == .invalidJSON(line: 1))
        let removed = #"{"encrypted":false,"items":[{"name":"a","deletedDate":"2026-01-02"}]}"#
        let (report, secrets) = try imported(removed)
        #expect(secrets.isEmpty && report.skipped == [.init(line: 1, .deleted)])
    }

    @Test("A time of any size is kept as it is if it is none")
    func extremeTimes() throws {
        for number in ["-9223372036854775808", "9223372036854775807", "99999999999999999999"] {
            let file = ExporterShapes.onePUX.replacing("1614298956", with: number)
            #expect(try imported(file).report == imported(ExporterShapes.onePUX).report)
        }
    }

    @Test(
        "An address with a password inside is a secret field, however it is written",
        arguments: [
            ("https://bob:hunter2@h.example/", true), ("ada:secret@host/login?to=https://x", true),
            ("https://ada:se/cret@host/", true),
            ("https://a.example,https://ada:hunter2@b.example", true),
            ("https://a.example:8443/login", false), ("https://ada@a.example/", false),
            ("https://a.example/?to=ada@b.example", false),
        ])
    func passwordsInAddresses(address: String, isSecret: Bool) throws {
        let login = #"{"password":"1","uris":[{"uri":"\#(address)"}]}"#
        let file = #"{"encrypted":false,"items":[{"type":1,"name":"a","login":\#(login)}]}"#
        let secrets = try imported(file).secrets
        #expect((secrets[0]["url"] == nil) == isSecret)
        #expect(secrets.contains { $0.name.field == "url" } == isSecret)
    }

    private static func keePass(_ entry: String, before: String = "") -> String {
        before + "<KeePassFile><Root><Group><Entry>\n\(entry)</Entry></Group></Root></KeePassFile>"
    }

    @Test("A document type is refused, whatever it defines")
    func documentType() {
        let entities = """
            <?xml version="1.0"?>
            <!DOCTYPE x [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>

            """
        #expect(importError(Self.keePass("", before: entities)) == .documentType(line: 2))
        let value = "<String><Key>Title</Key><Value>&b;</Value></String>"
        #expect(importError(Self.keePass(value)) == .invalidXML(line: 2))
    }

    @Test(
        "XML that is not well-formed, or has another structure",
        arguments: [
            "<String>", "</Entry>", "<a b></a>", "<a b=c></a>", "<a b=\"1\" b=\"2\"/>", "<a></b>",
            "<a", "<!-- x", "<![CDATA[x", "<?x", "text", "&#0;", "<a>&</a>",
            "<a>&lt</a>", "<a>&#x110000;</a>", "<a>\u{1}</a>", "<a>&#+65;</a>", "<a b=\"<\"/>",
            "<String><Value><b/></Value></String>", "<String><Other/></String>",
        ])
    func malformed(part: String) {
        #expect(importError(Self.keePass(part)) == .invalidXML(line: 2), "\(part)")
    }

    @Test("Other XML, other encodings, bytes that are not UTF-8, and text behind the end")
    func otherXML() {
        #expect(importError("<html></html>") == .unknownFormat)
        #expect(
            importError(Self.keePass("", before: "<?xml version='1.0' encoding='latin1'?>"))
                == .invalidXML(line: 1))
        var bytes = Array(Self.keePass("<UUID>?</UUID>").utf8)
        if let place = bytes.firstIndex(of: UInt8(ascii: "?")) { bytes[place] = 0xFF }
        #expect(importError(bytes) == .invalidXML(line: 2))
        #expect(importError(Self.keePass("") + "<KeePassFile/>") == .invalidXML(line: 2))
        #expect(importError(Self.keePass("") + "x") == .invalidXML(line: 2))
        let deep = String(repeating: "<Group>", count: 100_000)
        #expect(importError("<KeePassFile><Root>" + deep) == .invalidXML(line: 1))
    }

    @Test("A value that the database has encrypted, and a database itself")
    func encryptedKeePass() {
        let value = "<String><Key>Password</Key><Value Protected=\"True\">QUJD</Value></String>"
        #expect(importError(Self.keePass(value)) == .encrypted)
        #expect(importError([0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5]) == .keePassDatabase)
    }

    @Test(
        "Seeds of other programs: alone they are codes, with settings they stay as they are",
        arguments: [
            (["TOTP Seed"], ["totp"]), (["TimeOtp-Secret-Base32"], ["totp"]),
            (["TOTP Settings", "TOTP Seed"], ["TOTP Settings", "TOTP Seed"]),
            (["otp", "TOTP Seed"], ["otp", "totp"]),
        ])
    func seeds(keys: [String], fields: [String]) throws {
        let strings = keys.map { "<String><Key>\($0)</Key><Value>ABCD</Value></String>" }
        let (_, secrets) = try imported(Self.keePass(strings.joined()))
        #expect(Set(secrets.map(\.name.field)) == Set(fields))
        #expect(secrets.allSatisfy { $0.text == "ABCD" })
    }

    @Test(
        "Seeds with settings become URIs; kinds without codes stay fields and are reported",
        arguments: [
            (["TOTP Seed": "ABCDEFGH", "TOTP Settings": "30;8"], "&period=30&digits=8"),
            (
                ["TOTP Seed": "ABCDEFGH", "TOTP Settings": "60;6;https://c.example"],
                "&period=60&digits=6"
            ),
            (["TOTP Seed": "ABCDEFGH", "TOTP Settings": "30;10"], nil),
            (["TOTP Seed": "ABCDEFGH", "TOTP Settings": "0;6"], nil),
            (
                [
                    "TimeOtp-Secret-Base32": "ABCDEFGH", "TimeOtp-Length": "8",
                    "TimeOtp-Period": "60", "TimeOtp-Algorithm": "HMAC-SHA-256",
                ], "&algorithm=SHA256&digits=8&period=60"
            ),
            (["TimeOtp-Secret-Base32": "ABCDEFGH", "TimeOtp-Algorithm": "MD5"], nil),
            (["TimeOtp-Secret-Hex": "0"], nil), (["TimeOtp-Length": "8"], nil),
        ] as [([String: String], String?)])
    func seedsWithSettings(strings: [String: String], parameters: String?) throws {
        let file = strings.map { "<String><Key>\($0)</Key><Value>\($1)</Value></String>" }
        let (report, secrets) = try imported(Self.keePass(file.joined()))
        if let parameters {
            #expect(secrets.map(\.name.field) == ["totp"])
            #expect(secrets.map(\.text) == ["otpauth://totp/?secret=ABCDEFGH" + parameters])
            #expect(report.unsupported.isEmpty)
        } else {
            #expect(Set(secrets.map(\.name.field)) == Set(strings.keys))
            #expect(report.unsupported.map(\.subject) == [.seed])
        }
    }

    @Test(
        "A seed that gives no codes is reported, and stays a field",
        arguments: [
            ("ABCDEFGH", nil), ("otpauth://totp/x?secret=ABCDEFGH", nil),
            ("steam://ABCDEFGH", .steamSeed),
            ("otpauth://hotp/x?secret=ABCDEFGH", .counterSeed), ("no seed", .seed),
            ("otpauth://totp/x?secret=ABCDEFGH&encoder=steam", .steamSeed),
        ] as [(String, UnsupportedPart?)])
    func unusableSeeds(seed: String, part: UnsupportedPart?) throws {
        let login = #"{"password":"1","totp":"\#(seed)"}"#
        let (report, secrets) = try imported(
            #"{"encrypted":false,"items":[{"type":1,"name":"a","login":\#(login)}]}"#)
        #expect(secrets.of("password", "totp")?.text == seed)
        #expect(report.unsupported.map(\.subject) == [part].compactMap { $0 })
    }

    @Test("A value that KeePass takes from another entry is left out, not imported as text")
    func references() throws {
        let reference = "{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}"
        func entry(_ strings: [(String, String)]) -> String {
            Self.keePass(
                strings.map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }.joined()
            )
        }
        let (report, secrets) = try imported(
            entry([
                ("Title", "a"), ("UserName", "{ref:U@T:b}"), ("Password", "x" + reference),
                ("PIN", reference), ("Notes", "see " + reference), ("Odd", "{REF:"),
            ]))
        #expect(secrets.map(\.name.field) == ["notes", "Odd"])
        #expect(secrets.map(\.name.account) == ["notes", "notes"])
        #expect(report.unsupported == [.init(line: 1, .link)])
        // With nothing else there is no entry, rather than one with an empty password.
        let alone = try imported(entry([("Title", "a"), ("Password", reference)]))
        #expect(alone.secrets.isEmpty)
        #expect(alone.report.skipped.map(\.subject) == [.emptyRecord])
        let table = try imported(
            "Group,Title,Username,Password,URL,Notes\nRoot,a,ada,\(reference),,n\n")
        #expect(table.secrets.map(\.place) == ["ada notes"])
        #expect(table.report.unsupported == [.init(line: 2, .link)])
    }

    @Test(
        "Bitwarden's CSV joins addresses with commas, which paths have as well",
        arguments: [
            ("https://a.example,b.example", ["https://a.example", "b.example"]),
            (
                "https://a.example/x,y,https://b.example",
                ["https://a.example/x,y", "https://b.example"]
            ),
            ("https://a.example?q=1,2", ["https://a.example?q=1,2"]),
            ("https://a.example/,b.example", ["https://a.example/,b.example"]),
        ])
    func joinedAddresses(text: String, addresses: [String]) throws {
        let (_, secrets) = try imported(
            "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
                + ",,login,a,,,0,\"\(text)\",ada,1,\n")
        #expect(secrets.map(\.place) == ["ada"])
        #expect(secrets[0].attributes.addresses == addresses)
    }

    @Test("Members that are null count as absent")
    func nullMembers() throws {
        let key = #"{"title":"k","id":"k","value":{"sshKey":{"privateKey":"1","metadata":null}}}"#
        let (report, secrets) = try imported(
            #"""
            {"accounts":[{"vaults":[{"attrs":null,"items":[null,
            {"categoryUuid":"114","overview":null,"details":{"loginFields":null,"sections":[null,{"title":null,"fields":[\#(key)]}]}},
            {"overview":{"title":"b","urls":[null],"tags":[null]},"details":{"password":"2"}},
            {"overview":{"title":"c"},"details":{"password":"3","passwordHistory":null}}]}]}]}
            """#)
        #expect(secrets.map(\.text) == ["1", "2", "3"])
        #expect(secrets.map(\.line) == [1, 2, 3])
        #expect(report.skipped.isEmpty && report.unsupported.isEmpty)
        let bitwarden = try imported(
            #"""
            {"encrypted":false,"folders":null,"items":[null,
            {"type":1,"name":"a","collectionIds":[null],"login":{"password":"1","uris":[null]},"fields":[null],"card":null}]}
            """#)
        #expect(bitwarden.secrets.map(\.text) == ["1"])
    }

    @Test("1PUX: user name and password of a section, titles of sections, references, and sign-ins")
    func sections() throws {
        func file(_ details: String) -> String {
            #"{"accounts":[{"vaults":[{"attrs":{"name":"V","desc":"For work"},"items":[\#(details)]}]}]}"#
        }
        let server = #"""
            {"categoryUuid":"110","overview":{"title":"Host"},"details":{"sections":[{"fields":[
            {"title":"username","id":"username","value":{"string":"root"}},
            {"title":"password","id":"password","value":{"concealed":"1"}}],"title":""},
            {"fields":[{"title":"password","id":"x1","value":{"concealed":"2"}},
            {"title":"code","id":"x2","value":{"concealed":"3"}},
            {"title":"other item","id":"x3","value":{"reference":"fnpvdbyzxjbmdhj3gwbjw4zxyi"}},
            {"title":"mail","id":"x4","value":{"email":{"email_address":"a@b.example","provider":"icloud"}}},
            {"title":"sign in with","id":"x5","value":{"ssoLogin":{"provider":"google","item":{"vaultUuid":"v"}}}}
            ],"title":"Console"}]}}
            """#
        let (report, secrets) = try imported(file(server))
        #expect(
            secrets.map(\.place) == [
                "root", "root Console.code", "root Console.mail", "root Console.sign in with",
                "root Console.password",
            ])
        #expect(secrets.map(\.text) == ["1", "3", "a@b.example", "google", "2"])
        #expect(
            report.unsupported == [
                .init(line: 1, item: 0, .description), .init(line: 1, item: 1, .link),
                .init(line: 1, item: 1, .other),
            ])
        // Those of a login come first.
        let login = #"""
            {"categoryUuid":"001","overview":{"title":"a"},"details":{"sections":[{"title":"","fields":[
            {"title":"Password","id":"x","value":{"concealed":"2"}}]}],"loginFields":[
            {"value":"ada","designation":"username"},{"value":"1","designation":"password"}]}}
            """#
        let own = try imported(file(login)).secrets
        #expect(own.map(\.place) == ["ada", "ada Password"])
        #expect(own.map(\.text) == ["1", "2"])
    }

    @Test("1 MiB passes in each format, one byte more is reported", arguments: ["JSON", "XML"])
    func largeValues(format: String) throws {
        func file(_ value: String) -> String {
            format == "XML"
                ? Self.keePass("<String><Key>Password</Key><Value>\(value)</Value></String>")
                : #"{"encrypted":false,"items":[{"name":"a","login":{"password":"\#(value)"}}]}"#
        }
        let fits = String(repeating: "x", count: 1_048_576)
        #expect(try imported(file(fits)).secrets.map(\.value.count) == [1_048_576])
        let (report, secrets) = try imported(file(fits + "x"))
        #expect(secrets.isEmpty && report.kinds.isEmpty)
        #expect(report.skipped.map(\.subject) == [.refused(.tooLarge(maximum: 1_048_576))])
    }

    @Test("Formulas are bytes as all others")
    func formulas() throws {
        let value = "=HYPERLINK(\"\"https://x.example\"\",\"\"x\"\")"
        let (_, secrets) = try imported(
            "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n"
                + "=1+1,,@a,\"\(value)\",,,,,\n")
        #expect(secrets.map(\.text) == ["=HYPERLINK(\"https://x.example\",\"x\")"])
        #expect(secrets.map(\.name.service) == ["=1+1"])
        #expect(secrets.map(\.name.account) == ["@a"])
    }

    @Test("Tags are words; those that are too long, or too many, are reported")
    func tags() throws {
        let many = (0..<2_000).map { "tag\($0)" }.joined(separator: ";")
        let (report, secrets) = try imported(
            "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n"
                + "a,,b,c,,,,\" one\ttwo ;ONE-two;;\u{7}x\",\na,,c,d,,,,\(many),\n")
        #expect(secrets[0]["tags"] == "one-two x")
        #expect((secrets[1]["tags"]?.utf8.count ?? 0) <= 4_096)
        #expect(report.unsupported == [.init(line: 3, .tag)])
    }

    @Test("1Password: a category of its own, a removed item, and parts that are not known")
    func onePassword() throws {
        let (report, secrets) = try imported(
            #"""
            {"accounts":[{"vaults":[{"items":[
            {"categoryUuid":"100","state":"active","overview":{"title":"App","url":"https://a.example"},
             "details":{"sections":[{"fields":[{"title":"","id":"reg_code","value":{"string":"1"}},
               {"title":"odd","id":"o","value":{"new":[1]}},{"title":"key","id":"k","value":"2"}]}],"passkey":{"x":"y"}}},
            {"state":"trashed","overview":{"title":"Gone"},"details":{}}
            ],"attrs":{"name":"Later"}}]}]}
            """#)
        #expect(secrets.map(\.name.field) == ["reg_code", "key"])
        #expect(secrets.map { $0["tags"] } == ["Later", "Later"])
        #expect(secrets.map { $0["url"] } == ["https://a.example", "https://a.example"])
        #expect(report.kinds == [.other: 1])
        #expect(
            report.unsupported == [.init(line: 1, .other), .init(line: 1, .passkey)])
        #expect(report.skipped == [.init(line: 2, .deleted)])
    }
}

@Suite("Archives of 1Password")
struct ArchiveTests {
    private static let data = #"""
        {"accounts":[{"vaults":[{"items":[{"overview":{"title":"a"},"details":{"password":"Geheim"}}]}]}]}
        """#

    @Test("Only the member export.data is read; the others are counted, whatever their names are")
    func members() throws {
        let (report, secrets) = try imported(
            Archive([
                ("export.attributes", "{}"), ("files/", ""), ("../../etc/passwd", "x"),
                ("/etc/cron.d/x", "x"), ("export.data", Self.data), ("files/a__b.png", "x"),
            ]).bytes)
        #expect(report.format == .onePUX && report.attachedFiles == 3)
        #expect(secrets.map(\.text) == ["Geheim"])
    }

    @Test("Archives that are damaged, or of another kind")
    func damaged() throws {
        let good = Archive([("export.data", Self.data)])
        #expect(importError(good.bytes) == nil)
        #expect(
            importError(good.bytes + Array("comment".utf8)) == .invalidArchive(reason: Self.text))
        for size in stride(from: 4, to: good.bytes.count, by: 7) {
            #expect(
                importError(Array(good.bytes.prefix(size))) == .invalidArchive(reason: Self.text))
        }
        func changed(_ change: (inout Archive) -> Void) -> ExchangeError? {
            var archive = good
            change(&archive)
            return importError(archive.bytes)
        }
        #expect(changed { $0.checksum ^= 1 } == .invalidArchive(reason: Self.text))
        #expect(changed { $0.flags = 1 } == .encrypted)
        #expect(changed { $0.size = 67_108_865 } == .tooLarge(maximum: 67_108_864))
        #expect(changed { $0.size = 5 } == .invalidArchive(reason: Self.text))
        #expect(changed { $0.header = 9_999 } == .invalidArchive(reason: Self.text))
        #expect(
            changed { $0.method = 9 } == .invalidArchive(reason: "its compression is not deflate"))
        // No deflated data.
        #expect(changed { $0.method = 8 } == .invalidArchive(reason: Self.text))
        #expect(
            importError(Archive([("export.data", "{}"), ("export.data", "{}")]).bytes)
                == .invalidArchive(reason: "it has two members export.data"))
        #expect(
            importError(Archive([("../export.data", "{}")]).bytes)
                == .invalidArchive(reason: "it has no member export.data"))
        #expect(
            importError(Archive([]).bytes)
                == .invalidArchive(reason: "it has no member export.data"))
        #expect(importError(Archive([("export.data", "name,url\n")]).bytes) == .unknownFormat)
        #expect(
            importError(Archive([("export.data", #"{"encrypted":false,"items":[]}"#)]).bytes)
                == .unknownFormat)
    }

    private static let text = "it is damaged"

    @Test("No change of bytes in an archive crashes")
    func mutations() {
        let original = Archive([("files/a", "x"), ("export.data", Self.data)]).bytes
        for place in original.indices {
            for value in [0, 0x7F, 0xFF, original[place] ^ 1] as [UInt8] {
                var bytes = original
                bytes[place] = value
                _ = importError(bytes)
            }
        }
    }
}

/// A ZIP archive without compression.
private struct Archive {
    private var members: [(name: String, content: String)]
    /// Changes of the last member.
    var checksum: UInt32 = 0
    var flags: UInt16 = 0
    var method: UInt16 = 0
    var size: UInt32?
    var header: UInt32?

    init(_ members: [(String, String)]) {
        self.members = members.map { (name: $0.0, content: $0.1) }
    }

    var bytes: [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for (index, member) in members.enumerated() {
            let isLast = index == members.count - 1
            let content = Array(member.content.utf8)
            let start = UInt32(file.count)
            let sum = Self.crc32(content) ^ (isLast ? checksum : 0)
            var common: [UInt8] = Self.number(isLast ? flags : 0 as UInt16)
            common += Self.number(isLast ? method : 0 as UInt16)
            common += [0, 0, 0, 0] as [UInt8]
            common += Self.number(sum) + Self.number(UInt32(content.count))
            common += Self.number(isLast ? size ?? UInt32(content.count) : UInt32(content.count))
            common += Self.number(UInt16(member.name.utf8.count)) + [0, 0] as [UInt8]
            let name = Array(member.name.utf8)
            file += [0x50, 0x4B, 3, 4, 20, 0] as [UInt8]
            file += common + name + content
            directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0] as [UInt8]
            directory += common + [UInt8](repeating: 0, count: 10)
            directory += Self.number(isLast ? header ?? start : start) + name
        }
        let count = Self.number(UInt16(members.count))
        var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
        end += count + count
        end += Self.number(UInt32(directory.count)) + Self.number(UInt32(file.count))
        end += [0, 0] as [UInt8]
        return file + directory + end
    }

    private static func number(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = sum & 1 == 1
                sum >>= 1
                if isOdd { sum ^= 0xEDB8_8320 }
            }
        }
        return ~sum
    }
}
