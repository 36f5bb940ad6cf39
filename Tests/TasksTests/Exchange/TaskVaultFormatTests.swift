import Foundation
import Tasks
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

    @Test("has the members that are documented")
    func members() throws {
        var done = task(
            "k7m2qx", "buy \"milk\"", notes: "two\nlines", due: "2026-12-01T09:00:00.000Z",
            completed: "2026-11-21T10:00:00.500Z",
            subtasks: [TodoSubtask(id: id("000001"), name: "step", isDone: true)])
        done.completion?.keptFrom = point("2026-11-21T11:00:00.000Z")
        done.reminder = point("2026-12-01T08:00:00.000Z")
        let hidden = ExchangedTask(try protectedTask())
        let text = String(decoding: try written([done, hidden], as: .taskVault), as: UTF8.self)
        #expect(
            text == #"""
                {"format":"taskvault-tasks","version":1,"tasks":[
                {"id":"k7m2qx","name":"buy \"milk\"","notes":"two\nlines","protected":false,"done":true,\#
                "due":"2026-12-01T09:00:00.000Z","reminder":true,"created":"2026-11-20T08:30:15.000Z",\#
                "completed":"2026-11-21T10:00:00.500Z","kept_from":"2026-11-21T11:00:00.000Z","cleared":null,\#
                "subtasks":[{"id":"000001","name":"step","done":true}]},
                {"id":"03fz81","name":null,"notes":null,"protected":true,"done":false,"due":null,\#
                "reminder":false,"created":"2026-11-20T08:30:15.000Z","completed":null,"kept_from":null,\#
                "cleared":null,"subtasks":null}
                ]}

                """#)
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
        #expect(without.leftOut == [.missingWords: 1])
        let words = TaskText(name: "secret", notes: "n")
        let with = try read(written([ExchangedTask(hidden, words: words)], as: .taskVault))
        #expect(with.tasks.map(\.text) == [words])
        #expect(with.tasks.first?.isProtected == true)
        #expect(with.tasks.first?.plainTask == nil)
        #expect(with.tasks.first?.isSame(as: hidden) == true)
    }

    private func protectedTask() throws -> TodoTask {
        let words = try #require(ProtectedWordsID("03fz81.abcdefgh"))
        return TodoTask(
            id: id("03fz81"), content: .protected(words), created: point("2026-11-20T08:30:15.000Z")
        )
    }

    private static let good =
        #"{"id":"k7m2qx","name":"n","notes":"","protected":false,"done":false,"due":null,"reminder":false,"#
        + #""created":"2026-11-20T08:30:15.000Z","completed":null,"kept_from":null,"cleared":null,"subtasks":[]}"#

    private static func file(_ tasks: [String]) -> String {
        #"{"format":"taskvault-tasks","version":1,"tasks":["# + "\n"
            + tasks.joined(separator: ",\n") + "]}"
    }

    @Test(
        "is refused with the line of an invalid task",
        arguments: [
            (#""name":"n""#, #""name":7"#, .invalidMember("name", line: 3)),
            (#""name":"n""#, #""name":null"#, .invalidMember("name", line: 3)),
            (#""name":"n""#, #""name":" ""#, .invalidWords(.emptyName(.name), line: 3)),
            (#""name":"n""#, #""name":"a\u0000b""#, .invalidWords(.nullCharacter(.name), line: 3)),
            (#""name":"n""#, #""name":"\ud800""#, .invalidJSON(line: 3)),
            (#""name":"n""#, #""name":"a"# + "\n" + #"b""#, .invalidJSON(line: 3)),
            (#""name":"n","#, "", .missingMember("name", line: 3)),
            (#""id":"k7m2qx""#, #""id":"k7m2qu""#, .invalidMember("id", line: 3)),
            (#""id":"k7m2qx""#, #""id":"k7m2""#, .invalidMember("id", line: 3)),
            (#""id":"k7m2qx""#, #""id":"000000""#, .repeatedTask(line: 3)),
            (#""due":null"#, #""due":"2026-02-30T00:00:00.000Z""#, .invalidMember("due", line: 3)),
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
            (#""subtasks":[]}"#, #""subtasks":[]"#, .invalidJSON(line: 3)),
            (#""subtasks":[]"#, #""subtasks":[],"#, .invalidJSON(line: 3)),
        ] as [(String, String, TaskExchangeError)])
    func badTask(part: String, replacement: String, expected: TaskExchangeError) {
        let first = Self.good.replacingOccurrences(of: "k7m2qx", with: "000000")
        let second = Self.good.replacingOccurrences(of: part, with: replacement)
        #expect(error(Array(Self.file([first, Self.good]).utf8)) == nil)
        #expect(error(Array(Self.file([first, second]).utf8)) == expected)
        #expect(!"\(expected)".isEmpty)
    }

    @Test(
        "is refused if the file is invalid",
        arguments: [
            (#"{"format":"other","version":1,"tasks":[]}"#, .unknownFormat),
            (#"{"format":"taskvault-tasks","version":2,"tasks":5}"#, .unsupportedVersion(2)),
            (#"{"format":"taskvault-tasks","tasks":[]}"#, .invalidJSON(line: 1)),
            (#"{"format":"taskvault-tasks","version":1}"#, .invalidJSON(line: 1)),
            (
                #"{"format":"taskvault-tasks","version":1,"tasks":7}"#,
                .invalidMember("tasks", line: 1)
            ),
            (#"{"format":"taskvault-tasks","version":1,"tasks":[]} x"#, .invalidJSON(line: 1)),
            (
                #"{"format":"taskvault-tasks","version":1,"tasks":[]"# + "\n\n",
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
            for _ in 0..<3_000 {
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
            #"[{"uuid":"u","description":"d","other":"# + String(repeating: "[", count: 1_000_000)
        if format != .todoTxt {
            #expect(error(Array(deep.utf8), as: format) == .invalidJSON(line: 1))
            #expect(
                error(Array(deep.replacing("[", with: "{\"a\":").utf8), as: format) != nil)
        }
        let head =
            format == .taskVault
            ? #"{"format":"taskvault-tasks","version":1,"tasks":["#
            : format == .taskwarrior ? "[" : "a"
        let refused = error(Array((head + "\n\"").utf8) + [0xFF], as: format)
        #expect(refused == (format == .todoTxt ? .notUTF8(line: 2) : .invalidJSON(line: 2)))
    }
}
