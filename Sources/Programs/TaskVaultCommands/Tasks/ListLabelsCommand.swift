internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// `task lists`: lists the lists and tags of open tasks.
enum ListLabelsCommand: Command {
    static let description = CommandDescription(
        path: ["task", "lists"],
        summary: "list the lists and tags of open tasks",
        examples: [.init("taskvault task lists", "with the number of tasks of each")],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.reading) { tasks in
            let labels = try tasks.list.labels()
            guard context.console.isJSON else {
                var table = TextTable([
                    TextTable.Column("OPEN", .trailing), TextTable.Column("LIST OR TAG"),
                ])
                for list in labels.lists { table.add(["\(list.count)", list.name]) }
                for tag in labels.tags { table.add(["\(tag.count)", "#" + tag.name]) }
                guard !labels.lists.isEmpty || !labels.tags.isEmpty else { return }
                return try context.console.page { table.lines(limit: $0.columns) }
            }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.labels(labels)
                try json.endObject()
            }
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the members `lists` and `tags`.
    mutating func labels(_ labels: (lists: [LabelCount], tags: [LabelCount])) throws {
        for (key, counts) in [("lists", labels.lists), ("tags", labels.tags)] {
            try self.key(key)
            try beginArray()
            for label in counts {
                try beginObject()
                try member("name", label.name)
                try member("open", label.count)
                try endObject()
            }
            try endArray()
        }
    }
}
