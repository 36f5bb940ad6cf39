internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// `app-tasks`: prints the tasks of the groups (`TaskGroup`) that are not those of a page, and what the page shows of all tasks.
///
/// The member `groups` has the digest of each of these groups; null for a group that has no more tasks.
enum PageTasksCommand: Command {
    private static let known = OptionDescription(
        "known", .text("DIGESTS"), "the groups of the page, each with its digest")

    static let description = CommandDescription(
        path: ["app-tasks"], summary: "print changed tasks", options: [known], examples: [],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let known = try digests(context.invocation.text(of: known) ?? "")
        try context.tasks.withTasks(.reading) { tasks in
            let groups = try tasks.list.groups()
            let changed = Set(groups.keys).union(known.keys)
                .filter { groups[$0]?.digest != known[$0] }.sorted()
            // A task that another program clears meanwhile has a newer revision, which is found the next time.
            let found = try tasks.list.existing(changed.flatMap { groups[$0]?.ids ?? [] }).values
                .filter { $0.completion?.cleared == nil }
            let labels = try tasks.list.labels()
            let completed = try tasks.list.completedLately()
            let marked = context.application.sync.markedTasks().map(\.text).sorted()
            try context.console.printJSON { json in
                try json.beginObject()
                try json.key("groups")
                try json.beginObject()
                for prefix in changed { try json.member(prefix, groups[prefix]?.digest) }
                try json.endObject()
                try json.key("tasks")
                try json.beginArray()
                for task in found {
                    try json.task(ShownTask(task), now: tasks.moment) {
                        // For the order: `created` has seconds only.
                        try $0.member("made", task.created.milliseconds)
                    }
                }
                try json.endArray()
                try json.labels(labels)
                // Marks change without the tasks. They are few.
                try json.key("concurrent")
                try json.beginArray()
                for id in marked { try json.string(id) }
                try json.endArray()
                try json.member("completed_past_24_hours", completed)
                try json.endObject()
            }
        }
    }

    /// The digests of groups, from a text of prefixes and digests.
    private static func digests(_ text: String) throws -> [String: String] {
        let size = TaskGroup.prefixLength + TaskGroup.digestLength
        guard text.utf8.count % size == 0, text.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Failure.usage("--known is no list of digests")
        }
        var digests: [String: String] = [:]
        var rest = text[...]
        while !rest.isEmpty {
            let part = rest.prefix(size)
            digests[String(part.prefix(TaskGroup.prefixLength))] = String(
                part.dropFirst(TaskGroup.prefixLength))
            rest = rest.dropFirst(size)
        }
        return digests
    }
}
