import HTTPClient
@testable import Inbox
import Testing
import TestSupport
import TextCoding

@Suite("The content of a message")
struct MessageContentTests {
    private func content(_ text: String) -> MessageContent? {
        let bytes = Array(text.utf8)
        return unsafe MessageContent(bytes.span.bytes)
    }

    @Test("has all documented members")
    func members() throws {
        let text = """
            {"title":"Water the plants","body":"All of them.\\r\\nTwice.","due":"2026-12-01T09:00:00+02:00","list":"home",
            "picture":"https://pictures.example/plant.jpg","subtasks":["kitchen","balcony"],"further":{"a":[1,2]}}
            """
        let found = try #require(content(text))
        #expect(found.title == "Water the plants")
        #expect(found.body == "All of them.\nTwice.")
        #expect(found.due == PointInTime(milliseconds: 1_796_108_400_000))
        #expect(found.list == "home")
        #expect(found.picture?.description == "https://pictures.example/plant.jpg")
        #expect(found.subtasks == ["kitchen", "balcony"])
        #expect(found.leftOut == [])
    }

    @Test("S5: is that of a file for Apple's push service")
    func pushFile() throws {
        let file = Checkout.text("Docs/Examples/task.apns")
        let found = try #require(content(file))
        #expect(found.title == "Return the library books")
        #expect(found.due != nil && !found.body.isEmpty && !found.subtasks.isEmpty)
        #expect(content(#"{"aps":{"alert":"only a text"}}"#)?.title == "only a text")
        let both = #"{"title":"outer","aps":{"alert":{"title":"inner","body":"text"}}}"#
        #expect(content(both)?.title == "outer")
        #expect(content(both)?.body == "text")
    }

    @Test(
        "without a title, or in another form, is none",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"title":1}"#, #"{"title":""}"#, #"{"title":" \t "}"#,
            #"{"title":"a\u0000b"}"#, #"{"title":"a"} x"#, #"{"title":"a","title":"b"}"#,
            #"{"title":"a","x":01}"#, "{\"title\":\"a\u{1}\"}", #"{"aps":{}}"#, #"{"body":"b"}"#,
        ])
    func none(text: String) {
        #expect(content(text) == nil)
        let bytes = Array(text.utf8)
        let problem = unsafe MessageContent.problem(of: bytes.span.bytes)
        #expect(problem != nil)
    }

    @Test("has a reason why it is none")
    func problems() {
        func problem(_ text: String) -> String? {
            let bytes = Array(text.utf8)
            return unsafe MessageContent.problem(of: bytes.span.bytes)
        }
        #expect(problem(#"{"title":"a"}"#) == nil)
        #expect(problem(#"{"title":"a",}"#) == "it is not a valid JSON object")
        #expect(problem(#"{"body":"a"}"#) == "a title is missing")
        #expect(problem(#"{"title":" "}"#) == "a title is missing")
        #expect(problem(#"{"title":"a\u0000"}"#) == "the title has a zero byte")
        let title = String(repeating: "x", count: 4_097)
        #expect(problem(#"{"title":"\#(title)"}"#) == "the title is longer than 4096 bytes")
    }

    @Test("leaves out members of another form, and says so")
    func leftOut() throws {
        let text = """
            {"title":"a","body":["b"],"due":"tomorrow","list":"","picture":"http://a.example/b","subtasks":["x","",5]}
            """
        let found = try #require(content(text))
        #expect(found.leftOut == ["body", "due", "list", "picture", "subtasks"])
        #expect(found.body == "" && found.due == nil && found.list == nil)
        #expect(found.picture == nil && found.subtasks == ["x"])
        #expect(content(#"{"title":"a","body":null,"due":null}"#)?.leftOut == [])
    }

    @Test("may be deep, and has a largest size")
    func sizes() throws {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(content(#"{"title":"a","x":\#(deep)}"#)?.title == "a")
        let broken = String(repeating: "[", count: 40_000)
        #expect(content(#"{"title":"a","x":\#(broken)}"#) == nil)
        let deeper = String(repeating: "[", count: 513) + String(repeating: "]", count: 513)
        #expect(content(#"{"title":"a","x":\#(deeper)}"#) == nil)
        let long = String(repeating: "x", count: 70_000)
        #expect(content(#"{"title":"a","body":"\#(long)"}"#) == nil)
        let title = String(repeating: "x", count: 4_097)
        #expect(content(#"{"title":"\#(title)"}"#) == nil)
        let many = Array(repeating: #""s""#, count: 501).joined(separator: ",")
        let found = try #require(content(#"{"title":"a","subtasks":[\#(many)]}"#))
        #expect(found.subtasks.count == 500 && found.leftOut == ["subtasks"])
    }
}
