@testable import Application
import Testing

/// A backup that others wrote must not choose a program that this machine runs.
@Suite struct SettingsFileContentTests {
    @Test func theReminderCommandIsInNoBackupAndABackupChangesNone() throws {
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
