import Platform
import SecretMemory
import SecureStorage
@testable import Secrets
import Testing
import TextCoding

@Suite struct SecretAuditTests {
    private static let strong = "xq7#Lm2%Vb9!Rt4&Kw8_"

    /// The findings about entries: names, values, days of the last change before the audit, and attributes.
    private func findings(
        _ entries: [(account: String, password: String, days: Int64, extra: [ExtraAttribute])],
        oldest days: Int64? = 365
    ) throws -> [String] {
        let now = PointInTime(seconds: 2_000_000_000)
        func time(_ days: Int64) -> PointInTime { now.advanced(by: .seconds(-86_400 * days)) }
        var audit = try SecretAudit(oldest: days.map(time), today: "2033-05-18")
        for (account, password, days, extra) in entries {
            let item = SecretItem(
                name: try SecretName(service: "s", account: account),
                attributes: SecretAttributes(extra: extra), revision: 1, created: 0,
                modified: time(days).milliseconds)
            audit.add(SecretEntry(fields: [item]))
            try audit.add(item, SecretBytes(copying: unsafe Array(password.utf8).span.bytes))
        }
        return audit.finish().map { "\($0.kind.rawValue) \($0.name.account): \($0.detail)" }
    }

    @Test func aReusedPasswordNamesTheOthers() throws {
        #expect(
            try findings([
                ("a", Self.strong, 0, []), ("b", Self.strong, 0, []),
                ("c", Self.strong + "x", 0, []),
                ("d", "", 0, []), ("e", "", 0, []),
            ]) == ["reused a: also s b", "reused b: also s a"])
        let many = try findings(["a", "b", "c", "d", "e"].map { ($0, Self.strong, 0, []) })
        #expect(many.first == "reused a: also s b, s c and 2 more")
        #expect(many.count == 5)
    }

    @Test func aWeakPasswordIsFound() throws {
        let found = try findings([("a", "password", 0, []), ("b", Self.strong, 0, [])])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("weak a: at most 10^") == true)
        // A long one is not estimated, which would take long.
        #expect(
            try findings([("a", String(repeating: "a", count: 2_000), 0, [])]) == [])
    }

    @Test func anOldPasswordIsFound() throws {
        #expect(
            try findings([("a", Self.strong, 366, []), ("b", Self.strong + "x", 364, [])])
                == ["old a: of 2032-05-17"])
        #expect(try findings([("a", Self.strong, 366, [])], oldest: nil) == [])
    }

    @Test(arguments: [
        ("2033-05-17", true), ("2033-05-18", false), ("2033-05-17T12:00:00Z", true),
        ("never", false), ("", false), ("2033-5-17", false),
    ])
    func aDayThatHasPassedIsFound(text: String, isFound: Bool) throws {
        let extra = [ExtraAttribute(key: "expires", text: text)]
        #expect(
            try findings([("a", Self.strong, 0, extra)])
                == (isFound ? ["expired a: since 2033-05-17"] : []))
    }

    @Test(arguments: [
        ("http://mail.example/login", true), ("HTTP://MAIL.EXAMPLE", true),
        ("http://localhost.example", true), ("https://mail.example", false),
        ("http://localhost:8080/", false), ("http://127.0.0.1", false), ("http://[::1]:80", false),
        ("http://a.localhost/", false), ("mail.example", false),
    ])
    func anUnencryptedAddressIsFound(address: String, isFound: Bool) throws {
        let extra = [ExtraAttribute(key: ExtraAttribute.url, text: address)]
        #expect(
            try findings([("a", Self.strong, 0, extra)])
                == (isFound ? ["insecure a: \(address)"] : []))
    }

    @Test func findingsAreOrderedByKindAndName() throws {
        let extra = [ExtraAttribute(key: ExtraAttribute.url, text: "http://x.example")]
        let kinds = try findings([("b", "123456", 400, extra), ("a", "123456", 400, extra)]).map {
            $0.prefix { $0 != ":" }
        }
        #expect(
            kinds == [
                "reused a", "reused b", "weak a", "weak b", "old a", "old b", "insecure a",
                "insecure b",
            ])
    }

    @Test(arguments: [
        ("90d", "90 days"), ("1d", "1 day"), ("12 weeks", "12 weeks"), ("6 Months", "6 months"),
        ("a year", "1 year"), ("one month", "1 month"), ("2w", "2 weeks"), ("1y", "1 year"),
        ("6m", nil), ("0d", nil), ("d", nil), ("", nil), ("90", nil), ("90 hours", nil),
        ("36501d", nil), ("-1d", nil), ("99999999999999999999d", nil),
    ])
    func aPeriodIsRead(text: String, expected: String?) {
        #expect(SecretRenewal.Period(text)?.text == expected)
    }

    @Test func aPlanIsKeptInAttributes() {
        var attributes = SecretAttributes(extra: [ExtraAttribute(key: "other", text: "x")])
        #expect(!SecretRenewal(attributes).isPlanned)
        var plan = SecretRenewal(attributes)
        plan.period = SecretRenewal.Period("90d")
        plan.expires = "2033-05-17"
        plan.task = "k7m2ab"
        plan.write(to: &attributes)
        #expect(SecretRenewal(attributes) == plan)
        (plan.period, plan.expires, plan.task) = (nil, nil, nil)
        plan.write(to: &attributes)
        #expect(attributes.extra == [ExtraAttribute(key: "other", text: "x")])
    }
}
