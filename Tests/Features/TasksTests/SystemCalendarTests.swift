import Foundation
import Tasks
import Testing
import TestSupport

@Suite("The calendar of the system")
struct SystemCalendarTests {
    /// When clocks show some local times in a process of this time zone.
    private static func points(in zone: String, _ times: [LocalTime]) throws -> [[PointInTime]] {
        let process = Process()
        process.executableURL = URL(filePath: BuiltExecutable.path(of: "TestTools"))
        process.environment = ["TZ": zone]
        process.arguments =
            ["calendar"]
            + times.flatMap {
                [$0.date.year, $0.date.month, $0.date.day, $0.hour, $0.minute].map { String($0) }
            }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().map { line in
            line.split(separator: " ").compactMap { Int64($0) }.map { PointInTime(seconds: $0) }
        }
    }

    // Rules in the variable itself, so that the machine needs no time zone database.
    @Test(
        "is that of the variable TZ, and agrees with the rules",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", RuleCalendar.centralEurope),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", .lordHowe),
            ("<-03>3<-02>,M10.3.0/0,M2.3.0/0", .brazil),
            ("<+0545>-5:45", .nepal), ("UTC0", .utc),
        ])
    func rules(zone: String, calendar: RuleCalendar) throws {
        var times = [
            // Where clocks are set, at one of these places at least.
            local(2_026, 3, 29, 1, 59), local(2_026, 3, 29, 2), local(2_026, 3, 29, 3),
            local(2_026, 10, 25, 1, 59), local(2_026, 10, 25, 2), local(2_026, 10, 25, 3),
            local(2_026, 4, 5, 1, 45), local(2_026, 10, 4, 2, 15), local(2_026, 10, 4, 2, 30),
            local(2_026, 2, 14, 23), local(2_026, 10, 18), local(2_026, 10, 18, 1),
            local(9_999, 12, 31, 23, 59), local(9_999, 7, 1),
            local(2_038, 1, 19, 4), local(2_100, 7, 1, 12), local(1_971, 1, 1),
        ]
        // What rules say of the years before 1970 is not agreed upon.
        if calendar.summer == nil { times += [local(0, 1, 1), local(1_969, 12, 31, 23, 59)] }
        #expect(
            try Self.points(in: zone, times) == times.map { calendar.pointsInTime(of: $0) })
    }

    private static let hasZones =
        ["Pacific/Apia", "Europe/Moscow", "Europe/Amsterdam"].allSatisfy {
            FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/" + $0)
        }

    @Test(
        "knows changes other than daylight saving", .enabled(if: hasZones, "needs zoneinfo"))
    func otherChanges() throws {
        // In 2014 Moscow set its clocks back for good: summer time neither before nor after.
        let moscow = try Self.points(in: "Europe/Moscow", [local(2_014, 10, 26, 1, 30)])
        #expect(moscow == [[utc(2_014, 10, 25, 21, 30), utc(2_014, 10, 25, 22, 30)]])
        // In 2011 Samoa left out a day.
        let samoa = try Self.points(
            in: "Pacific/Apia",
            [local(2_011, 12, 29, 12), local(2_011, 12, 30, 12), local(2_011, 12, 31, 12)])
        #expect(samoa == [[utc(2_011, 12, 29, 22)], [], [utc(2_011, 12, 30, 22)]])
        // Before 1835 Amsterdam was 19 minutes and 32 seconds ahead, or in today's data Brussels 17 and 30.
        let amsterdam = try Self.points(in: "Europe/Amsterdam", [local(1_700, 1, 1)])
        #expect(amsterdam.first?.first.map { $0 < utc(1_700, 1, 1) } == true)
    }

    @Test("accepts the first and the last point in time")
    func ends() {
        for milliseconds in [Int64.min, -1, 0, .max] {
            let time = PointInTime(milliseconds: milliseconds)
            let local = SystemCalendar().local(at: time)
            let found = SystemCalendar().pointsInTime(of: local)
            #expect(found.contains(PointInTime(seconds: time.seconds)))
        }
    }
}
