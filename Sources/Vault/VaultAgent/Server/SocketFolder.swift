internal import Platform
internal import VaultStorage

/// An open folder, through which a socket has a path short enough for the system.
struct SocketFolder: ~Copyable {
    /// The largest path of a socket, in bytes: `sun_path` without its terminator.
    #if os(Linux)
        private static let longestPath = 107
    #else
        private static let longestPath = 103
    #endif

    private let location: VaultLocation
    let descriptor: Int32

    /// Opens the folder. The corresponding C function is `open`.
    init(of location: VaultLocation) throws {
        self.location = location
        descriptor = unsafe platform_open(location.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw AgentError.system("open", errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Removes the socket from this folder, even if the folder was renamed; keeps any other kind of file.
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

    /// A path for `bind` and `connect`; valid during the lifetime of this value.
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
