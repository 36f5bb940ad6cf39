internal import Database
internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncMirrors
internal import SyncStorage
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// The device of a round, and the keys that are there now.
struct SyncSession {
    let place: SyncPlace
    let device: SyncDevice
    let connection: SyncConnection
    /// The vault; nil while it is locked.
    let store: OpenStore?
    let keys: SyncVaultKeys?

    var scope: SyncRound.Scope {
        keys == nil ? .list : keys?.verified == nil ? .unlocked : .verified
    }

    /// The secret keys of the levels that are there.
    var secrets: [LevelSecrets] {
        [device.secrets] + [keys?.unlocked, keys?.verified].compactMap { $0?.secrets }
    }

    /// The secret keys of all levels; nil without a verification.
    var deviceSecrets: DeviceSecrets? {
        guard let keys, let verified = keys.verified else { return nil }
        return DeviceSecrets(
            list: device.secrets, whileUnlocked: keys.unlocked.secrets,
            afterVerification: verified.secrets)
    }

    /// The keys under which this machine keeps records, as far as they are there.
    func storeKeys() throws -> [SyncLevel: StoreKey] {
        var found: [SyncLevel: StoreKey] = [:]
        if let keys { found[.whileUnlocked] = try keys.unlocked.storeKey() }
        if let verified = keys?.verified { found[.afterVerification] = try verified.storeKey() }
        return found
    }

    /// The part of the remote beside the segments.
    var groupRemote: any GroupRemote { connection.members(of: device.group, device.id) }

    /// The id of a device in a chain; by default of this one.
    func id(of chain: SyncDatabase.Chain, _ device: DeviceID? = nil) -> DeviceID {
        let device = device ?? self.device.id
        return chain == .list ? device : device.secretsChain
    }
}

// A round: what changed here is captured before anything is fetched, so that it has seen exactly what was applied here.
extension SyncAccess {
    /// A day, in milliseconds.
    private static let day: Int64 = 86_400_000

    /// Runs a round with what is open now: the list always, secrets if the agent has the vault unlocked, protected text while it is verified.
    ///
    /// - Parameter limit: The maximum wait for another process.
    /// - Returns: The report.
    /// - Throws: A failure; the errors of vault, list, store and remote.
    @discardableResult
    package func round(within limit: Duration = SyncAccess.patience) throws -> SyncRound {
        try requireEnabled()
        try requireFiles()
        guard vault.usesAgent else {
            return try vault.withStore(.changing, signsIn: false) { store in
                try round(within: limit, store)
            }
        }
        return try round(within: limit, openStore())
    }

    /// Runs a round as ``round(within:)`` with the agent, for no person: it is no use of the session. Runs none if another process is about to
    /// begin one.
    ///
    /// - Parameters:
    ///   - limit: The maximum wait for another process.
    ///   - isSending: Whether the remote is asked only if something changed here.
    /// - Throws: As ``round(within:)``.
    package func roundInBackground(within limit: Duration, ifUnsent isSending: Bool) throws {
        try requireEnabled()
        try requireFiles()
        _ = try place.exclusivelyAsNext(within: limit) {
            let store = try openStore(inBackground: true)
            if isSending, try !hasUnsent(session(store)) { return }
            // A large file takes several rounds.
            var last = Int.max
            while case let left = try round(store).partsLeft, left > 0, left < last { last = left }
        }
    }

    /// Looks for changes of vault and list, as the beginning of a round does, and asks no remote.
    ///
    /// - Returns: Whether a round has something to do.
    private func hasUnsent(_ session: SyncSession) throws -> Bool {
        let members = try knownMembership(session)
        guard members.state.members[session.device.id] != nil, restored(session.place) == nil,
            !isResuming(session.place)
        else { return true }
        let list = try withList(session, members) { replica, mirror in
            try mirror.capture()
            return try replica.hasUnsent()
        }
        let secrets = try withSecrets(session, members) { replica, mirror in
            let items = try session.store?.secrets.list() ?? []
            if try keepBackFiles(among: items, mirror) { return true }
            _ = try mirror.capture(of: items)
            return try replica.hasUnsent()
        }
        return list || secrets == true
    }

    /// The vault, if an agent has it unlocked.
    private func openStore(inBackground isInBackground: Bool = false) throws -> OpenStore? {
        guard let agent = try vault.agent(inBackground: isInBackground),
            try agent.status().isUnlocked
        else { return nil }
        return OpenStore(secrets: agent, agent: agent)
    }

