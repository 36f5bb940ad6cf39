import Foundation
@testable import Tasks
import Testing
import TestSupport
import TextCoding

@Suite("Zones of a calendar")
struct ICalendarZoneTests {
    /// A zone by the name that Outlook gives it.
    private static func zone(_ name: String, winter: String, summer: String) -> String {
        """
        BEGIN:VTIMEZONE
        TZID:\(name)
        BEGIN:STANDARD
        DTSTART:16010101T030000
        TZOFFSETFROM:\(summer)
        TZOFFSETTO:\(winter)
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
        END:STANDARD
        BEGIN:DAYLIGHT
        DTSTART:16010101T020000
        TZOFFSETFROM:\(winter)
        TZOFFSETTO:\(summer)
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
        END:DAYLIGHT
        END:VTIMEZONE

        """
    }

    private static func file(_ zones: String, _ lines: String...) -> String {
        let todos = lines.enumerated().map {
            "BEGIN:VTODO\nUID:\($0)\nSUMMARY:a\n\($1)\nEND:VTODO\n"
        }
        return "BEGIN:VCALENDAR\nVERSION:2.0\n" + todos.joined() + zones + "END:VCALENDAR\n"
    }

    private static let outlook = zone("W. Europe Standard Time", winter: "+0100", summer: "+0200")

    @Test("that the file defines win, whatever the machine's zone is", arguments: RuleCalendar.all)
    func ownZones(calendar: RuleCalendar) throws {
        let text = Self.file(
            Self.outlook + Self.zone("Europe/Berlin", winter: "+0300", summer: "+0430"),
            "DUE;TZID=W. Europe Standard Time:20261210T090000",
            "DUE;TZID=\"W. Europe Standard Time\":20270610T090000",
            "DUE;TZID=Europe/Berlin:20261210T090000", "DUE;TZID=Europe/Berlin:20270610T090000",
            "DUE;TZID=Europe/Paris:20270610T090000")
        let due = [
            "2026-12-10T08:00:00.000Z", "2027-06-10T07:00:00.000Z", "2026-12-10T06:00:00.000Z",
            "2027-06-10T04:30:00.000Z", "2027-06-10T07:00:00.000Z",
        ].map(when)
        let result = try read(text, in: calendar)
        #expect(result.remarks.isEmpty)
        #expect(result.tasks.map(\.due) == due)
        let back = try written(result.tasks, as: .iCalendar, in: calendar)
        #expect(try read(back, in: calendar).tasks.map(\.due) == due)
    }

    @Test("of repetitions are equal ones of the machine, which the file may name otherwise")
    func repetitions() throws {
        let text = Self.file(
            Self.outlook,
            "DTSTART;TZID=W. Europe Standard Time:20270310T090000\nRRULE:FREQ=MONTHLY\nEXDATE;TZID=W. Europe Standard Time:20270410T090000"
        )
        // The owner's zone comes first.
        for (calendar, name) in [
            (RuleCalendar.centralEurope, "Europe/Berlin"), (.newYork, "Europe/Andorra"),
        ] {
            let result = try read(text, in: calendar)
            let task = result.tasks[0]
            #expect(result.remarks.isEmpty && task.occurrence?.zone == name)
            #expect(task.due == when("2027-03-10T08:00:00.000Z"))
            #expect(task.task.nextOccurrence(in: calendar)?.due == when("2027-05-10T07:00:00.000Z"))
            let back = try read(written([task], as: .iCalendar, in: calendar), in: calendar)
            #expect(back.tasks[0].repetition == task.repetition && back.tasks[0].due == task.due)
        }
    }

    @Test("of repetitions are the owner's if no zone of the machine is equal, which is said")
    func oddRepetition() throws {
        let result = try read(
            Self.file(
                Self.zone("Odd", winter: "+0123", summer: "+0323"),
                "DTSTART;TZID=Odd:20270310T090000\nRRULE:FREQ=MONTHLY"), in: .newYork)
        #expect(result.tasks[0].due == when("2027-03-10T07:37:00.000Z"))
        #expect(result.tasks[0].repetition != nil && result.leftOut == [.zones: 1])
    }

    @Test(
        "that are not understood are the machine's",
        arguments: [
            "", "BEGIN:STANDARD\nDTSTART:20260101T000000\nEND:STANDARD\n",
            "BEGIN:STANDARD\nDTSTART:20260101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+9900\nEND:STANDARD\n",
            "BEGIN:STANDARD\nDTSTART:20260101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=DAILY\nEND:STANDARD\n",
        ])
    func badDefinition(observances: String) throws {
        let zone = "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\n\(observances)END:VTIMEZONE\n"
        let result = try read(Self.file(zone, "DUE;TZID=Europe/Berlin:20261210T090000"))
        #expect(result.tasks[0].due == when("2026-12-10T08:00:00.000Z"))
    }

    private static func text(_ time: TaskTime) -> String {
        time.day.map { TimeText.text($0) } ?? Timestamp.text(time.moment?.milliseconds ?? 0)
    }

    /// The three occurrences after the present one of a repeated task.
    private static func next(of task: TodoTask) throws -> [String] {
        var (task, found) = (task, [String]())
        while task.repetition != nil, found.count < 3 {
            let next = try #require(task.nextOccurrence(in: RuleCalendar.newYork))
            found.append(text(next.due))
            task.setSeries(next.rule, next.occurrence)
        }
        return found
    }

    private static let hasCalendarWriter = ["icalendar", "dateutil"].allSatisfy {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/" + $0)
    }

    private struct Calendar: Decodable {
        struct Task: Decodable, Hashable {
            let name: String
            let due: String?
            let next: [String]
            let tags: [String]
            let notes: String
        }
        let file: String
        let tasks: [Task]
    }

    @Test(
        "and 500 files of another program mean what python-dateutil finds",
        .enabled(if: hasCalendarWriter, "needs python3-icalendar"))
    func generated() throws {
        let random = SeededGenerator()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        let script = Checkout.folder.appending(path: "Tests/Vectors/calendars.py").path
        process.arguments = ["-B", script, "\(random.seed)", "500"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let calendars = try JSONDecoder().decode([Calendar].self, from: json)
        #expect(calendars.count == 500)
        for calendar in calendars {
            let result = try read(calendar.file, in: .newYork)
            #expect(result.remarks.isEmpty, "seed \(random.seed)")
            for tasks in [
                result.tasks,
                try read(written(result.tasks, as: .iCalendar, in: .newYork), in: .newYork).tasks,
            ] {
                let found = try tasks.map { task in
                    Calendar.Task(
                        name: task.text?.name ?? "",
                        due: task.due.map(Self.text), next: try Self.next(of: task.task),
                        tags: task.tags,
                        notes: task.text?.notes ?? "")
                }
                #expect(Set(found) == Set(calendar.tasks), "seed \(random.seed)")
            }
        }
    }
}
