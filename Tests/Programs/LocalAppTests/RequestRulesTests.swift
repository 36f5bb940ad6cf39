import HTTPServer
import Passkeys
import Testing

@testable import LocalApp

/// Which requests are looked at at all.
struct RequestRulesTests {
    static let page = PageOrigin(port: 50_000)
    private let rules = RequestRules(Self.page)
    private let host = Self.page.host
    private let origin = Self.page.text

    private func request(_ method: String, _ fields: [(String, String)]) -> HTTPRequest {
        HTTPRequest(
            method: method, path: "/",
            headers: HTTPHeaders(fields.map { HTTPHeaders.Field($0.0, $0.1) }), id: "1")
    }

    @Test(arguments: [
        "taskvault.localhost:50000", "\(page.host.dropLast(6))", "\(page.host.dropLast())1",
        PageOrigin(port: 50_000).host, "a.\(page.host)", "127.0.0.1:50000", "[::1]:50000",
        "localhost:50000", "evil.example:50000", "\(page.host).", page.host.uppercased(),
    ])
    func anotherHostIsRefused(_ host: String) {
        let fields = [("Host", host), ("Sec-Fetch-Site", "same-origin"), ("Origin", origin)]
        #expect(!rules.allow(request("POST", fields), .action))
        #expect(!rules.allow(request("GET", fields), .file))
        let opening = [
            ("Host", host), ("Origin", "null"), ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "document"),
        ]
        #expect(!rules.allow(request("POST", opening), .opening))
    }

    @Test
    func aSecondHostIsRefused() {
        let fields = [
            ("Host", host), ("Host", host), ("Sec-Fetch-Site", "same-origin"), ("Origin", origin),
        ]
        #expect(!rules.allow(request("POST", fields), .action))
    }

    @Test(arguments: [
        ("POST", "same-origin", page.text, true),
        ("GET", "same-origin", nil, true),
        ("GET", "same-origin", page.text, true),
        ("POST", "same-origin", nil, false),
        ("POST", "same-origin", "null", false),
        ("POST", "same-origin", "\(page.text.dropLast())1", false),
        ("POST", "same-origin", PageOrigin(port: 50_000).text, false),
        ("POST", "same-origin", "http://taskvault.localhost:50000", false),
        ("POST", "same-origin", "https\(page.text.dropFirst(4))", false),
        ("GET", "same-origin", "https://evil.example", false),
        ("POST", "same-site", page.text, false),
        ("GET", "same-site", nil, false), ("GET", "cross-site", nil, false),
        ("GET", "none", nil, false), ("GET", nil, nil, false),
    ])
    func actionsComeFromThePage(
        _ method: String, _ site: String?, _ origin: String?, _ isAllowed: Bool
    ) {
        var fields = [("Host", host)]
        if let site { fields.append(("Sec-Fetch-Site", site)) }
        if let origin { fields.append(("Origin", origin)) }
        #expect(rules.allow(request(method, fields), .action) == isAllowed)
    }

    @Test(arguments: [
        ("GET", "none", true), ("GET", "same-origin", true), ("GET", "same-site", false),
        ("GET", "cross-site", false), ("GET", nil, false), ("POST", "same-origin", false),
        ("HEAD", "none", false), ("OPTIONS", "same-origin", false),
    ])
    func filesAreForThisOriginAndForThePerson(
        _ method: String, _ site: String?, _ isAllowed: Bool
    ) {
        var fields = [("Host", host)]
        if let site { fields.append(("Sec-Fetch-Site", site)) }
        #expect(rules.allow(request(method, fields), .file) == isAllowed)
    }

    @Test(arguments: [
        ("POST", "null", "navigate", "document", true),
        ("POST", "null", "navigate", "iframe", false),
        ("POST", "null", "cors", "document", false),
        ("POST", "https://evil.example", "navigate", "document", false),
        ("POST", page.text, "navigate", "document", false),
        ("GET", "null", "navigate", "document", false),
    ])
    func onlyAFileOpensThePage(
        _ method: String, _ origin: String, _ mode: String, _ kind: String, _ isAllowed: Bool
    ) {
        let fields = [
            ("Host", host), ("Origin", origin), ("Sec-Fetch-Mode", mode),
            ("Sec-Fetch-Dest", kind), ("Sec-Fetch-Site", "cross-site"),
        ]
        #expect(rules.allow(request(method, fields), .opening) == isAllowed)
    }
}
