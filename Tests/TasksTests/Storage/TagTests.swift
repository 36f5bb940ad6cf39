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
