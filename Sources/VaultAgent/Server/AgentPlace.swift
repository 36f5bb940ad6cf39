internal import Sealing
internal import TextCoding
public import VaultStorage

/// The meeting place of an agent and its clients: the vault, and a socket in a folder that only the user can change
/// (`Docs/AgentProtocol.md`, section 1).
public struct AgentPlace: Sendable {
    /// The resolved path of the vault file.
    public let vault: VaultLocation
    /// The resolved path of the socket.
    public let socket: VaultLocation

    /// Finds the place of a vault's agent and verifies the folders.
    ///
    /// - Parameters:
    ///   - vaultFile: The path of the vault file; its folder must exist.
    ///   - runtimeFolder: `$XDG_RUNTIME_DIR`, which must exist; or nil to place the socket in the vault's folder.
    ///   - isPreparing: Whether to create a missing socket folder: true for an agent, false for a client.
    /// - Throws: `DatabaseError.notFound` for a missing folder, `.unsafeLocation` for one that is unsafe or cannot be created.
    public init(
        vaultFile: String, runtimeFolder: String?, preparing isPreparing: Bool = false
    ) throws {
        vault = try VaultLocation(path: vaultFile)
        guard let runtimeFolder else {
            socket = try VaultLocation(path: vault.folder + "/" + AgentProtocol.socketName)
            return
        }
        let folder = runtimeFolder + "/taskvault/" + Self.folderName(of: vault.path)
        if isPreparing { try Self.prepare(folder) }
        socket = try VaultLocation(path: folder + "/" + AgentProtocol.socketName)
    }

    private static func prepare(_ folder: String) throws {
        do {
            try VaultLocation.prepareFolder(at: folder)
        } catch DatabaseError.notFound, DatabaseError.alreadyExists, DatabaseError.readOnly {
            // Unchanged, these errors would be reported as errors of the vault.
            throw DatabaseError.unsafeLocation(
                path: folder, reason: "not a folder that can be made")
        }
    }

    /// Whether a folder such as `$XDG_RUNTIME_DIR` can hold a socket: it exists, is the user's, and no other user can enter or replace
    /// it.
    public static func isUsable(runtimeFolder: String) -> Bool {
        (try? VaultLocation(path: runtimeFolder + "/" + AgentProtocol.socketName)) != nil
    }

    /// The first 16 hexadecimal digits of the hash of the path.
    private static func folderName(of path: String) -> String {
        let digest = Blake2b.hash(size: 32) { input in
            unsafe input.feed(path.utf8Span.span.bytes)
        }
        return Hexadecimal.text(Array(digest.prefix(8)))
    }
}
