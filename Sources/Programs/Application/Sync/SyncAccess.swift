internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks
internal import TextCoding

/// Sync of one home: its device, its remote, and rounds between vault, list and remote.
package struct SyncAccess {
    /// How long a command waits for a round of another process.
    package static let patience: Duration = .seconds(10)

    let vault: VaultAccess
    let tasks: TaskAccess
    let settings: SettingsFile
    let errors: ErrorContext

    /// Creates the access.
    init(
        _ vault: VaultAccess, _ tasks: TaskAccess, _ settings: SettingsFile, _ errors: ErrorContext
    ) {
        self.vault = vault
        self.tasks = tasks
        self.settings = settings
        self.errors = errors
    }

    var owner: any Owner { vault.owner }
    var now: @Sendable () -> PointInTime { vault.options.now }

    /// The folder of sync in this machine's state.
    ///
    /// - Throws: A failure of wrong usage if no home folder is known; `SystemFailure`.
    var place: SyncPlace { get throws { try SyncPlace(vault.folders) } }

    /// Whether this home takes part in sync.
    package var isEnabled: Bool { (try? place)?.isUsed == true }

    /// The files that rounds write: marks of lists, and the report of the last round. Empty if no home folder is known.
    var watchedFiles: (marks: [String], report: [String]) {
        guard let place = try? place else { return ([], []) }
        return ([FileSystem.absolute(place.marks)], [FileSystem.absolute(place.report)])
    }

    /// The device of this home.
    ///
    /// - Throws: A failure if the home does not take part in sync, or its file is damaged.
    func device() throws -> SyncDevice {
        guard let device = try SyncDevice(at: place) else { throw isOff }
        return device
    }

    /// - Throws: A failure if the home does not take part in sync. Its file is not read.
    package func requireEnabled() throws {
        guard try place.isUsed else { throw isOff }
    }

    private var isOff: Failure {
        Failure(
            .notFound, code: "sync_off", "this home does not sync",
            hint: errors.command("sync enable") + " or " + errors.command("sync join")
                + ", with --folder DIR or an account")
    }

    /// Refuses vaults and lists on a server, which other machines use directly.
    func requireFiles() throws {
        let content = try settings.read()
        for setting in [StoredSetting.vault, .database]
        where content[setting] != setting.standard {
            throw Failure(
                .refused, code: "sync_needs_files",
                "the setting \(setting.name) names a server, and sync needs files",
                hint: setting.name == StoredSetting.database.name
                    ? errors.command("task move-database sqlite")
                    : "use a vault in a file: " + errors.command("settings unset vault"))
        }
    }

    /// The absolute path of a folder that exists.
    ///
    /// - Parameters:
    ///   - typed: The path.
    ///   - hint: The remedy if it cannot be used.
    /// - Returns: The resolved path.
    /// - Throws: A failure.
    func folder(
        _ typed: String,
        hint: String = "make it first, and let a program such as Syncthing copy it"
    ) throws -> String {
        do {
            let path = try SafeFolder.resolve(FileSystem.absolute(typed))
            guard try FileStatus.of(path: path)?.isFolder == true else {
                throw SystemFailure("open", code: ENOTDIR)
            }
            return path
        } catch let failure as SystemFailure {
            throw Failure(
                .notFound, code: "no_folder",
                "cannot use the folder \(typed): \(failure.explanation)",
                hint: hint)
        }
    }

    /// The absolute path of a folder that a person chose, in which this user can write.
    ///
    /// - Throws: A failure. Nothing was kept then, so another folder can be chosen at once.
    func chosenFolder(_ typed: String) throws -> String {
        let path = try folder(typed)
        guard FileSystem.isWritable(path) else {
            throw Failure(
                .failure, code: "folder_unusable", "cannot write in the folder \(typed)",
                hint: "give a folder of your own, or make this one writable")
        }
        return path
    }

    var environment: Replica.Environment {
        Replica.Environment(
            now: { [now] in now().milliseconds }, random: .system)
    }
}

// Rounds in the background.
extension SyncAccess {
    /// Starts a round in a process of its own if this operation may have changed something, and does not wait for it.
    ///
    /// A failure to start is ignored: the next change starts another.
    package func startRound() {
        guard vault.changes.isSet, isEnabled else { return }
        _ = try? startRound(within: Self.patience, .whole, in: .session)
    }

    /// Starts a round in a process of its own, which ends itself after a time, also while it waits for a folder on a network. Each step of a
    /// round survives this.
    ///
    /// - Parameters:
    ///   - limit: The time, in whole seconds.
    ///   - kind: The kind of the round.
    ///   - output: Its standard output, to which it writes nothing; by default `/dev/null`.
    ///   - group: The separation from this process.
    /// - Returns: The process.
    /// - Throws: `SystemFailure`.
    func startRound(
        within limit: Duration, _ kind: SyncSchedule.Kind, output: Int32? = nil,
        in group: ChildProcess.Group
    ) throws -> ChildProcess {
        var words = [Application.program, "sync", "now", "--within", "\(limit.components.seconds)"]
        if kind == .sending { words += ["--unsent"] }
        if let home = vault.options.home { words += ["--home", home] }
        return try ChildProcess.start(
            words, program: Executable.own(), environment: vault.options.environment.entries,
            output: output, in: group)
    }
}
