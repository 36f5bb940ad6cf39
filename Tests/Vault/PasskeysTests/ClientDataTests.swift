@testable import Passkeys
import TestSupport
import Testing

@Suite("Client data")
struct ClientDataTests {
    private func read(_ text: String) throws -> ClientData { try ClientData(Array(text.utf8)) }

    @Test("its members are read in any order, and others are skipped")
    func members() throws {
        let data = try read(
            #"""
             {"other":{"a":[1,{"b":null}]},"origin":"http:\/\/a","challenge":"c","type":"t","crossOrigin":false}
            """#)
        #expect(data.type == "t" && data.challenge == "c" && data.origin == "http://a")
        #expect(!data.isCrossOrigin)
    }

    @Test("a page in a page of another origin is one, whichever member says so")
    func crossOrigin() throws {
        let start = #"{"type":"t","challenge":"c","origin":"o""#
        #expect(try !read(start + "}").isCrossOrigin)
        #expect(try read(start + #","crossOrigin":true}"#).isCrossOrigin)
        #expect(try read(start + #","crossOrigin":false,"topOrigin":"p"}"#).isCrossOrigin)
        #expect(try read(start + #","topOrigin":""}"#).isCrossOrigin)
    }

    @Test(
        "other texts are refused",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"type":"t","challenge":"c"}"#,
            #"{"type":"t","origin":"o"}"#, #"{"challenge":"c","origin":"o"}"#,
            #"{"type":"t","challenge":"c","origin":"o"} x"#,
            #"{"type":"t","challenge":"c","origin":"o"}{}"#,
            #"{"type":"t","challenge":"c","origin":"o""#,
            #"{"type":"t","type":"t","challenge":"c","origin":"o"}"#,
            #"{"type":"t","challenge":"c","origin":"o","challenge":"d"}"#,
            #"{"type":"t","challenge":"c","origin":"o","origin":"o"}"#,
            #"{"type":"t","challenge":"c","origin":"o","crossOrigin":false,"crossOrigin":false}"#,
            #"{"type":"t","challenge":"c","origin":"o","crossOrigin":"false"}"#,
            #"{"type":"t","challenge":"c","origin":"o","crossOrigin":null}"#,
            #"{"type":1,"challenge":"c","origin":"o"}"#,
            #"{"type":"t","challenge":null,"origin":"o"}"#,
            #"{"type":"t","challenge":"c","origin":["o"]}"#,
            #"{'type':'t','challenge':'c','origin':'o'}"#,
        ])
    func refused(text: String) {
        #expect(throws: PasskeyError.malformed) { try read(text) }
    }
}
