import Foundation
@testable import Tasks
import Testing
import TestSupport
import TextCoding

@Suite("TaskVault's own JSON of tasks")
struct TaskVaultFormatTests {
    @Test("gives back every task completely")
    func roundTrip() throws {
        var random = SeededGenerator()
        let tasks = randomTasks(300, &random)
        let result = try read(written(tasks, as: .taskVault))
        #expect(result.format == .taskVault)
        #expect(result.tasks == tasks, "seed \(random.seed)")
        #expect(result.leftOut.isEmpty)
        #expect(TaskExport.leftOut(of: tasks, as: .taskVault).isEmpty)
        #expect(try read(written([], as: .taskVault)).tasks.isEmpty)
    }

    /// The first block after a heading of `Docs/TaskExchange.md`, in which a line that begins with a blank continues the one before.
    private static let documented =
        Checkout.text("Docs/TaskExchange.md")
        .split(separator: "\n", omittingEmptySubsequences: false)
        .drop { $0 != "## TaskVault's own JSON" }.drop { $0 != "```" }.dropFirst()
        .prefix { $0 != "```" }.joined(separator: "\n").replacingOccurrences(of: "\n ", with: "")
        + "\n"

    @Test("has the members that are documented")
    func members() throws {
        var done = task(
            "k7m2qx", "buy \"milk\"", notes: "two\nlines", due: "2026-12-01T09:00:00.000Z",
            completed: "2026-11-21T10:00:00.500Z",
            subtasks: [
                TodoSubtask(
                    id: id("000001"), name: "find the shop", isDone: true,
                    due: when("2026-12-01T07:00:00.000Z"),
                    reminder: when("2026-12-01T06:00:00.000Z"))
            ])
        done.wait = when("2026-11-30T00:00:00.000Z")
        done.snooze = point("2026-12-01T08:10:00.000Z")
        done.repetition = try RepeatRule(rule: "FREQ=WEEKLY;BYDAY=TU")
        (done.priority, done.list, done.tags) = (.high, "home", ["next", "@x"])
        done.dependencies = [id("03fz81")]
        var text = try #require(done.text)
        text.further = #"{"taskwarrior":{"until":1}}"#
        done.setText(text)
        done.completion?.keptFrom = point("2026-11-21T11:00:00.000Z")
        done.reminder = when("2026-12-01T08:00:00.000Z")
        var hidden = ExchangedTask(try protectedTask())
        hidden.nickname = "the secret one"
        let file = String(decoding: try written([done, hidden], as: .taskVault), as: UTF8.self)
        #expect(file == Self.documented)
        #expect(try read(Self.documented).tasks == [done])
    }

    @Test("has milliseconds in a file, and none in what commands print")
    func millisecondsOfSubtasks() throws {
        let step = TodoSubtask(
            id: id("000001"), name: "a", due: when("2026-12-01T07:00:00.000Z"),
            reminder: when("2026-12-01"))
        var json = JSONWriter(CollectedBytes())
        try json.beginObject()
        try json.subtasks([step])
        try json.endObject()
        let text = String(decoding: try json.finish().bytes, as: UTF8.self)
        #expect(text.contains(#""due":"2026-12-01T07:00:00Z","reminder":"2026-12-01""#))
    }

    @Test("is valid JSON without control characters")
    func otherReader() throws {
        var random = SeededGenerator()
        let tasks = randomTasks(100, &random)
        let bytes = try written(tasks, as: .taskVault)
        let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        let names = (json?["tasks"] as? [[String: Any]])?.map { $0["name"] as? String }
        #expect(names == tasks.map { $0.text?.name })
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(VisibleText.escape(text, keepingLines: true) == text)
    }

    @Test("skips a protected task without text, and imports one with text")
    func protected() throws {
        let hidden = try protectedTask()
        let without = try read(written([ExchangedTask(hidden)], as: .taskVault))
        #expect(without.tasks.isEmpty)
        #expect(without.leftOut == [.missingText: 1])
        let text = TaskText(name: "secret", notes: "n")
        let with = try read(written([ExchangedTask(hidden, text: text)], as: .taskVault))
        #expect(with.tasks.map(\.text) == [text])
        #expect(with.tasks.first?.isProtected == true)
        #expect(with.tasks.first?.plainTask == nil)
        #expect(with.tasks.first?.isSame(as: hidden) == true)
    }

    private func protectedTask() throws -> TodoTask {
        let textID = try #require(ProtectedTextID("03fz81.abcdefgh"))
        return TodoTask(
            id: id("03fz81"), content: .protected(textID),
            created: point("2026-11-20T08:30:15.000Z")
        )
    }

