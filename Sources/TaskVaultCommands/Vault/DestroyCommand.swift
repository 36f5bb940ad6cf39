internal import CommandLine
internal import VaultStorage

/// `destroy`: removes the vault's files.
///
/// Whether the file is a sound vault does not matter: somebody may want to be rid of a damaged one.
enum DestroyCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        guard try context.vaultSource().isFile else {
            throw CommandFailure(
                .refused, code: "vault_on_server",
                "the vault is in \(context.vault.path): tables are not removed from here",
                hint:
                    "there: DROP SCHEMA taskvault CASCADE, which removes tasks in that database, too"
            )
        }
        let location: VaultLocation
        do throws(StorageError) {
            location = try VaultLocation(path: context.folders.file)
        } catch {
            throw CommandFailure(error, context.vault)
        }
        guard FileSystem.exists(location.path) else {
            throw CommandFailure(StorageError.notFound, context.vault)
        }
        let name = name(of: location)
        let tasks = LeftTasks(context)
        try context.requireConsent(to: "remove the vault") { (prompt) throws(InputError) in
            try prompt.say("This removes \(location.path) and every secret in it, for good.")
            if let lost = tasks.lost {
                try prompt.say("\(lost) are among them; the to-do list itself stays.")
            }
            return try prompt.confirm("Type \(name) to remove it", byTyping: name)
        }
        try context.endAgent()
        do throws(SystemFailure) {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try FileSystem.remove(location.path + suffix)
            }
            try FileSystem.sync(folder: location.folder)
        } catch {
            throw CommandFailure(
                .failure, code: "cannot_remove",
                "cannot remove \(location.path): \(error.explanation)")
        }
        warnOfOthers(beside: location, context)
        tasks.report(context.notices)
        guard context.isJSON else { return try context.printLine("removed \(location.path)") }
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("path", location.path)
            try json.endObject()
        }
    }

    /// Files that `restore` and `doctor --repair` kept hold secrets, too.
    private static func warnOfOthers(beside location: VaultLocation, _ context: CommandContext) {
        let names = (try? FileSystem.names(in: location.folder)) ?? []
        let others = names.filter { $0.hasPrefix(location.name + ".") }
        guard !others.isEmpty else { return }
        context.notices.warn(
            "copies_left",
            "earlier files of the vault are left in \(location.folder): \(others.joined(separator: ", "))"
        )
    }

    /// The name of the vault's folder.
    private static func name(of location: VaultLocation) -> String {
        location.folder.split(separator: "/").last.map(String.init) ?? location.name
    }
}
