@testable import Tasks
import Testing
import TestSupport

@Suite("A second import")
struct SecondImportTests {
    /// A file without times of creation; the time of an export differs each time.
    private static let files: [(TaskFormat, String, String)] = [
        (.todoTxt, "gift", "gift"), (.todoTxt, "x gift due:2026-12-01", "gift due:2026-12-02"),
        (.todoTxt, "gift taskvault:k7m2qx", "gift taskvault:k7m2qx"),
        (
            .taskwarrior, #"{"description":"gift","uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"}"#,
            #"{"description":"gift","uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"}"#
        ),
        (.iCalendar, calendar("UID:x"), calendar("UID:x")),
        (
            .iCalendar, calendar("UID:x\nDTSTAMP:20261101T000000Z"),
            calendar("UID:x\nDTSTAMP:20261102T000000Z")
        ),
    ]

    private static func calendar(_ lines: String) -> String {
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:gift\n\(lines)\nEND:VTODO\nEND:VCALENDAR\n"
    }

    private func task(_ text: String, as format: TaskFormat, seconds: Int) throws -> ExchangedTask {
        let bytes = Array(text.utf8)
        return try TaskImport.read(
            unsafe bytes.span.bytes, as: format, now: exportTime.advanced(by: .seconds(seconds)),
            in: RuleCalendar.utc
        ).tasks[0]
    }

    @Test("knows a protected task without its text", arguments: files)
    func protected(format: TaskFormat, first: String, second: String) throws {
        var row = try #require(task(first, as: format, seconds: 0).plainTask)
        row.content = .protected(ProtectedTextID(of: row.id))
        let again = try task(second, as: format, seconds: 9)
        #expect(again.id == row.id)
        #expect(again.isSame(as: row))
        // Another time of creation is one of another task.
        let other = ExchangedTask(
            TodoTask(id: row.id, content: .plain(TaskText(name: "b")), created: exportTime))
        row.created = point("2026-11-01T00:00:00.000Z")
        #expect(!other.isSame(as: row))
    }

    @Test("knows a renamed task", arguments: files.filter { !$0.1.contains("taskvault:") })
    func renamed(format: TaskFormat, first: String, second: String) throws {
        var row = try #require(task(first, as: format, seconds: 0).plainTask)
        var text = try #require(row.plainText)
        text.name = "renamed"
        row.content = .plain(text)
        #expect(try task(second, as: format, seconds: 9).isSame(as: row))
        text.further = text.further.replacing("gift", with: "other").replacing("x", with: "y")
            .replacing("5b2f2ec7", with: "6b2f2ec7")
        row.content = .plain(text)
        #expect(try !task(second, as: format, seconds: 9).isSame(as: row))
    }
}
