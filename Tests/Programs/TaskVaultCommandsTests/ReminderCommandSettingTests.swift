import Platform
import Testing

/// A backup or a database that others wrote must not choose a program that this machine runs.
@Suite("The setting reminder-command")
struct ReminderCommandSettingTests {
    @Test("is that of this machine, whatever home folder is named")
    func machine() throws {
        let home = try TestHome.forTasks(withVault: false)
        let own = home.folder + "/config/taskvault/settings"
        let command = ["settings", "set", "reminder-command", "/bin/own"]
        #expect(try home.runBare(command).exitCode == 0)
        #expect(
            String(decoding: try Files.read(own), as: UTF8.self) == "reminder-command = /bin/own\n")
        try SafeFolder.create(home.home)
        try Files.write("reminder-command = /bin/other\n", to: home.settingsFile)
        let found = try home.runBare(["settings", "get", "reminder-command"])
        #expect(found.outputText == "/bin/own\n")
        #expect(
            found.errorText.contains(
                "warning: reminder-command in \(home.settingsFile) is ignored: remove the line; this machine's is set by "
                    + "taskvault settings set reminder-command '/path/to/program'"))
    }
}
