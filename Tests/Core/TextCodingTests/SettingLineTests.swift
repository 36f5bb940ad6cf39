@testable import TextCoding
import Foundation
import Testing

@Suite struct SettingLineTests {
    @Test(
        arguments: [
            ("", .empty), (" \t\r", .empty), ("# a = b", .empty), ("  #", .empty),
            ("a = b", .setting(name: "a", value: "b")),
            ("\ta b=c = # d\r", .setting(name: "a b", value: "c = # d")),
            ("a=\u{301}b", .setting(name: "a", value: "\u{301}b")),
            ("=", .setting(name: "", value: "")), ("a", .malformed), ("a: b", .malformed),
        ] as [(String, SettingLine)])
    func aLineIsUnderstood(text: String, line: SettingLine) {
        #expect(SettingLine(text) == line)
    }

    @Test func linesAreCountedAsEditorsDo() {
        #expect(SettingLine.lines(of: "a\r\n\nb") == ["a\r", "", "b"])
        #expect(SettingLine.lines(of: "a\n") == ["a"])
        #expect(SettingLine.lines(of: "") == [])
    }

    @Test(arguments: [
        ("7d", 604_800), ("1d1h1m1s", 90_061), ("36h", 129_600), ("1s", 1), ("0d", 0),
    ])
    func timesHaveDaysWhereThatIsAllowed(text: String, seconds: UInt64) {
        #expect(TimeSpan(text, hasDays: true)?.seconds == seconds)
        #expect((TimeSpan(text) == nil) == text.contains("d"))
    }

    @Test(arguments: ["", "d", "7", "1h1d", "1d1d", "-1d", "1 d", "1000001d"])
    func malformedTimesAreRefused(text: String) {
        #expect(TimeSpan(text, hasDays: true) == nil)
    }
}
