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

    private static func series(_ entries: String...) -> String {
        "BEGIN:VCALENDAR\n"
            + entries.map { "BEGIN:VTODO\nUID:x\nSUMMARY:a\n\($0)\nEND:VTODO\n" }.joined()
            + "END:VCALENDAR\n"
    }

    @Test("leaves out the occurrences of a series that another program moved or finished since")
    func occurrences() throws {
        let rule = "DTSTART:20261201T090000Z\nRRULE:FREQ=WEEKLY;COUNT=5"
        let row = try #require(read(Self.series(rule)).tasks[0].plainTask)
        let moved = "RECURRENCE-ID:20261201T090000Z\nDUE:20261202T100000Z"
        let done = "RECURRENCE-ID:20261215T090000Z\nSTATUS:COMPLETED"
        let file = try read(Self.series(rule, moved, done))
        let task = file.tasks[0]
        #expect(task.isSame(as: row) && file.tasks.count == 3)
        let update = try #require(file.update(row, by: task, in: RuleCalendar.utc))
        #expect(update.due == when("2026-12-08T09:00:00.000Z") && !update.isDone)
        let next = try #require(update.nextOccurrence(in: RuleCalendar.utc))
        #expect(next.due == when("2026-12-22T09:00:00.000Z") && next.rule.end == .count(2))
        // A third import changes nothing.
        #expect(file.update(update, by: task, in: RuleCalendar.utc) == nil)
        // A later occurrence alone does not move the series on.
        let later = try read(Self.series(rule, done))
        let kept = try #require(later.update(row, by: later.tasks[0], in: RuleCalendar.utc))
        #expect(kept.due == row.due && kept.repetition?.overrides.count == 1)
        // What the owner changed stays.
        var own = row
        own.setDue(when("2026-12-03T09:00:00.000Z"), in: RuleCalendar.utc)
        #expect(file.update(own, by: task, in: RuleCalendar.utc) == nil)
        own = row
        own.setRepetition(try RepeatRule(rule: "FREQ=DAILY"), in: RuleCalendar.utc)
        #expect(file.update(own, by: task, in: RuleCalendar.utc) == nil)
        #expect(later.update(row, by: task, in: RuleCalendar.newYork) != nil)
        // Exceptions of the file count, too.
        let left = try read(Self.series(rule + "\nEXDATE:20261201T090000Z"))
        #expect(
            left.update(row, by: left.tasks[0], in: RuleCalendar.utc)?.due
                == when("2026-12-08T09:00:00.000Z"))
    }

    @Test("ends a series whose last occurrences another program moved or finished since")
    func lastOccurrences() throws {
        let rule = "DTSTART:20261201T090000Z\nRRULE:FREQ=WEEKLY;COUNT=2"
        let row = try #require(read(Self.series(rule)).tasks[0].plainTask)
        let file = try read(
            Self.series(
                rule, "RECURRENCE-ID:20261201T090000Z\nSTATUS:COMPLETED",
                "RECURRENCE-ID:20261208T090000Z\nSTATUS:COMPLETED"))
        let task = try #require(file.ended.first)
        #expect(file.tasks.count == 2 && task.isSame(as: row))
        let update = try #require(file.update(row, by: task, in: RuleCalendar.utc))
        #expect(update.isDone && update.due == row.due)
        #expect(file.update(update, by: task, in: RuleCalendar.utc) == nil)
        // What the owner changed stays.
        var own = row
        own.setDue(when("2026-12-03T09:00:00.000Z"), in: RuleCalendar.utc)
        #expect(file.update(own, by: task, in: RuleCalendar.utc) == nil)
    }

    @Test("moves a series of Taskwarrior on if its instance was finished there")
    func instances() throws {
        func instance(_ number: Int, _ due: String, _ status: String) -> String {
            #"{"description":"a","uuid":"00000000-0000-4000-8000-00000000000\#(number)","parent":"00000000-0000-4000-8000-000000000009","imask":\#(number),"recur":"weekly","due":"\#(due)","status":"\#(status)"}"#
        }
        func file(_ mask: String, _ instances: String...) -> String {
            let pattern =
                #"{"description":"a","uuid":"00000000-0000-4000-8000-000000000009","mask":"\#(mask)","recur":"weekly","due":"20261201T090000Z","status":"recurring"}"#
            return "[" + ([pattern] + instances).joined(separator: ",\n") + "]"
        }
        let first = try read(file("-", instance(0, "20261201T090000Z", "pending")))
        let row = try #require(first.tasks[0].plainTask)
        #expect(row.repetition != nil)
        let second = try read(
            file(
                "+-", instance(0, "20261201T090000Z", "completed"),
                instance(1, "20261208T090000Z", "pending")))
        let task = try #require(second.tasks.first { $0.id == row.id })
        let update = try #require(second.update(row, by: task, in: RuleCalendar.utc))
        #expect(update.due == task.due && update.due == when("2026-12-08T09:00:00.000Z"))
        #expect(update.plainText?.further == task.text?.further)
        #expect(second.update(update, by: task, in: RuleCalendar.utc) == nil)
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
