internal import CommandLine
internal import Platform
internal import VaultStorage

/// The place where `init` and `restore` put a vault file; the agent of a vault on a server lives there, too.
struct VaultPlace {
    private let context: CommandContext

    /// Makes the place of the invocation's vault.
    init(_ context: CommandContext) {
        self.context = context
    }

    /// Whether something is there, a dangling symbolic link included.
    var isTaken: Bool { FileSystem.exists(context.folders.file) }

    /// Refuses a place where something is.
    func requireFree() throws(CommandFailure) {
        guard !isTaken else { throw CommandFailure(.alreadyExists, context.vault) }
    }

    /// Makes the folder, mode 0700, if it is missing.
    ///
    /// - Returns: Whether it was missing.
    func makeFolder() throws(CommandFailure) -> Bool {
        let folder = context.folders.vault
        let isMissing = !FileSystem.exists(folder)
        do throws(StorageError) {
            try VaultLocation.prepareFolder(at: folder)
        } catch {
            throw CommandFailure(error, folder: folder, context.vault)
        }
        return isMissing
    }

    /// Takes a folder away again that was made for nothing. Only an empty one can be removed.
    func removeFolder() {
        _ = unsafe rmdir(context.folders.vault)
    }
}

extension CommandFailure {
    /// Explains why the vault's folder could not be made or is not safe.
    fileprivate init(_ error: StorageError, folder: String, _ vault: VaultReference) {
        switch error {
        case .notFound:
            self.init(.notFound, code: "no_folder", "there is no folder for \(folder)")
        case .alreadyExists:
            self.init(.alreadyExists, code: "not_a_folder", "\(folder) is not a folder")
        case .readOnly:
            self.init(.failure, code: "read_only", "cannot make the folder \(folder)")
        default:
            self.init(error, vault)
        }
    }
}
