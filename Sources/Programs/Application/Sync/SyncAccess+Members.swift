internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncStorage
internal import TextCoding

// The members of the group.
extension SyncAccess {
    /// A device that was made or added, for a message.
    package struct EnabledDevice: Sendable {
        /// The absolute path of a folder, or the address of the account's server.
        package let remote: String
        package let group: String
        package let id: String
        package let name: String
        /// Whether the remote lacks changes that the other devices have: a folder may be copied still.
        package var isBehind = false
    }

    /// - Throws: A failure if the home takes part in sync already.
    package func requireNotEnabled() throws {
        guard try SyncDevice(at: place) != nil else { return }
        throw Failure(
            .alreadyExists, code: "sync_enabled", "this home syncs already",
            hint: errors.command("sync status"))
    }

    /// A device name: the given one, or that of the machine.
    func deviceName(_ typed: String?) throws -> String {
        let name = typed ?? HostName.current
        guard SealedName.isValid(name) else {
            throw Failure.usage(
                "a device name has 1 to \(SealedName.limit) bytes and no control characters",
                hint: "give --name laptop")
        }
        return name
    }

    /// Makes this home the first device of a new group, and sends everything.
    ///
    /// - Parameters:
    ///   - folder: A folder that exists; nil for the account that is signed in. It has no group.
    ///   - name: The name of the device; nil for that of the machine.
    ///   - store: The verified vault.
    /// - Returns: The device.
    /// - Throws: A failure; the errors of vault and remote.
    package func enable(
        _ folder: String?, as name: String?, _ store: OpenStore
    ) throws -> EnabledDevice {
        try requireFiles()
        let name = try deviceName(name)
        let connection = try connection(to: folder, store)
        guard try connection.groups().isEmpty else {
            throw Failure(
                .alreadyExists, code: "group_exists",
                "\(connection.described(as: folder)) has a group already",
                hint: errors.command("sync join" + SyncConnection.option(folder)))
        }
        let secrets = try DeviceSecrets.random(from: .system)
        let author = try GroupAuthor.create(
            secrets, name: name, now: now().milliseconds, random: .system)
        let place = try place
        try place.exclusively(within: Self.patience) {
            try requireNotEnabled()
            try saveKeys(secrets, store)
            try begin(
                SyncDevice(author.state.group, at: connection.remote, secrets[.list]),
                connection, author.state.statements, place)
        }
        try round(within: Self.patience, store)
        return EnabledDevice(
            remote: connection.remote, group: author.state.group.text, id: secrets.device.text,
            name: name)
    }

    /// Saves the keys of a new device in the vault, in place of those of a former one.
    func saveKeys(_ secrets: DeviceSecrets, _ store: OpenStore) throws {
        try SyncVaultKeys.remove(from: store.secrets)
        try SyncVaultKeys.save(secrets, in: store.secrets)
    }

    /// Keeps the statements of a new device. The home takes part in sync as soon as the last step is done.
    func begin(
        _ device: SyncDevice, _ connection: SyncConnection, _ statements: Set<Statement>,
        _ place: SyncPlace
    ) throws {
        if FormerMembership(at: place)?.group == device.group {
            try place.clear(keepingRecords: true)
            try place.setAside()
        } else {
            try place.clear()
        }
        try connection.keep()
        try KnownStatements(place).add(statements)
        try device.write(at: place)
    }

    /// The account's server of which this machine is the last device. Then its group there can be removed.
    ///
    /// - Returns: The server's address; nil if there are other devices, for a folder, and for a locked vault.
    /// - Throws: A failure, the errors of the remote.
    package func lastDeviceServer() throws -> String? {
        try vault.withStoreIfUnlocked { try lastDeviceServer($0) } ?? nil
    }

    private func lastDeviceServer(_ store: OpenStore) throws -> String? {
        guard try !SyncConnection.isFolder(device().remote) else { return nil }
        return try withSession(store) { session in
            try membership(session).state.members.count == 1 ? session.device.remote : nil
        }
    }

    /// Ends sync on this machine.
    ///
    /// - Parameter isRemovingGroup: Whether the account's server removes the group, too, for which this must be its last device.
    /// - Returns: Whether the keys in the vault were erased, too: it was unlocked.
    /// - Throws: The errors of the vault, `locked` if the group should be removed; `SystemFailure`; a failure if the server did not remove the
    ///   group: then nothing has ended.
    package func disable(removingGroup isRemovingGroup: Bool = false) throws -> Bool {
        let place = try place
        func end(_ store: OpenStore?) throws -> Bool {
            if isRemovingGroup {
                guard let store else { throw SecureStoreError.locked }
                guard try lastDeviceServer(store) != nil else {
                    throw Failure(
                        .refused, code: "not_last_device",
                        "this is not the last device of an account: nothing was removed",
                        hint: errors.command("sync disable") + " without --remove-group")
                }
            }
            _ = captureRest(store)
            try place.exclusively(within: Self.patience) {
                // Under the lock, so that no round puts anything again.
                if isRemovingGroup, let store { try removeGroup(device().group, store) }
                try leave(place)
                if let store { try SyncVaultKeys.remove(from: store.secrets) }
            }
            return store != nil
        }
        if !vault.usesAgent { return try vault.withStore(.changing, signsIn: false, end) }
        return try vault.withStoreIfUnlocked(end) ?? end(nil)
    }

