internal import VaultStorage

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The proof that this process is the one agent of a socket's folder, until the value or the process ends.
struct AgentLock: ~Copyable {
    /// The folder.
    let folder: SocketFolder

    /// Takes the lock. The corresponding C function is `flock`, on the folder itself: no file is left behind.
    ///
    /// - Throws: `alreadyRunning` if another process has it; `system`.
    init(_ place: AgentPlace) throws(AgentError) {
        let folder = try SocketFolder(of: place.socket)
        guard flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .alreadyRunning : .system("flock", errno)
        }
        self.folder = folder
    }

    /// Lets the next agent have it.
    func release() {
        flock(folder.descriptor, LOCK_UN)
    }
}
