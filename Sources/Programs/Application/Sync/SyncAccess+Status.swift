internal import Database
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncStorage
internal import TextCoding

// The state that this machine knows, without asking the remote.
extension SyncAccess {
    /// The state of sync.
    ///
    /// - Throws: A failure if the home does not take part in sync; the errors of the stores.
    package func status() throws -> SyncStatus {
        let place = try place
        let device = try device()
        let session = SyncSession(
            place: place, device: device, connection: connection(of: device, place, nil),
            store: nil, keys: nil)
        let members = try knownMembership(session)
        let (list, secrets) = (try summary(.list, session), try summary(.secrets, session))
        let devices = devices(session, members, [list, secrets])
        return SyncStatus(
            remote: session.device.remote, group: session.device.group.text,
            lastRound: SyncRound(at: place), devices: devices,
            newest: newest(devices, [list, secrets]), unsent: list.unsent + secrets.unsent,
            waitingForUnlock: list.waitingForUnlock + secrets.waitingForUnlock,
            waitingForVerification: list.waitingForVerification + secrets.waitingForVerification,
            marked: list.marked + secrets.marked)
    }

    /// A chain as its store knows it; an empty one before the first round.
    private func summary(
        _ chain: SyncDatabase.Chain, _ session: SyncSession
    ) throws -> ChainSummary {
        do {
            return try withDatabase(chain, session, creating: false) {
                try ChainSummary($0, own: session.id(of: chain))
            }
        } catch DatabaseError.notFound {
            return ChainSummary()
        }
    }

    private func newest(
        _ devices: [SyncMember], _ chains: [ChainSummary]
    ) -> (device: SyncMember, time: Int64)? {
        let times = devices.compactMap { device -> (device: SyncMember, time: Int64)? in
            guard let id = DeviceID(text: device.id) else { return nil }
            let heard = chains.flatMap { chain in
                [id, id.secretsChain].compactMap { chain.chains[$0]?.heard }
            }
            return heard.max().map { (device, $0) }
        }
        return times.max { $0.time < $1.time }
    }

    private func devices(
        _ session: SyncSession, _ members: SyncMembership, _ chains: [ChainSummary]
    ) -> [SyncMember] {
        let own = session.device.id
        return members.state.members.keys.map { id in
            let heard = chains.flatMap { chain in
                [id, id.secretsChain].compactMap { chain.chains[$0]?.heard }
            }
            return SyncMember(
                id: id.text, name: members.state.name(of: id, members.epochs) ?? "",
                isOwn: id == own, heard: id == own ? nil : heard.max())
        }.sorted { left, right in
            if left.isOwn != right.isOwn { return left.isOwn }
            return (left.name, left.id) < (right.name, right.id)
        }
    }

    /// The names of devices, for messages.
    func naming(_ members: SyncMembership, _ session: SyncSession) -> SyncNaming {
        SyncNaming(own: session.device.id, names: members.names, command: errors.command)
    }

    /// Words that are equal on devices with the same history, after a round.
    ///
    /// - Throws: As ``round(within:)``.
    package func check(_ store: OpenStore) throws -> SyncCheck {
        let round = try round(within: Self.patience, store)
        if let failure = round.failure { throw failure }
        return try withSession(store) { session in
            let heads = try heads(session)
            let numbers = HeadsCheck.numbers(
                of: heads, in: session.device.group, count: 6, below: 65_536)
            return SyncCheck(
                words: numbers.map { CheckWords.word(UInt16($0)) },
                waiting: round.problems.filter(\.isWaiting), sent: round.sent)
        }
    }
}