    /// The members as this machine knows them now, after exchanging statements with the remote.
    ///
    /// While verified, it makes new keys where they are missing, and delivers keys to members that lack them.
    ///
    /// - Throws: A failure if this device was removed; the errors of the remote.
    func membership(_ session: SyncSession) throws -> SyncMembership {
        let device = session.device
        let known = KnownStatements(session.place)
        let old = try known.all(of: device.group)
        let received = try session.groupRemote.exchangeStatements(known: old).received
        var state = GroupState(device.group, old.union(received))
        try known.add(state.kept.subtracting(old))
        if state.kept.count < state.statements.count {
            // Anyone can put others to the remote. Here each would cost a signature in each round, and all devices would put it again.
            state = GroupState(device.group, state.kept)
        }
        try requireMember(state, device)
        try exchangeRecovery(state, session)
        if let secrets = session.deviceSecrets {
            var author = GroupAuthor(
                secrets, state, now: now().milliseconds, random: .system)
            if state.usableEpochs.isEmpty { try author.newEpoch() }
            try author.deliver()
            try save(author.written, session)
            state = author.state
        }
        return try SyncMembership(state, session)
    }

    /// The members as this machine knows them, without asking the remote.
    func knownMembership(_ session: SyncSession) throws -> SyncMembership {
        try SyncMembership(
            GroupState(
                session.device.group, KnownStatements(session.place).all(of: session.device.group)),
            session)
    }

    private func requireMember(_ state: GroupState, _ device: SyncDevice) throws {
        if state.members[device.id] != nil { return }
        throw Failure(
            .refused, code: "device_removed",
            "this device was removed from the group: nothing is sent or applied, and everything here stays",
            hint: errors.command("sync disable") + ", then "
                + errors.command("sync join" + SyncConnection.option(device.folder)))
    }

    /// Keeps new statements, and puts them to the remote.
    func save(_ statements: [Statement], _ session: SyncSession) throws {
        if statements.isEmpty { return }
        try KnownStatements(session.place).add(statements)
        for statement in statements {
            _ = try session.groupRemote.put(
                statement.bytes, as: statement.id.text, in: .members)
        }
    }

    /// Writes statements as this device, which must be verified.
    ///
    /// - Returns: The state after them.
    @discardableResult
    func write(
        _ session: SyncSession, _ body: (inout GroupAuthor) throws -> Void
    ) throws -> GroupState {
        guard let secrets = session.deviceSecrets else { throw SecureStoreError.notVerified }
        let members = try membership(session)
        var author = GroupAuthor(
            secrets, members.state, now: now().milliseconds, random: .system)
        try body(&author)
        try save(author.written, session)
        return author.state
    }

    /// The newest segments of all chains that this device has.
    func heads(_ session: SyncSession) throws -> Heads {
        var heads: Heads = [:]
        for chain in [SyncDatabase.Chain.list, .secrets] {
            let summary = try withDatabase(chain, session) {
                try ChainSummary($0, own: session.device.id)
            }
            heads.merge(summary.heads) { first, _ in first }
        }
        return heads
    }

    // MARK: Names and removal

    /// An entry whose values a device has.
    package struct ReadableEntry: Hashable, Sendable {
        package let service: String
        package let account: String
    }

    /// The entries that each device of the group can read, by name.
    ///
    /// - Throws: The errors of the vault.
    package func readable(_ store: OpenStore) throws -> [ReadableEntry] {
        let entries = try store.secrets.list().map(\.name).filter { !$0.isReserved }.map {
            ReadableEntry(service: $0.service, account: $0.account)
        }
        return Set(entries).sorted { ($0.service, $0.account) < ($1.service, $1.account) }
    }

    /// The device of a name, or of the beginning of an id.
    ///
    /// - Throws: A failure if there is none, or several.
    package func member(_ typed: String) throws -> SyncMember {
        let devices = try status().devices
        var found = devices.filter { $0.name.utf8.elementsEqual(typed.utf8) }
        if found.isEmpty, typed.utf8.count >= 4 {
            found = devices.filter { $0.id.hasPrefix(typed.lowercased()) }
        }
        guard let device = found.first else {
            throw Failure(
                .notFound, code: "no_device", "there is no device \(ShellText.quote(typed))",
                hint: errors.command("device list"))
        }
        guard found.count == 1 else {
            throw Failure(
                .usage, code: "several_devices",
                "several devices have the name \(ShellText.quote(typed))",
                hint: "use the id that " + errors.command("device list") + " shows")
        }
        return device
    }

    /// Gives a device another name.
    ///
    /// - Throws: A failure; `notVerified`.
    package func rename(_ device: SyncMember, to name: String, _ store: OpenStore) throws {
        let name = try deviceName(name)
        try withSession(store) { session in
            guard let id = DeviceID(text: device.id) else { return }
            let free = try knownMembership(session).freeName(name, for: id)
            guard free == name else {
                throw Failure(
                    .alreadyExists, code: "device_name_taken",
                    "another device has the name \(ShellText.quote(name))",
                    hint: "give another one, such as \(ShellText.quote(free))")
            }
            _ = try write(session) { try $0.rename(id, to: name) }
        }
    }

    /// Removes a device, and makes new keys at once.
    ///
    /// - Throws: A failure; `notVerified`.
    package func remove(_ device: SyncMember, _ store: OpenStore) throws {
        // What the device sent before is applied first: it still counts.
        try round(within: Self.patience, store)
        try withSession(store) { session in
            let heads = try heads(session)
            try write(session) { author in
                if let id = DeviceID(text: device.id) { try author.remove([id], heads: heads) }
            }
        }
        try round(within: Self.patience, store)
    }
}
