package import Platform
internal import SignIn
internal import TextCoding
package import VaultAgent

/// The folders of the vault and of this machine's rollback records.
///
/// `--home` or `TASKVAULT_HOME` names the vault's folder; the default is the XDG data folder. The records are never in `--home`: a copy of that
/// folder would include the record, and restoring an old copy would restore the old record.
package struct VaultFolders {
    /// The name of the vault file.
    package static let fileName = "vault.db"

    /// The folder of the vault file, as given.
    package let vault: String
    /// The state folder of this machine, absolute; nil if no home folder is known.
    package let state: String?
    /// The folder of the rollback records, absolute; nil if no home folder is known.
    package let rollbackRecords: String?
    /// The folder of the keys with which this machine authenticates backups, absolute; nil if no home folder is known.
    let backupKeys: String?
    /// The folder of the logs of reads, absolute; nil if no home folder is known.
    package let reads: String?
    /// The folder in which the last use of each key slot is recorded, absolute; nil if no home folder is known.
    package let uses: String?
    /// The folder of this machine's sign-in state, absolute; nil if no home folder is known.
    package let signIn: String?
    /// The folder of the preferences; nil if no home folder is known.
    package private(set) var preferencesFolder: String?
    private let machinePreferencesFolder: String?
    /// The runtime folder of this user, with its sockets, if it exists.
    package let runtime: String?
    private let isEverythingInOneFolder: Bool
    private let homeOption: String?

    /// Finds the folders.
    ///
    /// - Parameters:
    ///   - home: The value of `--home`.
    ///   - environment: `TASKVAULT_HOME`, `XDG_DATA_HOME`, `XDG_STATE_HOME`, `XDG_CONFIG_HOME` and `HOME`.
    /// - Throws: A failure of wrong usage if no folder is known.
    package init(home: String?, _ environment: EnvironmentVariables) throws {
        let standard = StandardFolders(environment)
        guard
            let vault = home ?? environment["TASKVAULT_HOME"]
                ?? standard.data.map({ $0 + "/taskvault" })
        else {
            throw Failure.usage(
                "no home folder is known", hint: "give --home DIR, or set HOME")
        }
        self.vault = vault
        homeOption = home
        isEverythingInOneFolder = home != nil || environment["TASKVAULT_HOME"] != nil
        runtime = Self.runtimeFolder(environment)
        state = standard.state.map { $0 + "/taskvault" }
        rollbackRecords = state.map { $0 + "/rollback" }
        backupKeys = state.map { $0 + "/backup-keys" }
        reads = state.map { $0 + "/log" }
        uses = state.map { $0 + "/slot-uses" }
        signIn = state.map { $0 + "/sign-in" }
        machinePreferencesFolder = standard.configuration.map { $0 + "/taskvault" }
        preferencesFolder = isEverythingInOneFolder ? vault : machinePreferencesFolder
    }

    /// The same folders with the preferences of this machine.
    package var ofMachine: VaultFolders {
        var folders = self
        folders.preferencesFolder = machinePreferencesFolder
        return folders
    }

    /// The folder of an agent's socket: the runtime folder, or nil for the vault's own.
    package var runtimeForAgent: String? { isEverythingInOneFolder ? nil : runtime }

    /// The folders in which a client searches for the socket, in order. The agent may use another
    /// name of the vault.
    var runtimeForClients: [String?] {
        guard let runtime else { return [nil] }
        return isEverythingInOneFolder ? [nil, runtime] : [runtime, nil]
    }

    /// `XDG_RUNTIME_DIR`; if unset, as under cron, the folder that systemd creates for it.
    private static func runtimeFolder(_ environment: EnvironmentVariables) -> String? {
        let usual = "/run/user/\(geteuid())"
        return [StandardFolders.absolute(environment["XDG_RUNTIME_DIR"]), usual].compactMap { $0 }
            .first { AgentPlace.isUsable(runtimeFolder: $0) }
    }

    /// The path of the vault file.
    package var file: String { Self.file(Self.fileName, in: vault) }

    /// The file of the preferences; nil if no home folder is known.
    var preferences: String? { preferencesFolder.map { Self.file("settings", in: $0) } }

    /// The path of the tasks' SQLite file.
    package var tasks: String { Self.file("tasks.db", in: vault) }

    private static func file(_ name: String, in folder: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
    }

    /// The place of the read log; nil if no home folder is known.
    package var readLog: ReadLogPlace? {
        guard let reads, let signIn else { return nil }
        return ReadLogPlace(folder: reads) {
            try MachineState(folder: signIn).name().text
        }
    }

    /// A command line for this vault, for hints.
    package func command(_ words: String) -> String {
        let option = homeOption.map { " --home " + ShellText.quote($0) } ?? ""
        return "\(Application.program) \(words)\(option)"
    }
}
