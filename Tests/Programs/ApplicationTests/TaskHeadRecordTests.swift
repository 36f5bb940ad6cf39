@testable import Application
import Tasks
import TestSupport
import Testing

/// A file of `Tests/Vectors/Tasks/Heads`.
private struct HeadVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The lines by their names.
    private let lines: [String: String]

    static let all = TestVectors.all(in: "Tasks/Heads") { HeadVector($0, $1) }

    private init(_ name: String, _ text: String) {
        testDescription = name
        let pairs = text.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1) }
        lines = Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }

    var head: TaskHead? {
        guard let number = lines["number"].flatMap({ Int64($0) }),
            let mark = lines["mark"].flatMap({ Int64($0) })
        else { return nil }
        return TaskHead(number: number, mark: mark)
    }

    var value: [UInt8] { get throws { try TestVectors.bytes(#require(lines["value"])) } }
}

/// This machine's record of a list, in a file.
@Suite struct TaskHeadRecordTests {
    @Test func itsBytesAreThoseOfThePage() throws {
        #expect(HeadVector.all.count { $0.head != nil } == 3)
        #expect(HeadVector.all.count >= 16)
        for vector in HeadVector.all {
            #expect(try TaskHeadRecord.head(vector.value) == vector.head, "\(vector)")
            guard let head = vector.head else { continue }
            #expect(try TaskHeadRecord.bytes(head) == vector.value, "\(vector)")
        }
    }

    @Test func itIsRaisedAndReplaced() throws {
        try withTemporaryFolder { folder in
            let records = folder + "/rollback"
            let record = try TaskHeadRecord(in: records, of: "/home/tasks.db")
            #expect(try record.read() == nil)
            #expect(!TestFile.exists(records), "reading makes no folder")
            let heads = (1...4).map { TaskHead(number: $0, mark: $0 * 11) }
            record.raise(to: heads[1])
            #expect(try record.read() == heads[1])
            // Another process that commits first may record last.
            record.raise(to: heads[0])
            record.raise(to: TaskHead(number: 2, mark: 5))
            #expect(try record.read() == heads[1])
            record.raise(to: heads[3])
            #expect(try record.read() == heads[3])
            record.replace(with: heads[0])
            #expect(try record.read() == heads[0])
            let other = try TaskHeadRecord(in: records, of: "/other/tasks.db")
            #expect(try other.read() == nil)
            let name = try #require(TestFile.names(in: records).first)
            #expect(TestFile.mode(records + "/" + name) == 0o600)
            try TestFile.write([UInt8](repeating: 1, count: 100), to: records + "/" + name)
            #expect(throws: TaskListError.recordDamaged) { try record.read() }
            record.replace(with: heads[2])
            #expect(try record.read() == heads[2])
            record.remove()
            #expect(try record.read() == nil)
        }
    }
}
