internal import Application
internal import CommandLine
internal import Platform
internal import Services
internal import TextCoding

/// `remind`: announces reminders that are due now, for cron and systemd timers.
enum RemindCommand: Command {
    static let description = CommandDescription(
        path: ["remind"],
        summary: "announce reminders that are due now",
        options: [.once],
        notes: [
            "It uses the desktop's notifications, the program of the setting reminder-command, or both. Without either it prints the reminders.",
            "Reminders since the last call are announced, of 24 hours at least and 30 days at most, each once on each machine.",
            "While taskvault services is running for the same home folder, this command does nothing.",
        ],
        examples: [.init("taskvault remind --once", "each minute, by cron or a systemd timer")],
        exitCodes: .tasks)

    static func run(_ context: CommandContext) throws {
        guard context.invocation.has(.once) else {
            throw Failure.usage(
                "missing --once", hint: "taskvault services announces reminders at their time")
        }
        #if os(Linux)
            let source = ReminderAccess(context.application)
            let console = context.console
            let notices = Notices(
                program: Application.program, descriptor: console.surroundings.errors,
                asJSON: console.isJSON)
            // The error of unreadable settings is reported with the tasks.
            try? context.folders.warnOfForeignCommand(notices.warn)
            notices.finish()
            var isEmpty = true
            if let notes = try AnnouncementLog.ofMachine(context.folders) {
                do {
                    try ReminderService.announceOnce(
                        source, notes, on: try? SessionBus(), asJSON: console.isJSON
                    ) { text in
                        let start = console.isJSON ? isEmpty ? "[" : "," : ""
                        isEmpty = false
                        try console.print { output in try output.write(start + text) }
                    }
                } catch let failure as SystemFailure {
                    throw Failure(
                        .failure, code: "cannot_write",
                        "cannot note which reminders are announced: \(failure.explanation)",
                        hint: "make room, or set XDG_STATE_HOME to another folder")
                }
            }
            if console.isJSON {
                try console.print { output in try output.writeLine(isEmpty ? "[]" : "]") }
            }
        #else
            throw Failure(.failure, code: "linux_only", "this needs Linux")
        #endif
    }
}

extension OptionDescription {
    fileprivate static let once = OptionDescription(
        "once", "announce what is due now, and end")
}
