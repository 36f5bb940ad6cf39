internal import Platform
internal import SecretMemory
internal import Sync
internal import SyncMembers
internal import TextCoding

/// The way to the remote of a home: a folder, or the account's server.
enum SyncConnection {
    /// An absolute path.
    case folder(String)
    case server(SyncServer)

    /// The text in the device's file: the absolute path, or the server's address.
    var remote: String {
        switch self {
        case .folder(let path): path
        case .server(let server): server.address
        }
    }

    /// A remote in a message, with a folder as it was typed.
    func described(as folder: String?) -> String {
        folder.map { "the folder " + $0 } ?? "the account at " + remote
    }

    /// The words after a command that name the remote again; none for the account.
    static func option(_ folder: String?) -> String {
        folder.map { " --folder " + ShellText.quote($0) } ?? ""
    }

    /// Whether what a device's file keeps is a folder: a path is absolute, and an address is not.
    static func isFolder(_ remote: String) -> Bool { remote.hasPrefix("/") }

    /// The groups that the remote has, ascending.
    func groups() throws(RemoteFailure) -> [GroupID] {
        switch self {
        case .folder(let path): try FolderRemote.groups(at: path)
        case .server(let server): try server.groups()
        }
    }

    /// Asks for the names of a group once, at the beginning of a round.
    func listOnce(_ group: GroupID) throws(RemoteFailure) {
        if case .server(let server) = self { try server.listOnce(group) }
    }

    /// The segments of a group.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - device: This device, in the chain.
    /// - Returns: The remote of the chain.
    func segments(of group: GroupID, _ device: DeviceID) -> any SyncRemote {
        switch self {
        case .folder(let path): FolderRemote(at: path, group: group, device: device)
        case .server(let server): ServerRemote(server, group, device)
        }
    }

    /// The places of a group beside its segments.
    func members(of group: GroupID, _ device: DeviceID) -> any GroupRemote {
        switch self {
        case .folder(let path): FolderGroupRemote(at: path, group: group, device: device)
        case .server(let server): ServerGroupRemote(server, group)
        }
    }

    /// Makes further ways to these places, each for a thread of its own; nil for a folder, whose disk takes one file after another.
    func furtherMembers(of group: GroupID) -> (@Sendable () -> any GroupRemote)? {
        guard case .server(let server) = self else { return nil }
        let further = server.further
        return { ServerGroupRemote(further(), group) }
    }

    /// The room that the remote has left, in bytes; nil if it has no limit.
    func room() throws(RemoteFailure) -> UInt64? {
        switch self {
        case .folder(let path):
            do {
                return try FileSystem.space(path).free
            } catch {
                throw RemoteFailure(path, (error as? SystemFailure)?.explanation ?? "\(error)")
            }
        case .server(let server): return try server.room()
        }
    }

    /// Keeps what this machine needs to reach the remote again.
    ///
    /// - Throws: A failure.
    func keep() throws {
        if case .server(let server) = self { try server.keep() }
    }
}

// The connections of this home.
extension SyncAccess {
    /// The connection of a home that takes part.
    ///
    /// - Parameters:
    ///   - device: Its device.
    ///   - place: The folder of sync.
    ///   - store: The unlocked vault, which has the sign-in; nil while it is locked.
    /// - Returns: The connection, which was not used yet.
    func connection(
        of device: SyncDevice, _ place: SyncPlace, _ store: OpenStore?
    ) -> SyncConnection {
        if SyncConnection.isFolder(device.remote) { return .folder(device.remote) }
        return .server(
            SyncServer(
                device.remote, in: place.folder,
                renew: store.map { store in
                    {
                        let signIn = SignInAccess(vault, errors)
                        // The limits of time are those of the sign-in after an unlock.
                        guard let place = try signIn.silentPlace(store.secrets) else {
                            throw Failure(.notFound, "no auth server is set")
                        }
                        return try token(place, signIn)
                    }
                }))
    }

    /// The connection that a person chose for a new device.
    ///
    /// - Parameters:
    ///   - folder: The folder, which must exist; nil for the account that is signed in.
    ///   - store: The vault.
    /// - Returns: The connection.
    /// - Throws: A failure, such as without a sign-in.
    func connection(to folder: String?, _ store: OpenStore) throws -> SyncConnection {
        if let folder { return .folder(try chosenFolder(folder)) }
        let signIn = SignInAccess(vault, errors)
        do {
            return try .server(
                SyncServer(token(signIn.place(of: store.secrets), signIn), in: place.folder))
        } catch let failure as Failure where failure.code == "no_server" {
            throw Failure(
                failure.exitCode, code: failure.code, failure.message,
                hint: failure.hint.map { $0 + ", or give --folder DIR" })
        }
    }

    /// Checks that a folder is there. A server says so with its first answer.
    func requireRemote(_ connection: SyncConnection) throws {
        guard case .folder(let path) = connection else { return }
        _ = try folder(path, hint: "changes stay here until the folder is there again")
    }

    private func token(_ place: SignInPlace, _ signIn: SignInAccess) throws -> ServerTokenFile {
        var file: ServerTokenFile?
        let isSupported = try withAccessToken(place, signIn) { access in
            file = try SyncServer.token(place, access)
        }
        guard isSupported, let file = file.take() else {
            throw Failure(
                .refused, code: "no_sync_at_server", "\(place.server) does not offer sync",
                hint: "use a folder: " + errors.command("sync enable --folder DIR"))
        }
        return file
    }

    /// Removes a group from the account that is signed in.
    ///
    /// - Throws: A failure, such as without a sign-in; `SignInError`.
    func removeGroup(_ group: GroupID, _ store: OpenStore) throws {
        let signIn = SignInAccess(vault, errors)
        let place = try signIn.place(of: store.secrets)
        let isSupported = try withAccessToken(place, signIn) { access in
            try SyncServer.remove(group, place, access)
        }
        guard isSupported else {
            throw Failure(
                .refused, code: "no_sync_at_server", "\(place.server) cannot remove a group",
                hint: "leave it there, and ask its operator")
        }
    }

    /// Runs `body` with an access token of the account that is signed in.
    ///
    /// - Returns: Whether the server offers what `body` asks for.
    private func withAccessToken(
        _ place: SignInPlace, _ signIn: SignInAccess, _ body: (borrowing SecretBytes) throws -> Void
    ) throws -> Bool {
        try signIn.withAccessToken(
            of: signIn.signedInAccount(place), place, asking: AccountPasswords(),
            isAskedFor: false
        ) { access in
            try body(access)
            return true
        } ?? false
    }
}
