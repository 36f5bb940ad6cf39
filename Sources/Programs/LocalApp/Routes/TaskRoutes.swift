extension PageRoute {
    private static let filters: [Part] = [
        .text("list"), .flag("overdue"), .flag("today"), .flag("week"), .text("due_before"),
        .flag("protected"), .text("search"), .flag("ready"), .flag("blocked"),
    ]
    private static let publicParts: [Part] = [
        .text("due", none: "never"), .reminder, .text("repeat", none: "never"),
        .text("wait", none: "never"), .text("priority", none: "none"), .text("list", none: ""),
        .texts("tags", as: "tag"), .texts("after", as: "after"), .text("nickname", none: ""),
    ]
    private static let task = Operand.path("id")
    private static let subtask: [Operand] = [.path("id"), .path("subtask")]
    private static let subtaskTimes: [Part] = [.text("due", none: "never"), .reminder]

    /// The to-do list.
    static let tasks: [PageRoute] = [
        .command(
            "GET", "tasks", "task list", [],
            filters + [
                .flag("open"), .flag("done"), .flag("waiting"), .texts("tag", as: "tag"),
                .text("order"), .text("limit"), .flag("reveal"),
            ]),
        // What differs from the tasks that the page has, by digests of groups.
        .command("GET", "tasks/changes", "app-tasks", [], [.text("known")]),
        .command("GET", "tasks/{id}", "task show", [task]),
        PageRoute(
            "POST", "tasks",
            [
                "name", "notes", "due", "remind", "repeat", "wait", "priority", "list", "tags",
                "after", "nickname", "protected",
            ]
        ) { request in
            // The text of a protected task must stay in guarded memory.
            try request.members.flag("protected")
                ? .outcome(
                    try request.run(
                        "task add --protected", [], publicParts + [.required("name"), .notes]))
                : .outcome(
                    try request.run("task add", [.member("name")], publicParts + [.notes]))
        },
        // One line as it is typed: what it means, and the task that it makes.
        .command(
            "POST", "tasks/understand", "task add --as-field --preview", [.member("text")]),
        .command(
            "POST", "tasks/typed", "task add --as-field", [.member("text")], publicParts + [.notes]),
        .command(
            "PATCH", "tasks/{id}", "task edit", [task],
            publicParts + [
                .texts("untags", as: "untag"), .flag("append"),
                .line("name", announced: ["--name=-"]), .notes,
            ]),
        // Several tasks at once, as one step of undo.
        .command(
            "POST", "tasks/edit", "task edit --yes", [.members("ids")],
            publicParts + [.texts("untags", as: "untag"), .text("due_day")]),
        .command(
            "POST", "tasks/done", "task done", [.members("ids")],
            [.flag("with_subtasks"), .flag("yes")]),
        .command(
            "POST", "tasks/undone", "task undone", [.members("ids")], [.flag("with_subtasks")]),
        .command(
            "POST", "tasks/done-all", "task done --all --yes", [],
            filters + [.texts("tags", as: "tag"), .flag("with_subtasks")]),
        .command("POST", "tasks/remove", "task remove --yes", [.members("ids")]),
        .command("POST", "tasks/undo", "task undo"),
        .command("POST", "tasks/clear", "task clear", [], [.flag("undo")]),
        .command("POST", "tasks/{id}/remind", "task remind", [task, .reminder("when")]),
        .command("POST", "tasks/{id}/protect", "task protect", [task]),
        .command("POST", "tasks/{id}/unprotect", "task unprotect", [task]),
        .command("GET", "tasks/{id}/history", "task history", [task]),
        .command("POST", "tasks/{id}/restore", "task restore", [task], [.text("revision")]),
        .command("POST", "reminders", "app-reminders"),
        .command("GET", "statistics", "task stats", [], [.text("days")]),
        .command(
            "POST", "tasks/{id}/subtasks", "task subtask add", [task],
            subtaskTimes + [.required("name")]),
        .command(
            "PATCH", "tasks/{id}/subtasks/{subtask}", "task subtask edit", subtask,
            subtaskTimes + [.line("name", announced: ["--name=-"])]),
        .command(
            "POST", "tasks/{id}/subtasks/{subtask}/done", "task subtask done", subtask),
        .command(
            "POST", "tasks/{id}/subtasks/{subtask}/undone", "task subtask undone", subtask),
        .command(
            "POST", "tasks/{id}/subtasks/{subtask}/remove", "task subtask remove", subtask),
        .command(
            "POST", "tasks/{id}/subtasks/{subtask}/remind", "task subtask remind",
            subtask + [.reminder("when")]),
        .command(
            "POST", "tasks/{id}/subtasks/{subtask}/move", "task subtask move",
            subtask + [.member("position")]),
    ]
}
