import SecretMemory
@testable import Secrets
import SecureStorage
import TestSupport
import Testing

/// A number whose comparisons are counted.
private struct Compared: Hashable {
    let number: Int
    let comparisons: Comparisons

    static func == (left: Compared, right: Compared) -> Bool {
        left.comparisons.count += 1
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private final class Comparisons {
    var count = 0
}

@Suite("References and templates")
struct SecretReferenceTests {
    @Test(
        "a reference names a secret",
        arguments: [
            ("mail/ada", ["mail", "ada", "password"]),
            ("taskvault://mail/ada", ["mail", "ada", "password"]),
            ("mail/ada/totp", ["mail", "ada", "totp"]),
            (
                "https:%2F%2Fmail.example%2fbox/ada lovelace/a%25b",
                [
                    "https://mail.example/box", "ada lovelace", "a%b",
                ]
            ),
            ("caf%C3%A9/\u{1F512}", ["caf\u{E9}", "\u{1F512}", "password"]),
            ("a%7D%7D/b", ["a}}", "b", "password"]),
        ])
    func names(text: String, parts: [String]) throws {
        let name = try SecretReference(text).name
        #expect([name.service, name.account, name.field] == parts)
    }

    @Test(
        "a malformed reference is refused",
        arguments: [
            ("", .parts), ("mail", .parts), ("/ada", .parts), ("mail/", .parts),
            ("mail/ada/", .parts), ("a/b/c/d", .parts), ("taskvault://", .parts),
            ("taskvault:///ada", .parts), ("https://mail/ada", .parts), ("a%/b", .percent),
            ("a%2/b", .percent), ("a%2G/b", .percent), ("a%FF/b", .percent), ("a%C3/b", .percent),
        ] as [(String, SecretReferenceError)])
    func malformed(text: String, error: SecretReferenceError) {
        #expect(throws: error) { _ = try SecretReference(text) }
    }

    @Test("a part that is no name is refused", arguments: ["a%00/b", "a/b%0A", "a%7F/b"])
    func noName(text: String) {
        #expect(throws: SecureStoreError.self) { _ = try SecretReference(text) }
    }

    private func fill(_ text: [UInt8], _ values: [String: String]) throws -> [UInt8] {
        let template = try SecretTemplate(try Samples.secret(text))
        var held: [SecretName: HeldSecret] = [:]
        for name in template.names {
            let value = try #require(values[name.account])
            held[name] = HeldSecret(try Samples.secret(value))
        }
        return bytes(of: try template.render(held))
    }

    @Test("values replace references, byte for byte, and are not expanded again")
    func render() throws {
        let text = """
            user = ada {{ name }} {{{taskvault://s/one}}}
            p={{ taskvault://s/one }}{{\ttaskvault://s/two/password\t}} q={{taskvault://s/one}}
            {{ taskvault:/s/x }} {{ taskvault }} }} {{
            """
        let filled = try fill(
            Array(text.utf8), ["one": "{{ taskvault://s/two }}", "two": ""])
        #expect(
            String(decoding: filled, as: UTF8.self) == """
                user = ada {{ name }} {{{ taskvault://s/two }}}
                p={{ taskvault://s/two }} q={{ taskvault://s/two }}
                {{ taskvault:/s/x }} {{ taskvault }} }} {{
                """)
        let bytes: [UInt8] = [0xFF, 0x00, 0x0D, 0x0A]
        #expect(try fill(bytes + Array("{{taskvault://a/b}}".utf8), ["b": "x"]) == bytes + [0x78])
        #expect(try fill([], [:]) == [])
    }

    @Test("each secret is asked for once, in order")
    func once() throws {
        let template = try SecretTemplate(
            try Samples.secret(
                "{{taskvault://b/b}}{{taskvault://a/a}}{{ taskvault://b/b/password }}"))
        #expect(template.names.map(\.service) == ["b", "a"])
    }

    @Test("each of many names is compared with a few others, not with all")
    func manyNames() throws {
        let text = (0..<5_000).map { "{{taskvault://a/\($0)}}" }.joined()
        #expect(try SecretTemplate(try Samples.secret(text)).names.count == 5_000)
        let comparisons = Comparisons()
        let elements = (0..<10_000).map { Compared(number: $0 % 5_000, comparisons: comparisons) }
        #expect(elements.distinct().map(\.number) == Array(0..<5_000))
        // With all before it, each would be compared 2,500 times and more.
        #expect(comparisons.count < 20 * elements.count)
    }

    @Test(
        "a malformed reference of a template is refused with its line",
        arguments: [
            ("\n{{ taskvault://a/b", .open(line: 2)), ("{{ taskvault://a/b }\n}}", .open(line: 1)),
            ("a\r\nb\n{{ taskvault://a }}", .malformed(line: 3)),
            ("{{ taskvault://a/%zz }}", .malformed(line: 1)),
            ("{{ taskvault:// }}", .malformed(line: 1)),
            ("{{ taskvault://a/b/c/d }}", .malformed(line: 1)),
        ] as [(String, SecretReferenceError)])
    func malformedTemplate(text: String, error: SecretReferenceError) {
        #expect(throws: error) { _ = try SecretTemplate(try Samples.secret(text)) }
    }

    @Test("bytes that are not UTF-8 in a reference are refused")
    func notText() throws {
        let text = Array("{{ taskvault://a/".utf8) + [0xFF] + Array(" }}".utf8)
        #expect(throws: SecretReferenceError.malformed(line: 1)) {
            _ = try SecretTemplate(try Samples.secret(text))
        }
    }
}
