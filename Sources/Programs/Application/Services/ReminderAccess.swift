internal import Database
internal import Platform
package import Services
package import Tasks
package import TextCoding

/// The settings and the to-do list for reminders.
package struct ReminderAccess: ReminderSource {
    private let application: Application

    /// Creates the access. The owner receives its failures.
    package init(_ application: Application) {
        self.application = application
    }

    package func settings() throws -> ReminderSettings {
        let content = try SettingsFile(application.folders).read()
        let own = try SettingsFile(application.folders.ofMachine).read()
        func value(_ setting: StoredSetting, in content: SettingsFile.Content) throws -> String {
            try setting.canonical(
                content[setting],
                hint: application.folders.command(
                    "settings set \(setting.name) \(ShellText.quote(setting.standard))"))
        }
        let command = try value(.reminderCommand, in: own)
        let database = content[.database]
        let tasks: DatabasePlace =
            database == StoredSetting.database.standard
            ? .file(FileSystem.absolute(application.folders.tasks))
            : .server(try PostgreSQLAddress(database, of: .database, application.folders))
        // An invalid value affects only *Later*; other reminders are still announced.
        let snooze = (try? value(.snooze, in: content)) ?? StoredSetting.snooze.standard
        return ReminderSettings(
            snooze: .seconds(Int64(TimeSpan(snooze)?.seconds ?? 600)),
            command: command == StoredSetting.none ? nil : try ReminderCommand(command),
            tasks: tasks)
    }

    package var files: [String] {
        [application.folders, application.folders.ofMachine].compactMap {
            $0.preferences.map { FileSystem.absolute($0) }
        }
    }

    package func withList<Result>(_ body: (any ReminderList) throws -> Result) throws -> Result {
        let content = try SettingsFile(application.folders).read()
        let place = try application.tasks.place()
        application.errors.tasks = place
        let repository = try place.openCurrent(.reading)
        defer { repository.close() }
        return try body(
            TaskList(
                repository, on: application.tasks.machine,
                days: DayReminders(content[.dayReminder]), now: application.options.now))
    }

    package func report(_ error: any Error) {
        application.owner.report(application.errors.failure(error))
    }

    package func report(_ line: String) {
        report(Failure(.failure, code: "reminders", line))
    }

    package func open(_ task: TaskID) -> Bool {
        AppPage.open(showing: "task/" + task.text, application.options)
    }
}

extension AnnouncementLog {
    /// The notes of this machine and user about the tasks of a home folder; nil if another program
    /// holds them.
    package static func ofMachine(
        _ folders: VaultFolders, asService isService: Bool = false
    ) throws -> AnnouncementLog? {
        guard let state = folders.state else {
            throw Failure.usage("no home folder is known", hint: "set HOME")
        }
        do {
            return try open(in: try folder(state, folders), asService: isService)
        } catch let error as SystemFailure {
            throw Failure(
                .failure, code: "cannot_write",
                "cannot use the folder \(state): \(error.explanation)")
        } catch let error as UnusableFile {
            throw Failure(
                .refused, code: "unsafe_folder", "\(error.path) is \(error.reason)")
        }
    }
}

extension AnnouncementLog {
    fileprivate static func folder(_ state: String, _ folders: VaultFolders) throws -> String {
        try state + "/announced/" + folders.placeDigest
    }
}

extension Application {
    /// Whether a program of this machine announces the reminders of the list.
    package var announcesReminders: Bool {
        guard let state = folders.state,
            let folder = try? AnnouncementLog.folder(state, folders)
        else { return false }
        return AnnouncementLog.isUsed(in: folder, at: options.now())
    }

    /// Whether `taskvault services` runs for this home folder.
    package var hasServices: Bool {
        guard let state = folders.state,
            let folder = try? AnnouncementLog.folder(state, folders)
        else { return false }
        return AnnouncementLog.isHeldByService(in: folder)
    }

    /// Warns if reminders of a list in a file are to come, and no program of this machine announces them.
    package func warnOfSilentReminders() {
        guard !announcesReminders, let content = try? SettingsFile(folders).read(),
            let place = try? tasks.place(), place.isFile,
            let repository = try? place.openCurrent(.reading)
        else { return }
        defer { repository.close() }
        let list = TaskList(
            repository, days: DayReminders(content[.dayReminder]), now: options.now)
        guard let next = (try? list.nextReminder(after: options.now())) ?? nil else { return }
        owner.warn(
            "reminders_silent",
            "no program announces reminders on this machine, the next one of "
                + TimeText.withWeekday(.moment(next), in: list.days.calendar) + ": "
                + folders.command("services"))
    }
}

extension Application {
    /// Warns of a list in a file that lacks a change which this machine saw.
    package func warnOfOlderTasks() {
        guard let place = try? tasks.place(), place.isFile else { return }
        errors.tasks = place
        defer { errors.tasks = nil }
        do {
            try place.openCurrent(.reading).close()
        } catch let error as TaskListError {
            let failure = errors.failure(error)
            let parts = [failure.message, failure.hint]
            owner.warn(failure.code, parts.compactMap(\.self).joined(separator: "; "))
        } catch {
            // Other faults are reported by the commands that use the list.
        }
    }
}

extension VaultFolders {
    /// Warns of a reminder-command that was copied together with a home folder.
    ///
    /// - Parameter warn: Receives the code of the warning and its text.
    /// - Throws: A failure if the settings cannot be read.
    package func warnOfForeignCommand(_ warn: (String, String) -> Void) throws {
        guard let path = preferences, path != ofMachine.preferences,
            try SettingsFile(self).read()[.reminderCommand] != StoredSetting.none
        else { return }
        warn(
            "setting_ignored",
            "reminder-command in \(path) is ignored: remove the line; this machine's is set by "
                + command("settings set reminder-command '/path/to/program'"))
    }
}

extension Failure {
    /// The failure of a machine that has no means of announcing reminders.
    package static func noDesktop(_ folders: VaultFolders) -> Failure {
        Failure(
            .failure, code: "no_session_bus", "no session bus, and no reminder-command is set",
            hint: "run it in a desktop session, or: "
                + folders.command("settings set reminder-command '/path/to/program'"))
    }
}
