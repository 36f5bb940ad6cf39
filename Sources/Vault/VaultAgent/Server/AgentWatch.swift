internal import Platform
internal import VaultStorage

/// Whether the vault and the socket of an agent still exist.
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

    /// Records the identity of the folder and the socket.
    /// `isVaultFileNeeded` is false if the vault is in a database, and in no file.
    init(_ place: AgentPlace, isVaultFileNeeded: Bool = true) {
        self.place = place
        self.isVaultFileNeeded = isVaultFileNeeded
        folder = Identity(place.vault.folder)
        socket = Identity(place.socket.path)
    }

    /// Whether the vault's folder and the socket are the recorded ones, and the vault exists.
    ///
    /// The vault file itself may have changed: `restore` replaces it.
    var isInPlace: Bool {
        folder != nil && Identity(place.vault.folder) == folder
            && socket != nil && Identity(place.socket.path) == socket
            && (!isVaultFileNeeded || Identity(place.vault.path) != nil)
    }
}
