internal import Platform
internal import Sealing
internal import TextCoding
public import VaultStorage

/// The place of an agent and its clients: the vault and a socket (`Docs/AgentProtocol.md`, section
/// 1). Only the user can change the socket's folder.
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
        let path = runtimeFolder + "/taskvault" + Self.socketPath(of: vault)
        if isPreparing { try Self.prepare(SafeFolder.split(path).folder) }
        socket = try VaultLocation(path: path)
    }

    /// The place in an agent's note in the vault's folder. It is nil if the note is missing or
    /// names no possible place.
    private init?(notedFor vault: VaultLocation) {
        guard let path = Self.notedSocket(of: vault.path),
            let socket = try? VaultLocation(path: path)
        else { return nil }
        self.vault = vault
        self.socket = socket
    }

    /// The path of the socket of an agent outside the vault's folder, which may be in a folder that only other containers have.
    ///
    /// - Parameter vaultFile: The path of the vault file.
    /// - Returns: The path; nil if no agent has left one.
    public static func notedSocket(of vaultFile: String) -> String? {
        guard let vault = try? VaultLocation(path: vaultFile), let path = note(in: vault.folder),
            path.hasSuffix(socketPath(of: vault))
        else { return nil }
        return path
    }

    /// Reads the note. It may have any content, because another program of the user or a killed
    /// agent may have left it.
    private static func note(in folder: String) -> String? {
        guard let folder = try? FileDescriptor(folder: folder),
            let file = try? FileDescriptor(
                AgentProtocol.noteName, in: folder, flags: O_RDONLY),
            let status = try? FileStatus.of(file), status.isRegularFile,
            status.owner == geteuid(), !status.isOpenToOthers,
            let bytes = try? file.bytes(at: 0, count: Int(PATH_MAX)), bytes.count < PATH_MAX,
            bytes.first == UInt8(ascii: "/"), !bytes.contains(0)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func prepare(_ folder: String) throws {
        do {
            try VaultLocation.prepareFolder(at: folder)
        } catch DatabaseError.notFound, DatabaseError.alreadyExists, DatabaseError.readOnly {
            // Without a conversion, these errors would be reported as errors of the vault.
            throw DatabaseError.unsafeLocation(
                path: folder, reason: "not a folder that can be made")
        }
    }

    /// Whether a folder such as `$XDG_RUNTIME_DIR` can hold a socket: it exists and belongs to the
    /// user.
    /// No other user may enter or replace it.
    public static func isUsable(runtimeFolder: String) -> Bool {
        (try? VaultLocation(path: runtimeFolder + "/" + AgentProtocol.socketName)) != nil
    }

    /// The end of the path of a socket outside the vault's folder. It has 16 hexadecimal digits of
    /// the hash of the vault's path.
    private static func socketPath(of vault: VaultLocation) -> String {
        let digest = Blake2b.hash(size: 32) { input in
            unsafe input.feed(vault.path.utf8Span.span.bytes)
        }
        return "/" + Hexadecimal.text(Array(digest.prefix(8))) + "/" + AgentProtocol.socketName
    }
}

extension AgentPlace {
    /// The time that a client waits for an agent that starts or ends. An agent detects a moved
    /// folder in less time.
    private static let timeLimit: Duration = .seconds(2)

    /// Runs `body` with the place of a vault's agent, for any location of its socket.
    ///
    /// - Parameters:
    ///   - vaultFile: The path of the vault file.
    ///   - runtimeFolders: The folders to search first; nil is the vault's folder. The note in that
    ///     folder names an agent elsewhere.
    ///   - body: Connects to the agent.
    /// - Returns: The result of `body`; nil if no agent runs.
    /// - Throws: ``AgentError/unreachable`` if an agent must be running, and the error of `body`.
    public static func withAgent<Result>(
        of vaultFile: String, lookingIn runtimeFolders: [String?],
        _ body: (AgentPlace) throws -> Result
    ) throws -> Result? {
        guard let vault = try Self.found({ try VaultLocation(path: vaultFile) }) else { return nil }
        let deadline = BootTime.now + timeLimit
        var refusal: AgentError?
        func reached(_ place: AgentPlace) throws -> Result? {
            do {
                return try body(place)
            } catch AgentError.notRunning {
                return nil
            } catch let error as AgentError {
                // The agent may have its socket elsewhere.
                guard case .notTrusted = error else { throw error }
                refusal = error
                return nil
            }
        }
        while true {
            refusal = nil
            for runtimeFolder in runtimeFolders {
                let place = try found {
                    try AgentPlace(vaultFile: vaultFile, runtimeFolder: runtimeFolder)
                }
                if let place, let result = try reached(place) { return result }
            }
            let isLocked = AgentLock.isHeld(in: vault.folder)
            if isLocked != false, let place = AgentPlace(notedFor: vault),
                let result = try reached(place)
            {
                return result
            }
            // If the folder cannot be locked, only an answer proves that an agent runs.
            guard isLocked == true else {
                if let refusal { throw refusal }
                return nil
            }
            guard BootTime.now < deadline else { throw AgentError.unreachable }
            SystemSleep.sleep(.milliseconds(10))
        }
    }

    /// The result of `find`; nil without a folder.
    private static func found<Result>(_ find: () throws -> Result) throws -> Result? {
        do { return try find() } catch DatabaseError.notFound { return nil }
    }
}
