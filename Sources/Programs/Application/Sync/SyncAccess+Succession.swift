internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncStorage
internal import TextCoding

// A machine that was copied, or put back, becomes a device of its own.
extension SyncAccess {
    /// Makes this machine a new device, because another one writes as its device, or because it no longer has what it had sent.
    ///
    /// The member key is that of the former device, so no digits are needed. Nothing is lost: the records come along, what was not sent is sent
    /// by the new device, and the other machine goes on as the former one. The steps up to the last can be repeated.
    ///
    /// - Parameters:
    ///   - session: The former device.
    ///   - round: The round that found it. Its faults are replaced.
    /// - Returns: The new device; nil without a verification, and if the group is full.
    /// - Throws: The errors of vault, stores and remote.
    func succeed(_ session: SyncSession, _ round: inout SyncRound) throws -> SyncSession? {
        guard let former = session.deviceSecrets, let store = session.store else { return nil }
        let members = try knownMembership(session)
        guard members.state.members.count < GroupState.deviceLimit else {
            round.add(SyncProblem(errors.failure(GroupError.full)))
            return nil
        }
        let secrets = try DeviceSecrets.random(from: .system)
        try SyncVaultKeys.save(secrets, in: store.secrets)
        let device = SyncDevice(
            session.device.group, at: session.device.remote, secrets[.list])
        let successor = SyncSession(
            place: session.place, device: device, connection: session.connection, store: store,
            keys: try SyncVaultKeys(of: device.id, in: store.secrets))
        var heads: Heads = [:]
        for chain in SyncChain.allCases {
            let level = chain.signingLevel
            let found = try takeOver(
                chain, session, former[level], successor, secrets[level], members)
            heads.merge(found) { first, _ in first }
        }
        var author = GroupAuthor(former, members.state, now: now().milliseconds, random: .system)
        let name = members.freeName((members.names[session.device.id] ?? "device") + " copy")
        try author.add(
            Newcomer(secrets, as: .device, to: device.group), name: name, heads: heads)
        try KnownStatements(session.place).add(author.written)
        try device.write(at: session.place, as: session.place.successor)
        try session.place.succeed()
        try SyncVaultKeys.remove(from: store.secrets, except: device.id)
        let (received, sent) = (round.received, round.sent)
        round = SyncRound()
        round.scope = session.scope
        round.received = received
        round.sent = sent
        return successor
    }

    /// Fills the store of a chain of the new device.
    ///
    /// - Returns: The heads that it has.
    private func takeOver(
        _ chain: SyncChain, _ session: SyncSession, _ formerSecrets: LevelSecrets,
        _ successor: SyncSession, _ secrets: LevelSecrets, _ members: SyncMembership
    ) throws -> Heads {
        let (kind, path): (SyncDatabase.Chain, String) =
            chain == .list ? (.list, session.place.list) : (.secrets, session.place.secrets)
        let own = chain.id(of: successor.device.id)
        try SyncPlace.removeStore(path + SyncPlace.successorEnding)
        return try withDatabase(kind, session) { old in
            let former = try replica(
                chain, session, members, formerSecrets.signingKeyPair(), old)
            let number = try former.lastCommonNumber()
            let new = try SyncDatabase.open(
                at: path + SyncPlace.successorEnding, kind, device: own,
                keys: successor.storeKeys(),
                creating: true)
            defer { new.close() }
            let replica = try replica(
                chain, successor, members, secrets.signingKeyPair(), new)
            try old.mirrorTransaction { old in
                try new.mirrorTransaction { new in
                    try replica.takeOver(
                        from: chain.id(of: session.device.id), after: number, old, in: new)
                }
            }
            try former.withdraw(after: number)
            var heads = try ChainSummary(new, own: own).heads
            heads[own] = nil
            return heads
        }
    }
}