    /// Runs a round with an open vault, or without one.
    @discardableResult
    func round(within limit: Duration, _ store: OpenStore?) throws -> SyncRound {
        // Before the lock, which makes the folder.
        try requireEnabled()
        return try place.exclusively(within: limit) { try round(store) }
    }

    /// Runs a round while other processes of this home wait.
    private func round(_ store: OpenStore?) throws -> SyncRound {
        defer { vault.changes.isSet = false }
        let session = try session(store)
        var round = SyncRound()
        round.scope = session.scope
        defer {
            round.time = now().milliseconds
            round.write(at: session.place)
        }
        do {
            try exchange(session, &round)
            if round.isCopied, let successor = try succeed(session, &round) {
                try exchange(successor, &round)
            }
        } catch {
            let failure = errors.failure(error)
            // A server that cannot be reached now is no fault: both sides work without the other.
            round.problems.append(
                SyncProblem(
                    failure.code, isFault: (error as? RemoteFailure)?.kind != .unreachable,
                    failure.message, hint: failure.hint, exitCode: failure.exitCode))
            throw error
        }
        round.time = now().milliseconds
        return round
    }

    /// Runs `body` with the device and the keys that are there, while other processes of this home wait.
    func withSession<Result>(
        _ store: OpenStore?, within limit: Duration = SyncAccess.patience,
        _ body: (SyncSession) throws -> Result
    ) throws -> Result {
        // Before the lock, which makes the folder.
        try requireEnabled()
        return try place.exclusively(within: limit) { try body(session(store)) }
    }

    private func session(_ store: OpenStore?) throws -> SyncSession {
        let place = try place
        try place.succeed()
        let device = try device()
        let keys = try store.flatMap { try SyncVaultKeys(of: device.id, in: $0.secrets) }
        if store != nil, keys == nil { throw Failure.syncKeysMissing(errors) }
        return SyncSession(
            place: place, device: device, connection: connection(of: device, place, store),
            store: store, keys: keys)
    }

    private func exchange(_ session: SyncSession, _ round: inout SyncRound) throws {
        try requireRemote(session.connection)
        try session.connection.listOnce(session.device.group)
        let members = try membership(session)
        let naming = naming(members, session)
        round.problems += naming.copies(members.state)
        let restored = restored(session.place)
        if let restored, session.scope < .verified {
            // Old content must not be taken for a change, and protected content cannot be put right yet.
            round.problems.append(
                SyncProblem(
                    "restored", isFault: false,
                    restored == .rejoining
                        ? "a backup was restored: the next round after a verification brings back what the devices changed since"
                        : "a backup was restored: the next round after a verification makes it the state of all devices",
                    hint: errors.command("verify")))
            return
        }
        let isResuming = isResuming(session.place)
        if isResuming, session.scope < .verified {
            // Records that are still sealed would be taken for what this home has.
            round.problems.append(
                SyncProblem(
                    "joining", isFault: false,
                    "the first round of this device comes after a verification",
                    hint: errors.command("verify")))
            return
        }
        let retention = try session.store?.settings().retention ?? .standard
        let isExpiring = session.keys != nil && isExpiryDue(session.place)
        var marks = SyncMarks(at: session.place)
        try withList(session, members) { replica, mirror in
            var received = 0
            if restored == .rejoining {
                try mirror.rejoin()
            } else {
                var changed: Set<TaskID> = []
                if let former = former(.list, session) {
                    received = try replica.collectFromMembers().applied
                    changed = try mirror.resume(former)
                }
                if restored == .adopted { try mirror.adopt() }
                try mirror.capture(unsent: changed)
            }
            if isResuming { try removeFormer(.list, session) }
            var report = try replica.collectFromMembers()
            report.applied += received
            try mirror.apply()
            if isExpiring { _ = try mirror.expire(afterDays: retention.removedDays) }
            try replica.acknowledge(after: Self.day)
            try publish(replica, &report, &round)
            try marks.read(mirror)
            round.add(report, naming)
        }
        try withSecrets(session, members) { replica, mirror in
            var received = 0
            if restored != .rejoining, let former = former(.secrets, session) {
                received = try replica.collectFromMembers().applied
                try mirror.resume(former)
            }
            if restored == .adopted { try mirror.adopt() }
            // A file that comes after this list is announced by the next round.
            let items = try session.store?.secrets.list() ?? []
            let files = try sendFiles(among: items, session, mirror, &round)
            if restored != .rejoining { _ = try mirror.capture(of: items) }
            if isResuming { try removeFormer(.secrets, session) }
            var report = try replica.collectFromMembers()
            report.applied += received
            _ = try mirror.apply(overwriting: restored == .rejoining)
            if restored == .adopted { try mirror.keepRemoved() }
            if isExpiring { try mirror.expire(now: now().milliseconds) }
            try replica.acknowledge(after: Self.day)
            try publish(replica, &report, &round)
            try dropFiles(session, mirror, files)
            try marks.read(mirror)
            round.add(report, naming)
        }
        if restored != nil { try FileSystem.remove(session.place.rejoining) }
        if isExpiring {
            try FileSystem.replace(session.place.expiry, with: "\(now().milliseconds)\n")
        }
        try marks.write(at: session.place)
    }

