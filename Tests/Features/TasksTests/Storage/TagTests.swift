@testable import Tasks
import Testing
import TestSupport

@Suite("Stored tags")
struct TagTests {
    @Test("stay apart if one begins with a combining mark")
    func combiningMarks() throws {
        let repository = try TaskRepository.inMemory()
        let list = TaskList(repository) { PointInTime(seconds: 0) }
        var task = TodoTask(
            id: TaskID(number: 7), content: .plain(TaskText(name: "paint")),
            created: PointInTime(seconds: 0))
        task.tags = ["a", "\u{301}x", "b"]
        try list.insert([task])
        #expect(try repository.task(task.id)?.tags == task.tags)
        #expect(try Set(list.labels().tags.map(\.name)) == Set(task.tags))
    }

    @Test("that few tasks share fill a page from rows far apart", arguments: TaskOrder.allCases)
    func sparseMatches(order: TaskOrder) throws {
        let repository = try TaskRepository.inMemory()
        let list = TaskList(repository) { PointInTime(seconds: 0) }
        try list.insert(
            (0..<400).map { number in
                var task = TodoTask(
                    id: TaskID(number: UInt64(number * 7_919 % 1_000)),
                    content: .plain(TaskText(name: "paint wall \(number)")),
                    created: PointInTime(seconds: Int64(number)))
                task.tags =
                    (number % 7 == 0 ? ["seven"] : []) + (number % 5 == 0 ? ["Five"] : [])
                return task
            })
        let all = try list.tasks(TaskSelection(by: order))
        for limit in [0, 1, 3, 11, 12, 100] {
            let query = TaskSelection(
                TaskFilter(labels: [.tag("five"), .tag("seven")]), by: order, limit: limit)
            let expected = all.filter { $0.tags.count == 2 }.prefix(limit)
            #expect(try list.tasks(query).map(\.id) == expected.map(\.id))
        }
    }

    @Test("are not the reason if attributes of another program are too large")
    func largeAttributes() {
        var text = TaskText(name: "paint")
        text.further = String(repeating: "x", count: TaskTextRule.maximumFurtherSize + 1)
        #expect {
            try TaskTextRule.check(text)
        } throws: {
            "\($0)".contains("other programs") && "\($0)".contains("262144")
        }
    }
}
