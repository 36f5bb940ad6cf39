import Foundation
import Testing
import TestSupport

/// Days without a time, and repetitions, from the command line and back.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskDayTests {
    private static let hasZones =
        ["Europe/Berlin", "Asia/Tokyo"].allSatisfy { Files.exists("/usr/share/zoneinfo/" + $0) }

    private static func calendar(_ lines: String) -> [UInt8] {
        Array(
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTODO\nUID:c0\nSUMMARY:water\n\(lines)\nEND:VTODO\nEND:VCALENDAR\n"
                .utf8)
    }

    @Test(.enabled(if: hasZones, "there are no time zones"))
    func aDayIsTheSameDayElsewhere() throws {
        let home = try TestHome.forTasks(withVault: false)
        home.environment["TZ"] = "Europe/Berlin"
        let own = try home.add("own", "--due", "2099-12-10", "--wait", "2099-12-09", "--remind")
        let line = "2026-11-01 buy milk +home due:2099-12-10 t:2099-12-09"
        let file = Array((line + "\n").utf8)
        #expect(
            try home.runBare(["task", "import", "--format", "todo.txt", "-"], input: file).exitCode
                == 0)
        home.environment["TZ"] = "Asia/Tokyo"
        let shown = try home.shown(own)
        #expect(shown["due"] as? String == "2099-12-10")
        #expect(shown["wait"] as? String == "2099-12-09")
        #expect(shown["reminder"] as? String == "2099-12-10")
        #expect(try home.doTask("show", own).outputText.contains("thu 2099-12-10\n"))
        let lines = try home.doTask("export", "--format", "todo.txt").outputLines
        #expect(lines.last?.replacing(#/ taskvault:\w{6}/#, with: "") == line)
        home.environment["TZ"] = "UTC"
        let exported = try home.doTask("export", "--format", "icalendar").outputText
        #expect(exported.contains("DUE;VALUE=DATE:20991210\r\n"))
        #expect(exported.contains("DTSTART;VALUE=DATE:20991209\r\n"))
    }

    @Test func anUnknownTimeZoneIsNamed() throws {
        let home = try TestHome.forTasks(withVault: false)
        home.environment["TZ"] = "Moon/Crater"
        let added = try home.task("add", "x", "--due", "2099-12-10 9:00")
        #expect(added.exitCode == 0)
        #expect(added.errorText.contains("unknown time zone 'Moon/Crater' in TZ: times are in UTC"))
        for zone in [
            "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST", "",
            "/usr/share/zoneinfo/Europe/Berlin",
        ] {
            home.environment["TZ"] = zone
            #expect(try home.task("list").errorText.isEmpty, "\(zone)")
        }
        for file in ["/etc/passwd", "/nowhere", "A1"] {
            home.environment["TZ"] = file
            #expect(try home.task("list").errorText.contains("'\(file)' in TZ"), "\(file)")
        }
    }

    @Test func aReminderThatNothingAnnouncesIsNamed() throws {
        let home = try TestHome.forTasks(withVault: false)
        let hint = "no program announces reminders on this machine"
        #expect(
            try home.task("add", "x", "--due", "2099-12-10", "--remind").errorText.contains(hint))
        #expect(try home.task("add", "y", "--due", "2099-12-10").errorText.isEmpty)
        let next = hint + ", the next one of thu 2099-12-10"
        for command in ["status", "doctor"] {
            #expect(try home.runBare([command]).errorText.contains(next), "\(command)")
        }
        // A timer counts as such a program.
        _ = try home.runBare(["remind", "--once"])
        #expect(
            try !home.task("add", "z", "--due", "2099-12-10", "--remind").errorText.contains(hint))
        for command in ["status", "doctor"] {
            #expect(try !home.runBare([command]).errorText.contains(hint), "\(command)")
        }
    }

    @Test func statusAndDoctorNameSilentReminders() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("x", "--due", "2099-12-10")
        func warnings() throws -> [Int] {
            try [home.ask("status --json"), home.run("doctor --json")].map { result in
                let all = result.errorText + result.outputText
                return all.ranges(of: "reminders_silent").count
            }
        }
        #expect(try warnings() == [0, 0])
        _ = try home.add("y", "--due", "2099-12-10", "--remind")
        #expect(try warnings() == [1, 1])
    }

    @Test func aRuleOfAnotherProgramRepeatsHere() throws {
        let home = try TestHome.forTasks(withVault: false)
        let file = Self.calendar(
            "DTSTART;VALUE=DATE:20990314\nDUE;VALUE=DATE:20990314\nRRULE:FREQ=YEARLY;BYMONTHDAY=14;BYMONTH=3"
        )
        #expect(try home.runBare(["task", "import", "-"], input: file).exitCode == 0)
        #expect(try home.doTask("done", "water").outputText.contains("(due sun 2100-03-14)"))
        let exported = try home.doTask("export", "--format", "icalendar").outputText
        #expect(exported.contains("DUE;VALUE=DATE:21000314\r\n"))
        #expect(exported.contains("STATUS:NEEDS-ACTION\r\n"))
        #expect(exported.contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14\r\n"))
    }

    @Test func aSeriesOfAnotherProgramDoesNotEndUnasked() throws {
        let home = try TestHome.forTasks(withVault: false)
        let file = Self.calendar("DUE:20990314T080000Z\nRRULE:FREQ=HOURLY;INTERVAL=6")
        #expect(try home.runBare(["task", "import", "-"], input: file).exitCode == 0)
        let listed = try home.doTask("list").outputText
        #expect(listed.contains("↻?") || listed.contains("(repeats elsewhere)"))
        #expect(try home.tasks()[0]["repeats_elsewhere"] as? Bool == true)
        let refused = try home.task("done", "water")
        #expect(refused.exitCode == 2, "\(refused.errorText)")
        #expect(try home.tasks()[0]["done"] as? Bool == false)
        let asked = try TerminalSession(home, ["task", "done", "water"])
        try asked.answer("End all of it? [y/N]", "n")
        #expect(try asked.finish() == 8)
        #expect(try home.tasks()[0]["ends_elsewhere"] as? Bool == true)
        #expect(try home.task("done", "water", "--yes").exitCode == 0)
        #expect(try home.tasks()[0]["done"] as? Bool == true)
    }

    @Test func theTimeOfDayOfDayRemindersIsASetting() throws {
        let home = try TestHome.forTasks(withVault: false)
        #expect(try home.runBare(["settings", "set", "day-reminder", "07:30"]).exitCode == 0)
        #expect(try home.runBare(["settings", "get", "day-reminder"]).outputText == "7:30\n")
        #expect(try home.runBare(["settings", "set", "day-reminder", "24:00"]).exitCode == 2)
    }
}
