internal import Platform
internal import VaultStorage

/// The lock that makes this process the only agent of a vault, until the value or the process ends.
struct AgentLock: ~Copyable {
    /// The socket's folder.
    let folder: SocketFolder
    /// The vault's folder if it is a different one, otherwise -1: agents with other socket folders conflict there.
    private let vaultFolder: Int32

    /// Acquires the lock. The corresponding C function is `flock`, on the folders themselves: no file remains.
    ///
    /// - Throws: `alreadyRunning` if another process holds the lock; `system`.
    init(_ place: AgentPlace) throws {
        let folder = try SocketFolder(of: place.socket)
        guard flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? AgentError.alreadyRunning : AgentError.system("flock", errno)
        }
        var vaultFolder: Int32 = -1
        if place.socket.folder != place.vault.folder {
            vaultFolder = unsafe platform_open(
                place.vault.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
            // Some file systems do not support such locks; that of the socket's folder does.
            if vaultFolder >= 0, flock(vaultFolder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                close(vaultFolder)
                throw AgentError.alreadyRunning
            }
        }
        self.folder = folder
        self.vaultFolder = vaultFolder
    }

    deinit {
        if vaultFolder >= 0 { close(vaultFolder) }
    }

    /// Releases the lock for the next agent.
    func release() {
        if vaultFolder >= 0 { flock(vaultFolder, LOCK_UN) }
        flock(folder.descriptor, LOCK_UN)
    }
}
