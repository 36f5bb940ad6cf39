internal import Platform
internal import VaultStorage

/// The lock that makes this process the only agent of a vault, until the value or the process ends.
struct AgentLock: ~Copyable {
    /// The socket's folder.
    let folder: SocketFolder
    /// The vault's folder if it is a different one, otherwise -1. Its lock excludes agents with
    /// other socket folders.
    private let vaultFolder: Int32

    /// Acquires the lock. The corresponding C function is `flock`, on the folders themselves.
    ///
    /// - Throws: `alreadyRunning` if another process holds the lock; `system`.
    init(_ place: AgentPlace) throws {
        let folder = try SocketFolder(of: place.socket)
        guard Self.acquire(folder.descriptor) else {
            throw errno == EWOULDBLOCK
                ? AgentError.alreadyRunning : AgentError.system("flock", errno)
        }
        var vaultFolder: Int32 = -1
        if place.socket.folder != place.vault.folder {
            vaultFolder = Self.open(place.vault.folder)
            // Some file systems do not support such locks; the socket folder's file system does.
            if vaultFolder >= 0, !Self.acquire(vaultFolder), errno == EWOULDBLOCK {
                close(vaultFolder)
                throw AgentError.alreadyRunning
            }
        }
        self.folder = folder
        self.vaultFolder = vaultFolder
        removeNote()
        if vaultFolder >= 0 { note(place.socket.path) }
    }

    deinit {
        if vaultFolder >= 0 { close(vaultFolder) }
    }

    private static func open(_ folder: String) -> Int32 {
        unsafe platform_open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    }

    /// Retries for 0.1 s, because a searching client holds the lock briefly.
    private static func acquire(_ descriptor: Int32) -> Bool {
        for _ in 0..<20 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK else { return false }
            SystemSleep.sleep(.milliseconds(5))
        }
        errno = EWOULDBLOCK
        return false
    }

    /// Whether a process holds the lock of a vault's folder; nil if that folder cannot be locked.
    static func isHeld(in folder: String) -> Bool? {
        let descriptor = open(folder)
        guard descriptor >= 0 else { return nil }
        let isFree = flock(descriptor, LOCK_SH | LOCK_NB) == 0
        let code = errno
        close(descriptor)
        return isFree ? false : code == EWOULDBLOCK ? true : nil
    }

    /// Writes the socket's path into the vault's folder, for clients with another runtime folder. A
    /// read-only medium has no note.
    private func note(_ path: String) {
        let file = unsafe platform_openat(
            vaultFolder, AgentProtocol.noteName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        unsafe try? Descriptor.write(path.utf8Span.span.bytes, to: file)
        close(file)
    }

    /// Removes the note of this agent or of a killed one.
    private func removeNote() {
        let folder = vaultFolder >= 0 ? vaultFolder : folder.descriptor
        _ = unsafe unlinkat(folder, AgentProtocol.noteName, 0)
    }

    /// Releases the lock for the next agent.
    func release() {
        removeNote()
        if vaultFolder >= 0 { flock(vaultFolder, LOCK_UN) }
        flock(folder.descriptor, LOCK_UN)
    }
}
