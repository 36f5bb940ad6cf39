internal import Tasks
internal import Testing

extension TaskRepositoryContract {
    /// Texts that a conversion to and from a database could change.
    private static let strangeTexts = [
        "caf\u{E9}", "cafe\u{301}", "\u{1F469}\u{200D}\u{1F467}\u{1F3FD}",
        "\u{5E9}\u{5DC}\u{202E}x",
        "\u{1}\u{7}\u{8}\u{1B}[2J\u{1B}]0;x\u{7}\u{7F}\u{80}\u{9F}", "a\tb\r\nc\n", " a ",
        "a\u{FEFF}",
        "\u{FEFF}a", "\u{FFFD}\u{FFFF}\u{10FFFF}", "'; DROP TABLE tasks; --", "%_\\\"'`$1?1:x@y",
        "\\x00\\000\\N", "NULL", "{1,2}", "1e5", "0x41", "I\u{307}\u{131}\u{130}ß",
        "z\u{335}\u{336}\u{337}",
        String(repeating: "n", count: 4_096), String(repeating: "\u{1F512}", count: 1_024),
    ]

    static let textRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("keeps every text byte for byte") { subject in
            let tasks = strangeTexts.enumerated().map { index, text in
                TaskSamples.plain(
                    index, text, notes: text + "\n" + text, TaskSamples.subtasks(text, "x", text))
            }
            try subject.repository.insert(tasks)
            for task in tasks {
                #expect(try subject.repository.exactTask(task.id) == ExactTask(task))
            }
            #expect(try subject.repository.everything() == tasks.map(ExactTask.init))
            for var task in tasks {
                task.content = .plain(TaskText(name: "x", notes: task.plainText?.name ?? ""))
                try subject.repository.change { try $0.replace(task) }
                task.revision = 2
                #expect(try subject.repository.exactTask(task.id) == ExactTask(task))
            }
        },
        TaskRepositoryContract("keeps the largest texts") { subject in
            let line = String(repeating: "s", count: TaskTextRule.maximumNameSize)
            let task = TaskSamples.plain(
                1, line, notes: String(repeating: "é\n", count: TaskTextRule.maximumNotesSize / 3),
                (0..<150).map { TodoSubtask(id: TaskSamples.id($0), name: line) })
            let many = TaskSamples.plain(
                2, "many",
                (0..<TaskTextRule.maximumSubtasks).map {
                    TodoSubtask(id: TaskSamples.id($0), name: "step \($0)", isDone: $0 % 3 == 0)
                })
            try subject.repository.insert([task, many])
            #expect(try subject.repository.exactTask(task.id) == ExactTask(task))
            #expect(try subject.repository.exactTask(many.id) == ExactTask(many))
        },
        TaskRepositoryContract("refuses text that no task may have") { subject in
            let step = TodoSubtask(id: TaskSamples.id(1), name: "x")
            let refused: [(TaskText, TaskTextRule.Violation)] = [
                (TaskText(name: ""), .emptyName(.name)),
                (TaskText(name: " \n\u{3000}"), .emptyName(.name)),
                (TaskText(name: "a\u{0}b"), .nullCharacter(.name)),
                (TaskText(name: "a", notes: "\u{0}"), .nullCharacter(.notes)),
                (
                    TaskText(name: String(repeating: "a", count: 4_097)),
                    .tooLong(.name, maximum: 4_096)
                ),
                (
                    TaskText(name: "a", subtasks: [TodoSubtask(id: step.id, name: "")]),
                    .emptyName(.subtaskName)
                ),
                (TaskText(name: "a", subtasks: [step, step]), .repeatedSubtask),
            ]
            let kept = TaskSamples.plain(1, "kept")
            try subject.repository.insert([kept])
            for (text, violation) in refused {
                var task = TaskSamples.plain(2)
                task.content = .plain(text)
                let replacement = TodoTask(
                    id: kept.id, content: task.content, created: task.created)
                #expect(throws: TaskListError.invalidText(violation)) {
                    try subject.repository.insert([task])
                }
                #expect(throws: TaskListError.invalidText(violation)) {
                    try subject.repository.change { try $0.replace(replacement) }
                }
            }
            #expect(try subject.repository.everything() == [ExactTask(kept)])
        },
        TaskRepositoryContract("keeps every time") { subject in
            // Includes the years 0 and 9999, and for other times than the due time years outside of any calendar.
            let times: [Int64] = [
                .min, .min + 1, -62_167_219_200_000, -1, 0, 1, 1_699_999_999_999,
                253_402_300_799_999, .max - 1, .max,
            ]
            let tasks = times.enumerated().map { index, milliseconds in
                let time = TaskSamples.time(milliseconds)
                let opposite = TaskSamples.time(times[times.count - 1 - index])
                let years = TaskSamples.years
                let due = min(max(time, years.lowerBound), years.upperBound)
                return TaskSamples.plain(
                    index, due: due, created: milliseconds,
                    completion: TaskCompletion(
                        time: time, keptFrom: opposite, cleared: index % 2 == 0 ? time : nil))
            }
            try subject.repository.insert(tasks)
            #expect(try subject.repository.everything() == tasks.map(ExactTask.init))
            let completions = try subject.repository.completions(from: TaskSamples.time(.min))
            #expect(completions.map(\.milliseconds) == times)
        },
    ]
}
