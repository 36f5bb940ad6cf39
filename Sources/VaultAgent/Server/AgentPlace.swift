internal import Sealing
internal import TextCoding
public import VaultStorage

/// Where an agent and its clients meet: the vault, and the socket in a folder that only the user can change (`Docs/AgentProtocol.md`,
/// section 1).
public struct AgentPlace: Sendable {
    /// The vault file, resolved.
    public let vault: VaultLocation
    /// The socket, resolved.
    public let socket: VaultLocation

    /// Finds the place of a vault's agent and checks the folders.
    ///
    /// - Parameters:
    ///   - vaultFile: The path of the vault file; its folder exists.
    ///   - runtimeFolder: `$XDG_RUNTIME_DIR`, which exists; or nil to have the socket in the vault's folder.
    ///   - isPreparing: Whether the socket's folder is made where it is missing: an agent does, a client does not.
    /// - Throws: `DatabaseError.notFound` if a folder is missing, `.unsafeLocation` if it is not safe or cannot be made.
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
            // As they are, these are taken for what is said of the vault.
            throw DatabaseError.unsafeLocation(
                path: folder, reason: "not a folder that can be made")
        }
    }

    /// Whether a socket can lie in a folder such as `$XDG_RUNTIME_DIR`: it exists, is the user's, and nobody else can enter or replace it.
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
