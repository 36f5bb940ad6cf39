@testable import Tasks
import Testing
import TestSupport

/// Files that would take long, or much memory.
@Suite("A hostile file of another program")
struct HostileFileTests {
    private static func calendar(_ parts: some Sequence<String>) -> String {
        "BEGIN:VCALENDAR\n" + parts.joined() + "END:VCALENDAR\n"
    }

    private static func todo(_ number: Int, _ lines: String) -> String {
        "BEGIN:VTODO\nUID:\(number)\nSUMMARY:a\(number)\n\(lines)\nEND:VTODO\n"
    }

    @Test(
        "has rules that never happen, which a bounded search finds out",
        arguments: [
            "FREQ=DAILY;BYMONTHDAY=1;BYSETPOS=2", "FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=20",
            "FREQ=YEARLY;BYWEEKNO=20;BYMONTH=12", "FREQ=YEARLY;BYYEARDAY=1;BYMONTH=5",
            "FREQ=DAILY;BYMONTHDAY=1;BYHOUR=1,2,3;BYMINUTE=1,2,3;BYSETPOS=300",
        ])
    func never(text: String) throws {
        let rule = try RepeatRule(rule: text)
        let start = LocalTime(date(2_026, 12, 1), hour: 9, minute: 0)
        var budget = 1_000_000
        #expect(rule.time(after: start, from: start, isDay: false, budget: &budget) == nil)
        // The last period may exceed the limit.
        #expect(1_000_000 - budget <= RepeatRule.maximumSearch + 800)
        budget = 100
        #expect(rule.time(after: start, from: start, isDay: false, budget: &budget) == nil)
        #expect(budget > -800)
        let file = try read(
            Self.calendar([Self.todo(1, "DTSTART:20261201T090000Z\nRRULE:\(text)")]))
        #expect(file.leftOut == [.repetitions: 1] && file.tasks[0].task.hasForeignRepetition)
    }

    @Test("has many such rules; then others are supported only if their search is short")
    func together() throws {
        let start = "DTSTART:20261201T090000Z\nRRULE:"
        let seldom = start + "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO"
        let never = (0..<150).map {
            Self.todo($0, start + "FREQ=DAILY;BYMONTHDAY=1;BYSETPOS=2;COUNT=\($0 + 2)")
        }
        let usual = Self.todo(900, start + "FREQ=MONTHLY;BYDAY=5MO")
        let alone = try read(Self.calendar([Self.todo(901, seldom), usual]))
        #expect(alone.leftOut.isEmpty)
        let file = try read(Self.calendar(never + [Self.todo(901, seldom), usual]))
        #expect(file.tasks.count == 152 && file.leftOut == [.repetitions: 151])
        #expect(file.tasks[151].repetition != nil)
    }

    @Test("defines a zone that changes each second, which is not understood")
    func zone() throws {
        let all = { (count: Int) in (0..<count).map { "\($0)" }.joined(separator: ",") }
        let zone = """
            BEGIN:VTIMEZONE
            TZID:Europe/Berlin
            BEGIN:STANDARD
            DTSTART:19700101T000000
            TZOFFSETFROM:+0300
            TZOFFSETTO:+0300
            RRULE:FREQ=YEARLY;BYDAY=MO;BYHOUR=\(all(24));BYMINUTE=\(all(60));BYSECOND=\(all(60))
            END:STANDARD
            END:VTIMEZONE

            """
        let due = "DUE;TZID=Europe/Berlin:20261210T090000"
        let file = try read(Self.calendar([zone, Self.todo(1, due)]))
        #expect(file.tasks[0].due == when("2026-12-10T08:00:00.000Z"))
    }

    @Test("has too many exceptions, or too many bytes")
    func sizes() throws {
        let times = Array(repeating: "20261202T090000Z", count: 1_001).joined(separator: ",")
        let file = try read(
            Self.calendar([
                Self.todo(1, "DTSTART:20261201T090000Z\nRRULE:FREQ=DAILY\nEXDATE:\(times)")
            ]))
        #expect(file.leftOut == [.repetitions: 1])
        let large = [UInt8](repeating: 0x61, count: TaskImport.maximumForeignSize + 1)
        for format in TaskFormat.allCases where format != .taskVault {
            #expect(error(large, as: format) == .tooLarge(maximum: 16_777_216))
        }
    }

    static let files: [(TaskFormat, String)] = [
        (
            .iCalendar,
            calendar([
                """
                BEGIN:VTIMEZONE
                TZID:Z
                BEGIN:STANDARD
                DTSTART:19701025T030000
                TZOFFSETFROM:+0200
                TZOFFSETTO:+0100
                RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
                END:STANDARD
                END:VTIMEZONE

                """,
                todo(1, "DTSTART;TZID=Z:20261201T090000\nRRULE:FREQ=MONTHLY;BYDAY=1TU;COUNT=9"),
                todo(2, "RELATED-TO:1\nDUE;VALUE=DATE:20261202\nCATEGORIES:a b,c\nPRIORITY:1"),
                todo(1, "RECURRENCE-ID:20270105T080000Z\nDUE:20270106T080000Z\nSTATUS:COMPLETED"),
            ])
        ),
        (
            .todoTxt,
            "(A) 2026-11-21 call mum @phone +family due:2026-12-05 t:2026-12-01 rec:+1w\nx 2026-11-22 milk taskvault:03fz81 at:9:00 rrule:FREQ=DAILY"
        ),
        (
            .taskwarrior,
            #"""
            [{"uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11","description":"a","status":"recurring","due":"20261201T080000Z","recur":"weekly","mask":"+-"},
            {"uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c12","parent":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11","imask":1,"description":"a","status":"pending","due":"20261208T080000Z","recur":"weekly","tags":["x"],"depends":["5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"],"annotations":[{"entry":"20261201T080000Z","description":"[ ] b"}]}]
            """#
        ),
    ]

    @Test("that is damaged anywhere is refused, or its export can be read", arguments: files)
    func damaged(format: TaskFormat, text: String) {
        var random = SeededGenerator()
        let original = Array(text.utf8)
        for _ in 0..<400 {
            var file = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<file.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: file.remove(at: place)
                case 2: file.insert(Array("\n:;,\"=9Z".utf8)[place % 8], at: place)
                default: file += file[place..<min(place + 40, file.count)]
                }
            }
            let fault = TaskFileProperties.file(file, as: format)
            #expect(fault == nil, "seed \(random.seed): \(String(decoding: file, as: UTF8.self))")
        }
    }
}
