internal import CommandLine
internal import Services

/// `remind`: announces reminders that are due now, for cron and systemd timers.
enum RemindCommand: Command {
    static let description = CommandDescription(
        path: ["remind"],
        summary: "announce reminders that are due now",
        options: [.once],
        notes: [
            "It uses the desktop's notifications, the program of the setting reminder-command, or both. Without either it prints the reminders.",
            "Reminders of the past 24 hours are announced, each once on each machine.",
            "While taskvault-services is running, this command does nothing.",
        ],
        examples: [.init("taskvault remind --once", "each minute, by cron or a systemd timer")],
        exitCodes: .tasks)

    static func run(_ context: CommandContext) throws {
        guard context.invocation.has(.once) else {
            throw CommandFailure.usage(
                "missing --once", hint: "taskvault-services run announces reminders at their time")
        }
        #if os(Linux)
            guard let notes = try ReminderNotes.ofMachine(context.folders) else { return }
            let source = CommandReminderSource(context, program: CommandTable.taskvault.program)
            try ReminderService.announceOnce(source, notes, on: try? SessionBus()) { title, body in
                try context.console.print { output in
                    try output.writeLine(
                        ([title] + body.split(separator: "\n").map { "    " + $0 })
                            .joined(separator: "\n"))
                }
            }
        #else
            throw CommandFailure(.failure, code: "linux_only", "this needs Linux")
        #endif
    }
}

extension OptionDescription {
    /// Do not stay.
    fileprivate static let once = OptionDescription(
        "once", "announce what is due now, and end")
}
