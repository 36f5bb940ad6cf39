internal import CommandLine
internal import Tasks
internal import VaultCore

/// All that a command works with: what was asked for, and the means to do it.
struct CommandContext {
    /// The command with its operands and options.
    let invocation: Invocation
    /// Input, output and environment variables.
    let surroundings: Surroundings
    /// Where vault and marks lie.
    let folders: VaultFolders
    /// Where warnings go.
    let notices: Notices
    /// This machine's memory of the newest states.
    let marks: NotedRollbackMarks
    /// Where the person is.
    let calendar: any LocalCalendar = SystemCalendar()
    /// Whether the passphrase that stands on standard input was read.
    let passphraseLine = PassphraseLine()

    /// Makes the context of a command.
    ///
    /// - Throws: A failure of wrong usage if no folder for the vault is known.
    init(_ invocation: Invocation, _ surroundings: Surroundings) throws(CommandFailure) {
        self.invocation = invocation
        self.surroundings = surroundings
        folders = try VaultFolders(
            home: invocation.text(of: .home), surroundings.environment)
        notices = Notices(
            program: CommandTable.taskvault.program, descriptor: surroundings.errors,
            asJSON: invocation.has(.json))
        marks = NotedRollbackMarks(
            folders.marks.map { FileRollbackMarks(folder: $0) } ?? AbsentRollbackMarks())
    }

    /// Whether results are for programs.
    var isJSON: Bool { invocation.has(.json) }

    /// Whether somebody can be asked.
    var canAsk: Bool { surroundings.standardInput.isTerminal }

    /// The person's vault, for messages.
    var vault: VaultReference {
        VaultReference(folders, at: (try? vaultSource().title) ?? folders.file)
    }

    /// What the vault takes from outside.
    var environment: VaultEnvironment {
        var environment = VaultEnvironment(marks: marks)
        environment.acceptsOlder = invocation.has(.acceptOlder)
        return environment
    }

    /// Says, once, that this machine could not keep its mark.
    func reportMarks() {
        guard let failure = marks.failure, case .unavailable(let path, let code) = failure else {
            return
        }
        let reason = code == 0 ? "" : ": " + SystemFailure("open", code: code).explanation
        notices.warn(
            "mark_not_kept",
            "this machine cannot remember the vault's newest state (\(path)\(reason)), so an older copy in its place would not be noticed"
        )
    }
}

/// Whether the line of `--passphrase-file -` was taken from standard input: what follows it is meant for the command. Not thread-safe.
final class PassphraseLine {
    /// Whether it was.
    var isTaken = false
}
