import Tasks
import Testing
import TestSupport

private let now = utc(2_026, 11, 21, 14)
private let europe = RuleCalendar.centralEurope

@Suite("A time that cannot be used")
struct DueTimeErrorTests {
    private func error(_ text: String, in calendar: RuleCalendar = europe) -> DueTimeError? {
        do {
            _ = try DueTimeParser.read(text, now: now, in: calendar)
            return nil
        } catch {
            return error as? DueTimeError
        }
    }

    @Test(
        "is refused with the reason",
        arguments: [
            ("", .empty), (" \t ", .empty),
            ("soonish", .notUnderstood), ("2026", .unclearTime), ("dec", .notUnderstood),
            ("dec 2027", .notUnderstood), ("tomorrow tomorrow", .notUnderstood),
            ("9:00 10:00", .notUnderstood), ("at", .notUnderstood), ("on", .notUnderstood),
            ("on 9:00", .notUnderstood), ("in tomorrow", .notUnderstood),
            ("tomorrow!", .notUnderstood),
            ("9:5", .notUnderstood), ("9:00:0", .notUnderstood), ("9:00.5", .notUnderstood),
            ("-2h", .notUnderstood), ("tomorrow +2h", .notUnderstood), ("now 9:00", .notUnderstood),
            ("in 2h 9:00", .notUnderstood),
            ("2026-12", .impossibleDate), ("2026-12-01T", .notUnderstood),
            ("9:00 pm am", .notUnderstood), ("２０２６-１２-０１", .notUnderstood),
            ("٩:٠٠", .notUnderstood),
            ("2026-12-01T09:00[Europe/Berlin]", .notUnderstood), ("9:00 CET", .notUnderstood),
            // What people read differently.
            ("01/02/2026", .ambiguousDate(readings: ["2026-02-01", "2026-01-02"])),
            ("1.2.26", .ambiguousDate(readings: ["2026-02-01", "2026-01-02", "2001-02-26"])),
            ("12/1", .ambiguousDate(readings: ["12 jan", "1 dec"])),
            ("9.30", .ambiguousDate(readings: ["30 sep", "9:30"])),
            ("next", .ambiguousWord("next")), ("next weekend", .ambiguousWord("next weekend")),
            ("this friday", .ambiguousWord("this")), ("fri midnight", .ambiguousWord("midnight")),
            ("tomorrow morning", .ambiguousWord("morning")),
            ("9", .unclearTime), ("fri 9", .unclearTime),
            ("tomorrow 0900", .unclearTime), ("at 0900", .unclearTime),
            // Other languages.
            ("morgen", .notUnderstood), ("завтра", .notUnderstood), ("lun 9:00", .notUnderstood),
            // What does not exist.
            ("2026-02-30", .impossibleDate), ("2026-13-01", .impossibleDate),
            ("0th", .impossibleDate), ("32nd", .impossibleDate), ("at 24", .impossibleTime),
            ("30 feb", .impossibleDate), ("dec 32", .impossibleDate),
            ("29 feb 2027", .impossibleDate),
            ("32/13/2026", .impossibleDate),
            ("25:00", .impossibleTime), ("24:00", .impossibleTime), ("9:60", .impossibleTime),
            ("9:00:60", .impossibleTime), ("13pm", .impossibleTime), ("0am", .impossibleTime),
            ("2026-12-01T09:00+24:00", .impossibleOffset),
            ("2026-12-01T09:00+02:60", .impossibleOffset),
            ("2026-12-01T09:00+2:0", .impossibleOffset),
            // What lacks something.
            ("2026-12-01Z", .notUnderstood), ("2026-12-01 z", .offsetWithoutDate),
            ("9:00Z", .offsetWithoutDate), ("+3", .offsetWithoutDate),
            ("1 dec 9:00+02:00", .offsetWithoutDate),
            ("in two weeks", .notUnderstood), ("in 2", .missingUnit), ("in", .missingUnit),
            ("in a while", .missingUnit),
            ("in 3 days 2h", .mixedUnits), ("1d2h", .mixedUnits),
            ("in 9999999 days", .outOfRange), ("in 9000 years", .outOfRange),
            ("in 999999 weeks", .outOfRange), ("0001-01-01T00:00+23:59", .outOfRange),
            ("0000-12-31", .outOfRange), ("10000-01-01", .outOfRange),
            ("10000-01-01T09:00", .outOfRange), ("-0001-01-01", .outOfRange),
            ("-0001-12-31 9:00", .outOfRange), ("12345-1-1", .outOfRange),
            ("9999-12-31T23:59-01:00", .outOfRange), ("in 999999h 999999h", nil),
        ] as [(String, DueTimeError?)])
    func refused(text: String, expected: DueTimeError?) {
        #expect(error(text) == expected)
    }

    @Test("has a reason in one line, and valid examples")
    func examples() throws {
        let errors: [DueTimeError] = [
            .empty, .notUnderstood, .ambiguousWord("next"), .unclearTime, .impossibleDate,
            .impossibleTime, .impossibleOffset, .offsetWithoutDate, .mixedUnits, .missingUnit,
            .outOfRange,
        ]
        let found = ["1/2/2026", "12/1", "9.30", "2026-03-29 2:30", "2026-10-25 2:30"].compactMap {
            error($0)
        }
        #expect(found.count == 5)
        for error in errors + found {
            #expect((2...3).contains(error.examples.count), "\(error)")
            for example in error.examples {
                #expect(throws: Never.self, "\(error)") {
                    try DueTimeParser.read(example, now: now, in: europe)
                }
            }
            #expect(!"\(error)".contains("\n") && !"\(error)".hasSuffix("."))
        }
    }

    @Test("is refused with the times around it if clocks skip it")
    func skipped() {
        #expect(
            error("2026-03-29 2:30")
                == .skipped(
                    local(2_026, 3, 29, 2, 30),
                    around: [local(2_026, 3, 29, 1, 30), local(2_026, 3, 29, 3, 30)]))
        #expect(error("2026-03-29 1:59") == nil)
        #expect(error("2026-03-29 3:00") == nil)
        #expect(
            error("2026-10-04 02:15", in: .lordHowe)
                == .skipped(
                    local(2_026, 10, 4, 2, 15),
                    around: [local(2_026, 10, 4, 1, 45), local(2_026, 10, 4, 2, 45)]))
        // By the day of the week, and by the time alone.
        let eve = utc(2_026, 3, 28, 20)
        for text in ["sun 2:30", "2:30", "29 mar 2:30"] {
            #expect(throws: DueTimeError.self) {
                try DueTimeParser.read(text, now: eve, in: europe)
            }
        }
    }

    @Test("is refused with two valid spellings if clocks show it twice")
    func repeated() throws {
        #expect(
            error("2026-10-25 2:30")
                == .repeated(
                    local(2_026, 10, 25, 2, 30),
                    spellings: ["2026-10-25 02:30+02:00", "2026-10-25 02:30+01:00"]))
        let times = try ["2026-10-25 02:30+02:00", "2026-10-25 02:30+01:00"].map {
            try DueTimeParser.read($0, now: now, in: europe)
        }
        #expect(times.map(\.moment) == europe.pointsInTime(of: local(2_026, 10, 25, 2, 30)))
        #expect(
            error("2026-04-05 01:45", in: .lordHowe)?.examples
                == ["2026-04-05 01:45+11:00", "2026-04-05 01:45+10:30"])
        #expect(error("2026-10-25 1:59") == nil)
        #expect(error("2026-10-25 3:00") == nil)
    }
}
