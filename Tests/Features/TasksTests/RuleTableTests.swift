import Foundation
@testable import Tasks
import Testing
import TestSupport

/// Rules of the shapes that other programs write, against python-dateutil. `Tests/Vectors/rules.py` writes the table.
@Suite("A rule of another program")
struct RuleTableTests {
    private static func table(_ name: String) -> [[String]] {
        Checkout.text("Tests/Vectors/Rules/\(name).txt")
            .split(separator: "\n").map { $0.split(separator: "\t").map { String($0) } }
    }

    @Test(
        "has the occurrences that python-dateutil finds", arguments: ["occurrences", "generated"])
    func occurrences(name: String) throws {
        let table = Self.table(name)
        #expect(table.count >= 200)
        #expect(name != "generated" || Set(table.map { $0[1] }).count == table.count)
        for line in table {
            let expected = line.count > 2 ? line[2].split(separator: " ").map { String($0) } : []
            var present = Occurrence(try #require(FloatingTime(basic: line[0])))
            var rule = try RepeatRule(rule: line[1])
            var found: [String] = []
            while found.count < 20,
                let next = rule.next(after: present, now: nil, in: RuleCalendar.utc)
            {
                found.append(next.occurrence.scheduled.basic)
                (present, rule) = (next.occurrence, next.rule)
            }
            #expect(found == expected, "\(line[0]) \(line[1])")
            // Its text means the same, and the words of a usual one.
            let read = try RepeatRule(rule: line[1])
            #expect(try RepeatRule(rule: read.text) == read)
            guard name == "occurrences" else { continue }
            let typed = try RepeatRule(typed: read.phrase)
            #expect(typed == read || typed.phrase == read.phrase, "\(read.phrase)")
        }
    }

    private static let hasDateutil = ["/usr/lib/python3/dist-packages/dateutil"].contains {
        FileManager.default.fileExists(atPath: $0)
    }

    @Test(
        "is in the table as python-dateutil finds it",
        .enabled(if: hasDateutil, "needs python3-dateutil"))
    func table() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-B", Checkout.folder.appending(path: "Tests/Vectors/rules.py").path, "--check",
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "run Tests/Vectors/rules.py")
    }
}