    /// Sends what was written here, and drops what a snapshot has and no device needs. A full account, and a copy of this machine, are named,
    /// and do not keep this device from receiving, or from removing another.
    private func publish(
        _ replica: Replica, _ report: inout SyncReport, _ round: inout SyncRound
    ) throws {
        do {
            try replica.makeSnapshotIfDue()
            try replica.publish(&report)
            try replica.drop()
        } catch let error as RemoteFailure where error.kind == .full {
            round.add(SyncProblem(errors.failure(error)))
        } catch SyncError.cloned(let number) {
            round.isCopied = true
            round.add(SyncProblem(errors.failure(SyncError.cloned(number))))
        }
    }

    /// Whether records were last searched for expired ones a day ago, or never.
    private func isExpiryDue(_ place: SyncPlace) -> Bool {
        let text = FileSystem.content(place.expiry, limit: 32).map {
            String(decoding: $0.dropLast(), as: UTF8.self)
        }
        guard let last = text.flatMap({ Int64($0) }) else { return true }
        return abs(now().milliseconds - last) >= Self.day
    }

    /// Runs `body` with the chain of the list and its mirror.
    func withList<Result>(
        _ session: SyncSession, _ members: SyncMembership,
        _ body: (Replica, TaskMirror) throws -> Result
    ) throws -> Result {
        try withDatabase(.list, session) { database in
            let replica = try replica(
                .list, session, members, session.device.secrets.signingKeyPair(), database)
            return try tasks.withTasks(.changing) { open in
                try body(
                    replica,
                    TaskMirror(
                        replica, database, open.repository, vault: session.store?.secrets,
                        now: now))
            }
        }
    }

    /// Runs `body` with the chain of the secrets and its mirror.
    ///
    /// - Returns: The result of `body`; nil while the vault is locked.
    @discardableResult
    func withSecrets<Result>(
        _ session: SyncSession, _ members: SyncMembership,
        _ body: (Replica, SecretMirror) throws -> Result
    ) throws -> Result? {
        guard let store = session.store, let keys = session.keys else { return nil }
        return try withDatabase(.secrets, session) { database in
            let replica = try replica(
                .secrets, session, members, keys.unlocked.secrets.signingKeyPair(), database)
            return try body(
                replica,
                SecretMirror(
                    replica, store: database, secrets: store.secrets,
                    retention: store.settings().retention,
                    fileAttribute: { FileContent.attribute(ofValue: $0) },
                    now: { [now] in now().milliseconds }))
        }
    }

    /// The replica of a chain over a store.
    func replica(
        _ chain: SyncChain, _ session: SyncSession, _ members: SyncMembership,
        _ key: consuming SigningKeyPair, _ database: SyncDatabase
    ) throws -> Replica {
        let device = chain.id(of: session.device.id)
        let limits = members.limits(of: chain)
        let replica = Replica(
            session.device.group, device, key: key, members: members.keys(of: chain),
            epochs: members.epochs.keys, store: database,
            remote: LimitedRemote(
                session.connection.segments(of: session.device.group, device), limits: limits),
            environment: environment)
        replica.formerMembers = Set(limits.keys)
        replica.audiences = members.audiences
        replica.requiredHeads = members.state.members[session.device.id]?.heads ?? [:]
        if let sealing = members.epochs.sealing { replica.sealingEpoch = sealing }
        return replica
    }

    /// Runs `body` with a store of records, and closes it.
    func withDatabase<Result>(
        _ chain: SyncDatabase.Chain, _ session: SyncSession, creating isCreating: Bool = true,
        _ body: (SyncDatabase) throws -> Result
    ) throws -> Result {
        let database = try SyncDatabase.open(
            at: chain == .list ? session.place.list : session.place.secrets, chain,
            device: session.id(of: chain), keys: try session.storeKeys(), creating: isCreating)
        defer { database.close() }
        return try body(database)
    }
}
