internal import SecretMemory
public import TextCoding

/// A session as its owner sees it.
public struct OwnSession: Sendable, Hashable {
    /// The session.
    public let session: SignInSession
    /// The name that its device gave; may be empty.
    public let device: String
    /// The network of its sign-in; may be empty.
    public let network: String

    /// A session with its device among those of the account.
    init(_ session: SignInSession, on devices: [SessionDevice]) {
        let device = devices.first { $0.session == session.id }
        self.session = session
        self.device = device?.name ?? ""
        network = device?.network ?? ""
    }
}

/// The caller's own sessions.
extension AccountService {
    /// Events that the owner of the caller's account should know, the newest first: new devices, reused tokens, guesses at the name, and changes by an
    /// operator, of the last 90 days.
    ///
    /// - Throws: `tokenRejected`, `scopeInsufficient`; an error of the database.
    public func events(_ accessToken: String, limit: Int, at now: PointInTime) throws
        -> [AuditEvent]
    {
        let account = try authenticate(accessToken, at: now).account.id
        return try repository.read { try $0.auditEvents(of: account, limit: limit) }
    }

    /// The sessions of the caller's account, the oldest first, and the caller's own one.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func sessions(
        _ accessToken: String, at now: PointInTime
    ) throws -> (sessions: [OwnSession], current: SessionID) {
        let caller = try authenticate(accessToken, at: now)
        return try repository.read { transaction in
            let devices = try transaction.devices(of: caller.account.id)
            let sessions = try transaction.sessions(of: caller.account.id)
                .filter { now < $0.expires }.map { OwnSession($0, on: devices) }
            return (sessions, caller.session.id)
        }
    }

    /// Ends a session of the caller's account, or all of them, for good; see `AccountTransaction.endSessions(_:of:canContinue:exceptDeviceOf:)`.
    ///
    /// - Parameters:
    ///   - session: The session; nil for all, with the caller's own one.
    ///   - accessToken: The caller's token.
    ///   - now: The time.
    /// - Returns: The number of ended sessions, and the account.
    /// - Throws: `tokenRejected`; an error of the database.
    public func end(
        _ session: SessionID?, _ accessToken: String, at now: PointInTime
    ) throws -> (count: Int, account: AccountID) {
        let account = try authenticate(accessToken, at: now).account.id
        let count = try repository.change { transaction in
            try transaction.endSessions(session, of: account)
        }
        return (count, account)
    }
}

extension AccountTransaction {
    /// The network that lists of sessions and events show: no address.
    static func shown(_ networks: [String]) -> String { networks.first { $0.contains("/") } ?? "" }

    /// Ends all sessions of an account, or one with the sessions that its device continued, with all that their devices got: the devices are no
    /// longer known, and the tokens of inboxes and of sync are invalid.
    ///
    /// - Parameters:
    ///   - id: The session; nil for all.
    ///   - account: The account.
    ///   - canContinue: Whether a cached password continues the sessions without a question. After a change of the password only the new one does,
    ///     which machines with one vault share.
    ///   - kept: A device that stays as it is, but for its tokens.
    /// - Returns: The number of ended sessions.
    /// - Throws: An error of the database.
    @discardableResult
    func endSessions(
        _ id: SessionID?, of account: AccountID, canContinue: Bool = false,
        exceptDeviceOf kept: SessionDevice? = nil
    ) throws -> Int {
        var sessions = try sessions(of: account).map(\.id)
        var devices = try devices(of: account)
        if let id {
            guard sessions.contains(id) else { return 0 }
            let first = devices.first { $0.session == id }?.first
            devices.removeAll { $0.first != first }
            let ended = Set(devices.map(\.session)).union([id])
            sessions.removeAll { !ended.contains($0) }
        }
        devices.removeAll { $0.first == kept?.first }
        if id == nil, kept == nil { try removeKnownDevices(of: account) }
        for device in devices {
            if !canContinue { try removeDevice(of: device.session) }
            if let mark = device.device, mark != kept?.device { try removeKnownDevice(mark) }
        }
        let firsts = Set(devices.map(\.first))
        for inbox in try inboxes(of: account)
        where inbox.first.map({ firsts.contains($0) }) ?? (id == nil) {
            // Hashes of tokens that no client gets.
            try setTokens(
                of: inbox.id, receiving: SecretToken(.receiving, random: .system).hash,
                acknowledging: SecretToken(.acknowledging, random: .system).hash, first: nil)
        }
        // A session of unknown origin is its own first one.
        try endSyncTokens(
            of: account, for: id == nil ? nil : firsts.union(sessions), except: kept?.first)
        for session in sessions { try end(session) }
        return sessions.count
    }
}
