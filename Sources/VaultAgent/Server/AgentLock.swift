internal import Platform
internal import VaultStorage

/// The proof that this process is the one agent of a vault, until the value or the process ends.
struct AgentLock: ~Copyable {
    /// The socket's folder.
    let folder: SocketFolder
    /// The vault's folder, where that is another one: agents that were told of other places for their sockets meet there. Or -1.
    private let vaultFolder: Int32

    /// Takes the lock. The corresponding C function is `flock`, on the folders themselves: no file is left behind.
    ///
    /// - Throws: `alreadyRunning` if another process has it; `system`.
    init(_ place: AgentPlace) throws(AgentError) {
        let folder = try SocketFolder(of: place.socket)
        guard flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .alreadyRunning : .system("flock", errno)
        }
        var vaultFolder: Int32 = -1
        if place.socket.folder != place.vault.folder {
            vaultFolder = unsafe platform_open(
                place.vault.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
            // Some file systems have no such locks; the socket's folder has.
            if vaultFolder >= 0, flock(vaultFolder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                close(vaultFolder)
                throw .alreadyRunning
            }
        }
        self.folder = folder
        self.vaultFolder = vaultFolder
    }

    deinit {
        if vaultFolder >= 0 { close(vaultFolder) }
    }

    /// Lets the next agent have it.
    func release() {
        if vaultFolder >= 0 { flock(vaultFolder, LOCK_UN) }
        flock(folder.descriptor, LOCK_UN)
    }
}
