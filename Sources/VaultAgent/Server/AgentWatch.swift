internal import Platform
internal import VaultStorage

/// Whether what an agent is there for is still there.
struct AgentWatch: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        /// The corresponding C function is `lstat`.
        init?(_ path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private let place: AgentPlace
    private let folder: Identity?
    private let socket: Identity?
    private let isVaultFileNeeded: Bool

    /// Remembers what is there now; the vault may be elsewhere than in a file.
    init(_ place: AgentPlace, isVaultFileNeeded: Bool = true) {
        self.place = place
        self.isVaultFileNeeded = isVaultFileNeeded
        folder = Identity(place.vault.folder)
        socket = Identity(place.socket.path)
    }

    /// Whether the vault's folder and the socket are those that were there at first, and there is a vault.
    ///
    /// The vault file itself may be another one: `restore` replaces it.
    var isInPlace: Bool {
        folder != nil && Identity(place.vault.folder) == folder
            && socket != nil && Identity(place.socket.path) == socket
            && (!isVaultFileNeeded || Identity(place.vault.path) != nil)
    }
}
