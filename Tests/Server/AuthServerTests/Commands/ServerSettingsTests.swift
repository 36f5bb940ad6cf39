import Accounts
@testable import AuthServer
import CommandLine
import HTTPServer
import Testing
import TestSupport
import TextCoding

@Suite struct ServerSettingsTests {
    @Test func theCommandsKeepTheContract() throws {
        try CommandTableContract(.server).check()
    }

    @Test func exitCodesAreStable() {
        let numbers = CommandTable.server.exitCodes.map(\.code.rawValue)
        #expect(numbers == [0, 1, 2, 5, 6, 7, 8, 9, 130])
    }

    @Test func eachSettingIsInTheTableOnce() {
        let names = ServerSettings.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(ServerSettings.all.map(\.variable)).count == names.count)
        #expect(ServerSettings.listen.variable == "TASKVAULT_AUTHD_LISTEN")
        #expect(
            ServerSettings.connectionsOfOneAddress.variable
                == "TASKVAULT_AUTHD_MAXIMUM_CONNECTIONS_OF_ONE_ADDRESS")
    }

    @Test func defaultsAreValid() throws {
        for setting in ServerSettings.all {
            #expect(setting.standard == nil || setting.otherwise == nil, "\(setting.name)")
            guard let standard = setting.standard else { continue }
            #expect(setting.violation(standard) == nil, "\(setting.name)")
        }
    }

    @Test func theDocumentsHaveEverySetting() {
        let reference = CommandReference(.server).text
        let help = HelpText(.server, columns: 100).text(about: ["serve"])
        let page = ManualPage(.server).text
        for setting in ServerSettings.all {
            #expect(reference.contains("| `\(setting.name) = "), "\(setting.name)")
            #expect(help.contains("--\(setting.name)"), "\(setting.name)")
            let escaped = setting.name.split(separator: "-").joined(separator: "\\-")
            #expect(page.contains(".B \(escaped) = "), "\(setting.name)")
        }
    }

    @Test(arguments: [
        ("127.0.0.1:8420", true), ("127.1.2.3:0", true), ("[::1]:65535", true),
        ("0.0.0.0:1", false), ("[::]:1", false), ("192.0.2.1:80", false),
        ("[2001:db8::1]:80", false), ("[::ffff:127.0.0.1]:80", false),
    ])
    func addressesAreParsed(text: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.isLoopback == isLoopback)
        #expect(address.text() == text)
        #expect(address.isEvery == (text.hasPrefix("0.") || text.hasPrefix("[::]")))
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:-1",
        "127.0.0.1: 1", "localhost:80", "::1:80", "[::1]", "[127.0.0.1]:80", "127.0.0.1:00000080",
        "127.1:80", "[::1%lo]:80", "*:80", "127.0.0.1:80\n", "[::1:80", "127.0.0.1\u{0}:80",
    ])
    func otherAddressesAreRefused(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        "https://auth.example.org", "http://127.0.0.1:8420", "https://[::1]:8420",
        "https://localhost", "https://a-b.example:443",
    ])
    func issuersAreParsed(text: String) throws {
        #expect(try #require(IssuerURL(text)).text == text)
    }

    @Test(arguments: [
        "", "https://", "auth.example.org", "ftp://auth.example.org", "https://auth.example.org/",
        "https://auth.example.org/a", "https://auth.example.org?a", "https://auth.example.org#a",
        "https://user@auth.example.org", "https://auth.example.org:", "https://auth.example.org:0",
        "https://auth.example.org:65536", "https://auth.example.org:080", "https://a..b",
        "https://.a", "https://A.example", "HTTPS://a.example", "https://a b", "https://a\"b",
        "https://[::1", "https://[auth]", "https://ä.example",
    ])
    func otherIssuersAreRefused(text: String) {
        #expect(IssuerURL(text) == nil)
    }

    @Test(
        arguments: [
            ("timeout", ["1s", "10m", "0", "1m30s"], ["", "0s", "11m", "10", "1d", "-1s", "1s "]),
            ("session-lifetime", ["1m", "3650d", "1d12h"], ["0", "59s", "3651d", "1h1d", "1y"]),
            ("workers", ["0", "1", "1024"], ["00", "1025", "01", "+1", "1.0", "", "١", "0x1"]),
            ("guess-free-failures", ["0", "1", "1000"], ["00", "1001", "-0", "none"]),
            ("known-devices", ["0", "16"], ["-1"]),
            ("registration", ["invitation", "open"], ["", "Open", "closed"]),
            ("allow-plain-http", ["yes", "no"], ["", "true", "1", "Yes"]),
            (
                "trusted-proxy", ["127.0.0.1", "::1", "10.0.0.0/8, 2001:db8::/32 ,192.0.2.1"],
                ["", ",", "127.0.0.1,", "127.0.0.1 ::1", "10.0.0.0/8 /8", "localhost", "0.0.0.0/0"]
            ),
            ("tls-key", ["a"], ["", "a\u{0}"]),
            ("database", ["a", "/a/b", "postgresql:///x"], ["", "mysql://a/b", "a\u{0}"]),
            (
                "database", ["postgresql://a@localhost/x"],
                ["postgresql://a:secret@localhost/x", "postgresql://a.example/x?sslmode=require"]
            ),
        ] as [(String, [String], [String])])
    func valuesAreChecked(name: String, allowed: [String], refused: [String]) throws {
        let setting = try #require(ServerSettings.setting(name))
        for text in allowed { #expect(setting.violation(text) == nil, "\(text)") }
        for text in refused { #expect(setting.violation(text) != nil, "\(text)") }
    }

    @Test func secretsOfClientsAreHashed() throws {
        let secret = ClientSecret.make()
        #expect(secret.hasPrefix("tvc_"))
        #expect(secret.utf8.count == 4 + 64)
        #expect(ClientSecret.make() != secret)
        // BLAKE2b-256 of "abc", by another implementation.
        let hash = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"
        let read = try #require(ClientSecret.hash(hash))
        #expect(ClientSecret.text(read) == hash)
        #expect(read == .init(of: "abc"))
        for wrong in [
            "", "ab", hash.uppercased(), String(hash.dropLast()), hash + "0",
            "g" + hash.dropFirst(),
        ] {
            #expect(ClientSecret.hash(wrong) == nil)
        }
    }
}
