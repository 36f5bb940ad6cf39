internal import CPlatform
internal import VaultSealing
public import VaultStorage

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

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
    /// - Throws: `StorageError.notFound` if a folder is missing, `.unsafeLocation` if it is not safe.
    public init(
        vaultFile: String, runtimeFolder: String?, preparing isPreparing: Bool = false
    ) throws(StorageError) {
        vault = try VaultLocation(path: vaultFile)
        guard let runtimeFolder else {
            socket = try VaultLocation(path: vault.folder + "/" + AgentProtocol.socketName)
            return
        }
        let folder = runtimeFolder + "/taskvault/" + Self.folderName(of: vault.path)
        if isPreparing { try VaultLocation.prepareFolder(at: folder) }
        socket = try VaultLocation(path: folder + "/" + AgentProtocol.socketName)
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
        let digits = Array("0123456789abcdef")
        return String(digest.prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

/// A folder that stays open, so that a socket in it has a path short enough for the system.
struct SocketFolder: ~Copyable {
    /// The largest path of a socket, in bytes: `sun_path` without its end.
    #if os(Linux)
        private static let longestPath = 107
    #else
        private static let longestPath = 103
    #endif

    private let location: VaultLocation
    let descriptor: Int32

    /// Opens the folder. The corresponding C function is `open`.
    init(of location: VaultLocation) throws(AgentError) {
        self.location = location
        descriptor = unsafe platform_open(location.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw .system("open", errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Removes the socket from this folder, whatever folder has its path by now; anything else of its name stays.
    ///
    /// The corresponding C functions are `fstatat` and `unlinkat`.
    ///
    /// - Returns: Whether the name is free.
    @discardableResult
    func removeSocket() -> Bool {
        var status = stat()
        guard unsafe fstatat(descriptor, location.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return false }
        return unsafe unlinkat(descriptor, location.name, 0) == 0 || errno == ENOENT
    }

    /// A path for `bind` and `connect`; valid while this value lives.
    var socketPath: String {
        let path = location.path
        #if os(Linux)
            if path.utf8.count > Self.longestPath {
                return "/proc/self/fd/\(descriptor)/\(location.name)"
            }
        #endif
        return path
    }
}
