internal import Application
internal import CommandLine
internal import Services
internal import Tasks
internal import TextCoding

/// `app-reminders`: takes the reminders that are due, for a page that shows them. It uses no vault, and so extends no session.
///
/// While `taskvault services` runs, it announces them, and the page gets none.
enum PageRemindersCommand: Command {
    static let description = CommandDescription(
        path: ["app-reminders"], summary: "take the reminders that are due", examples: [],
        exitCodes: .tasks)

    static func run(_ context: CommandContext) throws {
        let log = try AnnouncementLog.ofMachine(context.folders)
        let found = try log?.take(
            from: ReminderAccess(context.application), at: context.console.surroundings.now())
        // Asked while this process has no lock that it could find.
        let isAnnounced = context.application.announcesReminders
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("services", isAnnounced)
            try json.member("next", milliseconds: found?.next?.milliseconds)
            try json.key("reminders")
            try json.beginArray()
            for reminder in found?.due ?? [] {
                try json.beginObject()
                try json.member("task", reminder.task.text)
                try json.member("subtask", reminder.subtask?.text)
                try json.member("name", reminder.name)
                try json.member("due", reminder.due)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}
