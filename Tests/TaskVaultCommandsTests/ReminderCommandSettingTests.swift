import Testing

@testable import TaskVaultCommands

/// A backup or a database that others wrote must not choose a program that this machine runs.
@Suite("The setting reminder-command")
struct ReminderCommandSettingTests {
    @Test("is in no backup, and a backup that has one changes nothing")
    func portable() throws {
        var content = SettingsFile.Content()
        content.set(.reminderCommand, to: "/bin/own")
        content.set(.snooze, to: "5m")
        #expect(content.portableText == "snooze = 5m\n")
        content.replacePortable(by: "reminder-command = /bin/other\nsnooze = 7m\n")
        #expect(content[.reminderCommand] == "/bin/own")
        #expect(content[.snooze] == "7m")
        content.replacePortable(by: "")
        #expect(content[.reminderCommand] == "/bin/own")
    }
}
