import Foundation
import SecretMemory
import TestSupport
import Testing
import TextCoding

@Suite("Base64")
struct Base64Tests {
    private static func secret(_ text: String, _ form: Base64.Form) throws -> [UInt8]? {
        let letters = Array(text.utf8)
        guard let bytes = try unsafe Base64.secret(of: letters.span.bytes, form) else { return nil }
        return Samples.bytes(bytes)
    }

    @Test(
        "each form reads its own texts, and \"any\" both",
        arguments: [
            ("", [], true, true), ("TQ", [77], false, true), ("TQ==", [77], true, false),
            ("TWE=", [77, 97], true, false), ("TWFu", [77, 97, 110], true, true),
            ("-_8", [251, 255], false, true), ("+/8=", [251, 255], true, false),
            ("-_8=", [251, 255], false, false), ("+/8", [251, 255], false, false),
            ("TQ=", nil, false, false), ("T", nil, false, false), ("TR", nil, false, false),
            ("TR==", nil, false, false), ("TWF", nil, false, false),
            ("TQ===", nil, false, false), ("T Q", nil, false, false), ("=", nil, false, false),
            ("====", nil, false, false), ("TWFuTQ=", nil, false, false),
            ("TWF\n", nil, false, false), ("TWF\u{E1}", nil, false, false),
        ] as [(String, [UInt8]?, Bool, Bool)])
    func texts(text: String, bytes: [UInt8]?, isStandard: Bool, isURL: Bool) throws {
        for (form, isRead) in [(Base64.Form.standard, isStandard), (.url, isURL), (.any, true)] {
            let expected = isRead ? bytes : nil
            #expect(Base64.bytes(of: text, form) == expected, "\(form)")
            #expect(try Self.secret(text, form) == expected, "\(form)")
        }
    }

    @Test("each byte is a letter of an alphabet, or none")
    func letters() {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for (form, more) in [(Base64.Form.standard, "+/"), (.url, "-_"), (.any, "+/-_")] {
            for byte in 0...127 as ClosedRange<UInt8> {
                let letter = String(Unicode.Scalar(byte))
                // The letter has the upper six bits of the third byte.
                let isLetter = Base64.bytes(of: "AA" + letter + "A", form) != nil
                #expect(isLetter == (common + more).contains(letter), "\(form) \(byte)")
            }
        }
    }

    @Test("agrees with Foundation on bytes of each size")
    func sizes() throws {
        for size in 0...130 {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 37 + size) }
            let text = Data(bytes).base64EncodedString()
            let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
            #expect(Base64.text(of: bytes) == text)
            #expect(Base64.urlText(of: bytes) == url)
            #expect(Base64.bytes(of: text, .standard) == bytes)
            #expect(Base64.bytes(of: url, .url) == bytes)
            let secret = try Samples.secret(bytes)
            #expect(Samples.bytes(try Base64.text(ofSecret: secret)) == Array(text.utf8))
            #expect(Samples.bytes(try Base64.urlText(ofSecret: secret)) == Array(url.utf8))
        }
    }

    @Test("a secret is decoded into memory that may be larger")
    func target() throws {
        var target = try SecretBytes(count: 10)
        let letters = Array("TWFu".utf8)
        let isRead = unsafe Base64.decode(letters.span.bytes, .standard, into: &target)
        #expect(isRead && Samples.bytes(target) == [77, 97, 110])
    }
}
