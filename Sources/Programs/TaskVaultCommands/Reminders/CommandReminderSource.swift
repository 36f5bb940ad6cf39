internal import CommandLine
internal import Database
internal import Platform
internal import Services
internal import Tasks
internal import TextCoding

/// The settings and the to-do list of a command, for its reminders.
struct CommandReminderSource: ReminderSource {
    private let context: CommandContext
    private let program: String

    /// Makes the source. `program` is the name in reports.
    init(_ context: CommandContext, program: String) {
        self.context = context
        self.program = program
    }

    func settings() throws -> ReminderSettings {
        let content = try SettingsFile(context.folders).read()
        let own = try SettingsFile(context.folders.ofMachine).read()
        func value(_ setting: Setting, in content: SettingsFile.Content) throws -> String {
            try setting.type.canonical(
                content[setting], of: setting.name,
                hint: context.folders.command(
                    "settings set \(setting.name) \(ShellText.quote(setting.standard))"))
        }
        let command = try value(.reminderCommand, in: own)
        let database = content[.database]
        let tasks: DatabasePlace =
            database == Setting.database.standard
            ? .file(FileSystem.absolute(context.folders.tasks))
            : .server(try PostgreSQLAddress(database, of: .database, context.folders))
        // A wrong one only concerns *Later*, and must not keep reminders from being announced.
        let snooze = (try? value(.snooze, in: content)) ?? Setting.snooze.standard
        return ReminderSettings(
            snooze: .seconds(Int64(TimeSpan(snooze)?.seconds ?? 600)),
            command: command == Setting.none ? nil : try ReminderCommand(command), tasks: tasks)
    }

    var files: [String] {
        [context.folders, context.folders.ofMachine].compactMap {
            $0.preferences.map { FileSystem.absolute($0) }
        }
    }

    /// Warns of a command that is not run.
    func warnOfForeignCommand() {
        let notices = Notices(
            program: program, descriptor: context.console.surroundings.errors,
            asJSON: context.console.isJSON)
        // Why the settings cannot be read is reported with the tasks.
        try? context.folders.warnOfForeignCommand(notices)
        notices.finish()
    }

    func withList<Result>(_ body: (any ReminderList) throws -> Result) throws -> Result {
        let place = try TaskDatabasePlace(
            try SettingsFile(context.folders).read()[.database], context.folders)
        context.about.tasks = place
        let repository = try place.openCurrent(.reading)
        defer { repository.close() }
        return try body(
            TaskList(
                repository, on: context.tasks.machine, now: context.console.surroundings.now))
    }

    func report(_ error: any Error) {
        let style = Style(TerminalCapabilities(of: context.console.surroundings.errors))
        let output = Output(descriptor: context.console.surroundings.errors)
        // A failure to report does not stop the work.
        if let output = try? context.about.failure(error).print(
            of: program, asJSON: context.console.isJSON, style: style, to: output)
        {
            try? output.finish()
        }
    }

    func report(_ line: String) {
        report(CommandFailure(.failure, code: "reminders", line))
    }

    func open(_ task: TaskID) -> Bool {
        AppPage.open(showing: "task/" + task.text, context)
    }
}

extension AnnouncementLog {
    /// The notes of this machine and user about the tasks of a home folder; nil if another program has them.
    static func ofMachine(
        _ folders: VaultFolders, asService isService: Bool = false
    ) throws -> AnnouncementLog? {
        guard let state = folders.state else {
            throw CommandFailure.usage("no home folder is known", hint: "set HOME")
        }
        do {
            return try open(
                in: state + "/announced/" + folders.placeDigest, asService: isService)
        } catch let error as SystemFailure {
            throw CommandFailure(
                .failure, code: "cannot_write",
                "cannot use the folder \(state): \(error.explanation)")
        } catch let error as UnusableFile {
            throw CommandFailure(
                .refused, code: "unsafe_folder", "\(error.path) is \(error.reason)")
        }
    }
}

extension VaultFolders {
    /// Warns of a reminder-command that was copied with a home folder.
    func warnOfForeignCommand(_ notices: Notices) throws {
        guard let path = preferences, path != ofMachine.preferences,
            try SettingsFile(self).read()[.reminderCommand] != Setting.none
        else { return }
        notices.warn(
            "setting_ignored",
            "reminder-command in \(path) is ignored: remove the line; this machine's is set by "
                + command("settings set reminder-command '/path/to/program'"))
    }
}

extension CommandFailure {
    /// There is nothing that could announce.
    static func noDesktop(_ folders: VaultFolders) -> CommandFailure {
        CommandFailure(
            .failure, code: "no_session_bus", "no session bus, and no reminder-command is set",
            hint: "run it in a desktop session, or: "
                + folders.command("settings set reminder-command '/path/to/program'"))
    }
}