    /// A task as a file has it.
    private static let good: String = {
        let file = (try? written([task("k7m2qx", "n")], as: .taskVault)) ?? []
        return String(decoding: file, as: UTF8.self).split(separator: "\n").map(String.init)[1]
    }()

    private static func file(_ tasks: [String]) -> String {
        #"{"format":"taskvault-tasks","version":2,"tasks":["# + "\n"
            + tasks.joined(separator: ",\n") + "]}"
    }

    @Test(
        "is refused with the line of an invalid task",
        arguments: [
            (#""name":"n""#, #""name":7"#, .invalidMember("name", line: 3)),
            (#""name":"n""#, #""name":null"#, .invalidMember("notes", line: 3)),
            (#""name":"n""#, #""name":" ""#, .invalidText(.emptyName(.name), line: 3)),
            (#""name":"n""#, #""name":"a\u0000b""#, .invalidText(.nullCharacter(.name), line: 3)),
            (#""name":"n""#, #""name":"\ud800""#, .invalidJSON(line: 3)),
            (#""name":"n""#, #""name":"a"# + "\n" + #"b""#, .invalidJSON(line: 3)),
            (#""name":"n","#, "", .missingMember("name", line: 3)),
            (#""id":"k7m2qx""#, #""id":"k7m2qu""#, .invalidMember("id", line: 3)),
            (#""id":"k7m2qx""#, #""id":"k7m2""#, .invalidMember("id", line: 3)),
            (#""id":"k7m2qx""#, #""id":"000000""#, .repeatedTask(line: 3)),
            (#""due":null"#, #""due":"2026-02-30T00:00:00.000Z""#, .invalidMember("due", line: 3)),
            // 23:59 of the last day, in a zone west of Greenwich.
            (#""due":null"#, #""due":"+10000-01-01T11:59:00.000Z""#, nil),
            (#""due":null"#, #""due":"+10000-01-02T00:00:00.000Z""#, .invalidTime(line: 3)),
            (#""wait":null"#, #""wait":"0000-01-01T00:00:00.000Z""#, .invalidTime(line: 3)),
            (#""snooze":null"#, #""snooze":"0000-01-01T00:00:00.000Z""#, .invalidTime(line: 3)),
            (
                #""reminder":null"#, #""reminder":"-0001-01-01T00:00:00.000Z""#,
                .invalidTime(line: 3)
            ),
            (
                #""subtasks":[]"#,
                #""subtasks":[{"id":"000001","name":"a","done":true,"due":"0000-01-01T00:00:00.000Z","reminder":null}]"#,
                .invalidTime(line: 3)
            ),
            (
                #""created":"2026-11-20T08:30:15.000Z""#, #""created":"0000-01-01T00:00:00.000Z""#,
                .invalidTime(line: 3)
            ),
            (#""due":null"#, #""due":1700000000"#, .invalidMember("due", line: 3)),
            (
                #""created":"2026-11-20T08:30:15.000Z""#, #""created":null"#,
                .invalidMember("created", line: 3)
            ),
            (#""protected":false"#, #""protected":0"#, .invalidMember("protected", line: 3)),
            (#""protected":false"#, #""protected":falsy"#, .invalidJSON(line: 3)),
            (#""done":false"#, #""done":true"#, .invalidMember("done", line: 3)),
            (
                #""cleared":null"#, #""cleared":"2026-11-20T08:30:15.000Z""#,
                .invalidMember("cleared", line: 3)
            ),
            (
                #""kept_from":null"#, #""kept_from":"2026-11-20T08:30:15.000Z""#,
                .invalidMember("kept_from", line: 3)
            ),
            (#""subtasks":[]"#, #""subtasks":{}"#, .invalidMember("subtasks", line: 3)),
            (#""subtasks":[]"#, #""subtasks":[1]"#, .invalidMember("subtasks", line: 3)),
            (
                #""subtasks":[]"#, #""subtasks":[{"id":"000001"}]"#,
                .invalidMember("subtasks", line: 3)
            ),
            (#""subtasks":[]"#, #""subtasks":null"#, .invalidMember("subtasks", line: 3)),
            (#""subtasks":[]"#, #""subtasks":[],"x":1"#, .invalidMember("x", line: 3)),
            (#""subtasks":[]"#, #""subtasks":[],"due":null"#, .invalidMember("due", line: 3)),
            (#""further":""}"#, #""further":"""#, .invalidJSON(line: 3)),
            (#""further":"""#, #""further":"","#, .invalidJSON(line: 3)),
            (#""further":"""#, #""further":"x""#, .invalidMember("further", line: 3)),
            (#""further":"""#, #""further":"[]""#, .invalidMember("further", line: 3)),
            (#""further":"""#, #""further":null"#, .invalidMember("further", line: 3)),
            (#""further":"""#, #""further":"{\"a\":{\"b\":[1,true,null]}}""#, nil),
            (#""nickname":null"#, #""nickname":"n""#, .invalidMember("nickname", line: 3)),
            (#""repeat":null"#, #""repeat":"FREQ=HOURLY""#, .invalidMember("repeat", line: 3)),
            (#""priority":"none""#, #""priority":"H""#, .invalidMember("priority", line: 3)),
            (#""after":[]"#, #""after":["k7m"]"#, .invalidMember("after", line: 3)),
            // Earlier builds wrote no such member.
            (#""after":[],"#, "", nil),
            (#""tags":[]"#, #""tags":null"#, .invalidMember("tags", line: 3)),
            (#""tags":[]"#, #""tags":["a b"]"#, .invalidText(.blankInTag, line: 3)),
            (#""list":null"#, #""list":" ""#, .invalidText(.emptyName(.list), line: 3)),
            (#""reminder":null"#, #""reminder":true"#, .invalidMember("reminder", line: 3)),
            (
                #""subtasks":[]"#,
                #""subtasks":[{"id":"000001","name":"a","done":true,"due":null}]"#,
                .invalidMember("subtasks", line: 3)
            ),
        ] as [(String, String, TaskExchangeError?)])
    func badTask(part: String, replacement: String, expected: TaskExchangeError?) {
        let first = Self.good.replacingOccurrences(of: "k7m2qx", with: "000000")
        let second = Self.good.replacingOccurrences(of: part, with: replacement)
        #expect(error(Array(Self.file([first, Self.good]).utf8)) == nil)
        #expect(error(Array(Self.file([first, second]).utf8)) == expected)
        if let expected { #expect(!"\(expected)".isEmpty) }
    }

    @Test(
        "is refused if the file is invalid",
        arguments: [
            (#"{"format":"other","version":2,"tasks":[]}"#, .unknownFormat),
            (#"{"format":"taskvault-tasks","version":3,"tasks":5}"#, .unsupportedVersion(3)),
            (#"{"format":"taskvault-tasks","tasks":[]}"#, .invalidJSON(line: 1)),
            (#"{"format":"taskvault-tasks","version":2}"#, .invalidJSON(line: 1)),
            (
                #"{"format":"taskvault-tasks","version":2,"tasks":7}"#,
                .invalidMember("tasks", line: 1)
            ),
            (#"{"format":"taskvault-tasks","version":2,"tasks":[]} x"#, .invalidJSON(line: 1)),
            (
                #"{"format":"taskvault-tasks","version":2,"tasks":[]"# + "\n\n",
                .invalidJSON(line: 3)
            ),
            (#"{"format":7}"#, .invalidMember("format", line: 1)),
        ] as [(String, TaskExchangeError)])
    func badFile(text: String, expected: TaskExchangeError) {
        #expect(error(Array(text.utf8)) == expected)
    }

    @Test("is refused without a crash at any cut or change")
    func damage() throws {
        var random = SeededGenerator()
        let bytes = try written(Array(randomTasks(4, &random)), as: .taskVault)
        for end in bytes.indices.dropLast(2) where end > 12 {
            #expect(error(Array(bytes[..<end])) != nil, "seed \(random.seed)")
        }
        for format in TaskFormat.allCases {
            for _ in 0..<1_000 {
                var changed = bytes
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    changed[Int.random(in: changed.indices, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                _ = try? read(changed, as: format)
            }
        }
    }

    @Test(
        "is refused if it is nested deeply, too long, or not UTF-8",
        arguments: TaskFormat.allCases)
    func hostile(format: TaskFormat) {
        let deep =
            #"[{"uuid":"u","description":"d","other":"# + String(repeating: "[", count: 200_000)
        if format == .taskVault || format == .taskwarrior {
            #expect(error(Array(deep.utf8), as: format) == .invalidJSON(line: 1))
            #expect(
                error(Array(deep.replacing("[", with: "{\"a\":").utf8), as: format) != nil)
        }
        let head =
            format == .taskVault
            ? #"{"format":"taskvault-tasks","version":2,"tasks":["#
            : format == .taskwarrior ? "[" : format == .iCalendar ? "BEGIN:VCALENDAR" : "a"
        let refused = error(Array((head + "\n\"").utf8) + [0xFF], as: format)
        let isText = format == .todoTxt || format == .iCalendar
        #expect(refused == (isText ? .notUTF8(line: 2) : .invalidJSON(line: 2)))
    }
}
