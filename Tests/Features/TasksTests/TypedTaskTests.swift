import Tasks
import Testing
import TestSupport

/// Saturday, 21 November 2026, 15:00 in central Europe.
private let now = utc(2_026, 11, 21, 14)
private let europe = RuleCalendar.centralEurope

@Suite("A task typed in one line")
struct TypedTaskTests {
    private func typed(_ words: String..., literal: [String] = []) -> TypedTask {
        TypedTask(words, literal: literal, now: now, in: europe)
    }

    private func field(_ text: String) -> TypedTask {
        TypedTask(field: text, now: now, in: europe)
    }

    private func said(_ phrase: TypedTask) -> [String] {
        phrase.parts.map { "\($0.attribute.rawValue)=\($0.value)" }
    }

    @Test("has its parts anywhere between the words of the name")
    func anywhere() {
        let words = ["due:tomorrow", "+home", "pri:high", "list:house", "every:mon"]
        let parts = ["due=tomorrow", "tag=home", "priority=high", "list=house", "repeat=every mon"]
        for place in 0...2 {
            var all = ["buy", "milk"]
            all.insert(contentsOf: words, at: place)
            let phrase = TypedTask(all, now: now, in: europe)
            #expect(phrase.name == "buy milk")
            #expect(said(phrase) == parts)
            #expect(field(all.joined(separator: " ")).name == "buy milk")
            #expect(said(field(all.joined(separator: " "))) == parts)
            // One quoted argument means the same.
            #expect(said(TypedTask([all.joined(separator: " ")], now: now, in: europe)) == parts)
        }
    }

    @Test(
        "is read word by word",
        arguments: [
            (["call", "due:fri 18:00", "Ada"], "call Ada", ["due=fri 18:00"]),
            (["call", "due:fri", "18:00", "Ada"], "call Ada", ["due=fri 18:00"]),
            (["Due:Fri", "call"], "call", ["due=Fri"]),
            (["x", "every:2", "weeks", "PRI:H"], "x", ["repeat=every 2 weeks", "priority=high"]),
            (
                ["x", "repeat:weekly", "wait:mon", "remind:10m"], "x",
                ["repeat=weekly", "wait=mon", "remind=10m"]
            ),
            (
                ["x", "list:my house", "tag:a", "after:k7m"], "x",
                ["list=my house", "tag=a", "after=k7m"]
            ),
            // Words of a name.
            (["call", "+49", "170"], "call +49 170", []),
            (["C++", "and", "2+2", "+"], "C++ and 2+2 +", []),
            (
                ["read", "https://x.example/a:b", "note:", "due:"],
                "read https://x.example/a:b note: due:", []
            ),
            (["fix", "#12", "#home", "!high", "tomorrow"], "fix #12 #home !high tomorrow", []),
            (["a  name", "with  blanks"], "a  name with  blanks", []),
            // The command refuses what cannot be read.
            (["x", "due:foo", "pri:urgent"], "x", ["due=foo", "priority=urgent"]),
        ])
    func words(words: [String], name: String, parts: [String]) {
        let phrase = TypedTask(words, now: now, in: europe)
        #expect(phrase.name == name)
        #expect(said(phrase) == parts)
    }

    @Test("is only a name behind two hyphens")
    func literal() {
        let phrase = typed("buy", "+home", literal: ["due:tomorrow", "+x"])
        #expect(phrase.name == "buy due:tomorrow +x" && said(phrase) == ["tag=home"])
        #expect(said(field("buy -- due:tomorrow milk tomorrow")) == [])
        #expect(field("buy -- due:tomorrow milk tomorrow").name == "buy due:tomorrow milk tomorrow")
    }

    @Test(
        "of a field also has signs, and a date and a repetition at its end",
        arguments: [
            ("buy milk #home !high", "buy milk", ["tag=home", "priority=high"]),
            ("buy milk tomorrow", "buy milk", ["due=tomorrow"]),
            ("call Ada fri 18:00", "call Ada", ["due=fri 18:00"]),
            ("water the plants every 3 days", "water the plants", ["repeat=every 3 days"]),
            ("water tomorrow every week", "water", ["due=tomorrow", "repeat=every week"]),
            ("water every week tomorrow", "water", ["repeat=every week", "due=tomorrow"]),
            (
                "standup every mon 9:00 #work", "standup",
                ["tag=work", "repeat=every mon", "due=2026-11-23 9:00"]
            ),
            ("lunch every sat 9:00", "lunch", ["repeat=every sat", "due=2026-11-28 9:00"]),
            ("tea every sat 17:00", "tea", ["repeat=every sat", "due=2026-11-21 17:00"]),
            ("party 24 dec", "party", ["due=24 dec"]),
            ("birthday 24 dec every year", "birthday", ["due=24 dec", "repeat=every year"]),
            ("rent last day of the month", "rent", ["repeat=last day of the month"]),
            ("pay list:\"my house\" due:fri", "pay", ["list=my house", "due=fri"]),
            ("pay list:\"my house due:fri", "pay house", ["list=\"my", "due=fri"]),
            // What cannot be read, or is the whole name, stays.
            ("tomorrow", "tomorrow", []),
            ("buy due:foo", "buy due:foo", []),
            ("read 1984", "read 1984", []),
            ("do it now", "do it now", []),
            ("x due:mon due:tue", "x due:tue", ["due=mon"]),
            ("", "", []),
        ])
    func field(text: String, name: String, parts: [String]) {
        let phrase = field(text)
        #expect(phrase.name == name)
        #expect(said(phrase) == parts)
    }

    @Test("tells where its parts are, in code units of a page")
    func ranges() {
        let text = "😀 buy due:fri 18:00 milk #home every week"
        let units = Array(text.utf16)
        let parts = field(text).parts
        #expect(parts.map(\.text) == ["due:fri 18:00", "#home", "every week"])
        for part in parts {
            #expect(String(decoding: units[part.range], as: UTF16.self) == part.text)
        }
    }

    @Test("begins a repetition without a due time on its first day")
    func implied() {
        #expect(typed("x", "every:mon").impliedDue == "2026-11-23")
        #expect(typed("x", "every:sat").impliedDue == "2026-11-21")
        #expect(typed("x", "every:day").impliedDue == "2026-11-21")
        #expect(typed("x", "repeat:last day of the month").impliedDue == "2026-11-30")
        #expect(typed("x", "every:2 weeks on mon").impliedDue == "2026-11-23")
        // 15:00 has passed today.
        #expect(typed("x", "every:day at 14:00").impliedDue == "2026-11-22")
        #expect(typed("x", "every:day at 16:00").impliedDue == "2026-11-21")
        #expect(typed("x", "every:mon", "due:fri").impliedDue == nil)
        #expect(typed("x").impliedDue == nil)
    }
}
