import SecretMemory
import Secrets
import SecureStorage
import Testing

@Suite("Rules for unusual records")
struct ImportRuleTests {
    private static let header = "title,url,username,password,notes,otpauth\n"

    @Test("Equal names are numbered, the notes with their login")
    func numbering() throws {
        let rows = "a,,bob,1,n1,\na,,bob,2,n2,\na,,bob (2),3,,\na,,bob,4,,\n"
        let (report, secrets) = try imported(Self.header + rows)
        #expect(
            secrets.map(\.place) == [
                "bob", "bob notes", "bob (2)", "bob (2) notes", "bob (2) (2)", "bob (3)",
            ])
        #expect(secrets.map(\.text) == ["1", "n1", "2", "n2", "3", "4"])
        #expect(report.imported == 6)
        #expect(
            report.nameChanges == [
                .init(line: 3, .numbered), .init(line: 4, .numbered),
                .init(line: 5, .numbered),
            ])
    }

    @Test("Records of one name are entries of their own, even without a common field")
    func entries() throws {
        let (report, secrets) = try imported(Self.header + "a,,bob,1,,\na,,bob,,n,\na,,bob,,,t\n")
        #expect(secrets.map(\.place) == ["bob", "bob (2) notes", "bob (3) totp"])
        #expect(
            report.nameChanges == [
                .init(line: 3, .numbered), .init(line: 4, .numbered),
            ])
    }

    @Test("One record is one entry, whose fields have the same account and attributes")
    func oneEntry() throws {
        let (_, secrets) = try imported(Self.header + "a,https://a.example/,bob,1,n,t\n")
        #expect(secrets.map(\.name.field) == ["password", "notes", "totp"])
        #expect(Set(secrets.map(\.name.account)) == ["bob"])
        #expect(Set(secrets.map(\.attributes)).count == 1)
        #expect(secrets.allSatisfy { $0["url"] == "https://a.example/" })
    }

    @Test("Names of TaskVault's own items are skipped")
    func reserved() throws {
        let (report, secrets) = try imported(
            Self.header + "taskvault.task,,a,1,,\nTaskvault.x,,a,2,,\ntaskvault.x,,a,3,,\n")
        #expect(secrets.map(\.name.service) == ["Taskvault.x"])
        #expect(
            report.skipped == [
                .init(line: 2, .reserved), .init(line: 4, .reserved),
            ])
    }

    @Test("Names in NFC and NFD are different names and keep their bytes")
    func normalisation() throws {
        let (report, secrets) = try imported(
            Self.header + "caf\u{E9},,a,1,,\ncafe\u{301},,a,2,,\n")
        #expect(report.nameChanges.isEmpty)
        #expect(
            secrets.map { Array($0.name.service.utf8) } == [
                Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8),
            ])
    }

    @Test("Without a user name the account is the name of the first field")
    func withoutAccount() throws {
        let (_, secrets) = try imported(Self.header + "a,,,1,n,t\na,,  ,2,,\n")
        #expect(
            secrets.map(\.place) == [
                "password", "password notes", "password totp", "password (2)",
            ])
        let (_, note) = try imported(Self.header + "a,,,,n,\n")
        #expect(note.map(\.place) == ["notes notes"])
    }

    @Test("Without title and address the service is `imported`")
    func withoutService() throws {
        let (_, secrets) = try imported(Self.header + ",,bob,1,,\n ,http://,eve,2,,\n")
        #expect(secrets.map(\.name.service) == ["imported", "imported"])
    }

    @Test(
        "The host of an address",
        arguments: [
            ("https://example.org/a", "example.org"), ("https://example.org", "example.org"),
            ("https://u@example.org/a@b:c", "example.org"), ("example.org/login", "example.org"),
            ("https://[2001:db8::1]:443/", "[2001:db8::1]"), ("http://h?q=://x", "h"),
            ("h#f", "h"), ("https://münchen.example/", "münchen.example"),
        ])
    func host(url: String, host: String) throws {
        let (_, secrets) = try imported(Self.header + ",\(url),bob,1,,\n")
        #expect(secrets.of("bob")?.name.service == host)
        #expect(secrets.of("bob")?["url"] == url)
    }

    @Test("An address with a password inside is a secret")
    func addressWithPassword() throws {
        let (_, secrets) = try imported(Self.header + ",https://bob:Geheim@h.example/,bob,,,\n")
        #expect(secrets.map(\.place) == ["bob url"])
        #expect(secrets[0].name.service == "h.example")
        #expect(secrets[0].attributes.extra.isEmpty)
        #expect(secrets[0].text == "https://bob:Geheim@h.example/")
    }

    @Test("Several addresses are one list; one with a password inside is a field beside it")
    func severalAddresses() throws {
        func login(_ addresses: String...) throws -> [Delivery] {
            let list = addresses.map { #"{"uri":"\#($0)"}"# }.joined(separator: ",")
            let login = #"{"username":"bob","password":"1","uris":[\#(list)]}"#
            return try imported(
                #"{"encrypted":false,"items":[{"type":1,"name":"a","login":\#(login)}]}"#
            ).secrets
        }
        let plain = try login("https://a.example/", "https://b.example/")
        #expect(plain.map(\.place) == ["bob"])
        #expect(plain[0].attributes.addresses == ["https://a.example/", "https://b.example/"])
        let second = try login("https://a.example/", "https://u:p@b.example/", "c.example")
        #expect(second.map(\.place) == ["bob", "bob url-2"])
        #expect(second.allSatisfy { $0["url"] == "https://a.example/\nc.example" })
        let first = try login("https://u:p@b.example/", "https://a.example/")
        #expect(first.map(\.place) == ["bob", "bob url", "bob url-2"])
        #expect(first.allSatisfy { $0["url"] == nil })
        let long = "https://" + String(repeating: "x", count: 4_000)
        #expect(try login(long, long).map(\.place) == ["bob", "bob url-2"])
    }

    @Test("An empty password is kept, an empty record is reported")
    func emptyPassword() throws {
        let (report, secrets) = try imported(Self.header + "a,,bob,,,\n,,,,,\na,,eve,,n,\n")
        #expect(secrets.map(\.place) == ["bob", "eve notes"])
        #expect(secrets[0].value.isEmpty)
        #expect(report.skipped == [.init(line: 3, .emptyRecord)])
    }

    @Test("Control characters in names are replaced and reported; in values they stay")
    func controlCharacters() throws {
        let (report, secrets) = try imported(
            Self.header + "\"a\nb\",,\"b\u{7}o\u{85}b\",\"x\n\u{1}\",,\n")
        #expect(secrets[0].name.service == "a\u{FFFD}b")
        #expect(secrets[0].name.account == "b\u{FFFD}o\u{FFFD}b")
        #expect(secrets[0].attributes.label == "a\u{FFFD}b")
        #expect(secrets[0].text == "x\n\u{1}")
        #expect(report.nameChanges == [.init(line: 2, .controlCharactersReplaced)])
    }

    @Test("Long names are shortened between characters, and the ending stays")
    func longNames() throws {
        let long = String(repeating: "ü", count: 600)
        let (report, secrets) = try imported(
            Self.header + "\(long),,\(long),1,n,\n\(long),,\(long),2,,\n")
        #expect(report.imported == 3 && report.skipped.isEmpty)
        for secret in secrets {
            #expect((1_020...1_024).contains(secret.name.service.utf8.count))
            #expect((1_020...1_024).contains(secret.name.account.utf8.count))
            #expect(secret.attributes.label == secret.name.service)
        }
        #expect(secrets[1].name.account == secrets[0].name.account)
        #expect(secrets[2].name.account.hasSuffix("ü… (2)"))
        #expect(report.nameChanges.contains(.init(line: 2, .shortened)))
    }

    @Test("Unknown columns become secrets with distinct names")
    func unknownColumns() throws {
        let (_, secrets) = try imported(
            "group,title,url,username,password,notes,pin code,note,,column 8,url2\n,a,,bob,1,2,3,4,5,6,7\n"
        )
        #expect(
            secrets.map(\.place) == [
                "bob", "bob notes", "bob pin code", "bob note", "bob unnamed", "bob column 8",
                "bob url2",
            ])
        #expect(secrets.map(\.text) == ["1", "2", "3", "4", "5", "6", "7"])
        let clash = try imported(
            "group,title,url,username,password,note,notes,password \n,a,,bob,1,2,3,4\n")
        #expect(clash.secrets.map(\.text) == ["1", "3", "2", "4"])
        #expect(
            clash.secrets.map(\.name.field) == ["password", "notes", "note", "password "])
    }

    @Test("A field with another name than in the file is reported")
    func renamedFields() throws {
        func altered(_ fields: String...) throws -> [NameChange] {
            let list = fields.map { #"{"name":"\#($0)","value":"1"}"# }.joined(separator: ",")
            let file =
                #"{"encrypted":false,"items":[{"name":"a","notes":"n","fields":[\#(list)]}]}"#
            return try imported(file).report.nameChanges.map(\.subject)
        }
        #expect(try altered("PIN", "pin") == [])
        #expect(try altered("PIN", "PIN") == [.field])
        #expect(try altered("notes") == [.field])
        #expect(try altered("") == [.field])
        #expect(try altered(String(repeating: "x", count: 64)) == [])
        #expect(try altered(String(repeating: "x", count: 65)) == [.field])
        #expect(try altered("a\\u0007") == [.field])
    }

    @Test("An attribute of more than 4 KiB becomes a secret, so that attributes always fit")
    func longAttribute() throws {
        let url = "https://h.example/" + String(repeating: "x", count: 4_096)
        let (_, secrets) = try imported(Self.header + "a,\(url),bob,1,,\n")
        #expect(secrets.of("bob")?.attributes.extra.isEmpty == true)
        #expect(secrets.of("bob", "url")?.text == url)
    }

    @Test("A value of 1 MiB passes, a larger one is reported")
    func largeValues() throws {
        let fits = String(repeating: "x", count: 1_048_576)
        let (report, secrets) = try imported(Self.header + "a,,bob,\(fits),,\nb,,eve,\(fits)x,,\n")
        #expect(secrets.map(\.value.count) == [1_048_576])
        #expect(
            report.skipped == [.init(line: 3, .refused(.tooLarge(maximum: 1_048_576)))])
    }

    @Test("A file with only a header imports nothing without an error")
    func onlyHeader() throws {
        let (report, secrets) = try imported(Self.header)
        #expect(report.imported == 0 && secrets.isEmpty && report.skipped.isEmpty)
    }

    @Test("The store's refusal of one secret is reported, any other error ends the import")
    func storeErrors() throws {
        let file = try guarded(Array((Self.header + "a,,bob,1,,\na,,eve,2,,\n").utf8))
        let source = try SecretImport(file)
        let report = try source.deliver { secret, _ in
            if secret.name.account == "bob" { throw SecureStoreError.duplicate }
        }
        #expect(report.imported == 1)
        #expect(report.skipped == [.init(line: 2, .refused(.duplicate))])
        var calls = 0
        #expect(throws: SecureStoreError.locked) {
            _ = try source.deliver { _, _ in
                calls += 1
                throw SecureStoreError.locked
            }
        }
        #expect(calls == 1)
    }

    @Test("A check gives the report of an import", arguments: ExporterShapes.all)
    func check(shape: ExporterShape) throws {
        let file = try guarded(Array(shape.text.utf8))
        #expect(try SecretImport(file).report == imported(shape.text).report)
    }

    @Test("A file with an error at its end is refused before it delivers anything")
    func nothingBeforeAnError() throws {
        #expect(
            importError(Self.header + "a,,bob,1,,\na,,eve,2,,,x\n")
                == .wrongFieldCount(line: 3, expected: 6, found: 7))
    }
}
