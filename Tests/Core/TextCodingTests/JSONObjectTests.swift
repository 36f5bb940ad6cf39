import SecretMemory
import TestSupport
import Testing
import TextCoding

@Suite("Members of JSON objects")
struct JSONObjectTests {
    private enum Failure: JSONReadingFailure, Equatable {
        case json(Int)
        case repeated(String, Int)

        static func invalidJSON(line: Int) -> Failure { .json(line) }
        static func repeatedMember(_ name: String, line: Int) -> Failure { .repeated(name, line) }
    }

    private static let text = #"""
        {"text":"a\u00e4\n", "number": -12, "fraction":1.50, "yes":true, "no":false, "nothing":null,
         "list":["x", [1] , "y"], "texts":[ "x","y" ], "empty":[], "object":{"text":"inner"}}

        """#

    private func read<Result>(
        _ text: String, limit: Int = .max, _ body: (JSONObject, RawSpan) throws -> Result
    ) throws -> Result? {
        let letters = Array(text.utf8)
        let bytes = unsafe letters.span.bytes
        return try JSONObject(bytes, limit: limit).map { try body($0, bytes) }
    }

    private func failure(_ text: String, limit: Int = .max) -> Failure? {
        let letters = Array(text.utf8)
        do {
            _ = try unsafe JSONObject(letters.span.bytes, limit: limit, Failure.self)
            return nil
        } catch {
            return error as? Failure
        }
    }

    @Test("each kind is read as itself, and as no other")
    func kinds() throws {
        let wasRead: Void? = try read(Self.text) { object, bytes in
            #expect(
                object.names == [
                    "text", "number", "fraction", "yes", "no", "nothing", "list", "texts", "empty",
                    "object",
                ])
            #expect(object.text("text", in: bytes) == "a\u{E4}\n")
            #expect(object.number("number", in: bytes) == -12)
            #expect(object.number("fraction", in: bytes) == nil)
            #expect(object.numberText("fraction", in: bytes) == "1.50")
            #expect(object.flag("yes", in: bytes) == true)
            #expect(object.flag("no", in: bytes) == false)
            #expect(object.kind(of: "nothing") == .null && !object.has("nothing"))
            #expect(object.kind(of: "missing") == nil && !object.has("missing"))
            #expect(object.has("no") && object.has("empty"))
            #expect(object.texts("texts", in: bytes) == ["x", "y"])
            #expect(object.texts("empty", in: bytes) == [])
            #expect(object.texts("list", in: bytes) == nil)
            let texts = object.elements("list", in: bytes)?.map {
                JSONObject.text(at: $0, in: bytes)
            }
            #expect(texts == ["x", nil, "y"])
            let inner = try #require(object.range(of: "object"))
            let part = bytes.extracting(inner)
            #expect(JSONObject(part)?.text("text", in: part) == "inner")
            for name in object.names + ["missing"] {
                let kind = object.kind(of: name)
                #expect((object.text(name, in: bytes) != nil) == (kind == .string), "\(name)")
                #expect((object.numberText(name, in: bytes) != nil) == (kind == .number))
                #expect((object.flag(name, in: bytes) != nil) == (kind == .boolean))
                #expect((object.elements(name, in: bytes) != nil) == (kind == .array))
                let isSecret = try object.secret(name, in: bytes) != nil
                #expect(isSecret == (kind == .string))
            }
        }
        #expect(wasRead != nil)
    }

    @Test("a secret is decoded into guarded memory")
    func secret() throws {
        let found = try read(Self.text) { object, bytes -> [UInt8]? in
            guard let secret = try object.secret("text", in: bytes) else { return nil }
            return Samples.bytes(secret)
        }
        #expect(found == Array("a\u{E4}\n".utf8))
    }

    @Test(
        "one object and nothing else is read",
        arguments: [
            ("", 1), ("[]", 1), ("null", 1), ("{}x", 1), ("{", 1), (#"{"a":}"#, 1),
            (#"{"a":1,}"#, 1), ("{\n\"a\":\n01}", 3), (#"{"a":"\#u{1}"}"#, 1),
            (#"{"a":"\ud800"}"#, 1), (#"{"a":1,"a":2"#, 1),
        ] as [(String, Int)])
    func malformed(text: String, line: Int) throws {
        #expect(failure(text) == .json(line))
        #expect(try read(text) { _, _ in 0 } == nil)
    }

    @Test("a name that occurs twice is refused, and named")
    func repeated() throws {
        let text = #"{"a":1,"b":{"c":1,"c":2},"b":3,"a":4}"#
        #expect(failure(text) == .repeated("b", 1))
        #expect(try read(text) { _, _ in 0 } == nil)
        // By the decoded name; within a value it is another object's.
        #expect(failure(#"{"a":1,"\u0061":2}"#) == .repeated("a", 1))
        #expect(failure(#"{"a":{"c":1,"c":2}}"#) == nil)
    }

    @Test("there are at most as many members as the limit says")
    func limit() {
        let text = #"{"a":1,"b":2}"#
        #expect(failure(text, limit: 2) == nil)
        #expect(failure(text, limit: 1) == .json(1))
        #expect(failure("{}", limit: 0) == nil)
    }

    @Test("an object is told by its beginning")
    func beginning() {
        for (text, isObject) in [
            ("{", true), (" \n{\"a\"", true), ("\u{FEFF}{}", true), ("", false), ("[{}]", false),
            ("a,b", false), ("}", false),
        ] {
            let letters = Array(text.utf8)
            #expect(unsafe JSONObject.isObject(letters.span.bytes) == isObject, "\(text)")
        }
    }
}
