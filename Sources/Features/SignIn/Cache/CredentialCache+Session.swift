public import SecretMemory
internal import SecureStorage
public import TextCoding

/// The session of this machine: one item with the tokens as its value and the rest as attributes.
extension CredentialCache {
    /// The kind of a token.
    public enum TokenKind: Sendable, Hashable {
        /// Authorizes requests.
        case access
        /// Obtains new tokens.
        case refresh
    }

    private static let accountKey = "account"
    private static let signedOutKey = "signed-out"
    private static let expiresKey = "access-expires"
    private static let serverKey = "server-session"
    private static let successKey = "last-success"
    private static let latestKey = "latest-time"
    private static let clockKey = "clock-difference"

    /// The session of this machine; nil if there is none.
    public func session() throws -> MachineSession? {
        guard let item = try store.item(sessionName),
            let account = item.attributes[Self.accountKey].flatMap({ AccountName($0) })
        else { return nil }
        return MachineSession(
            account: account,
            hasRefreshToken: !SessionTokens.range(of: .refresh, in: item.value).isEmpty,
            accessExpires: item.attributes.time(Self.expiresKey),
            isSignedOut: item.attributes[Self.signedOutKey] != nil,
            serverSession: item.attributes[Self.serverKey],
            lastSuccess: item.attributes.time(Self.successKey),
            latestTime: item.attributes.time(Self.latestKey),
            clockDifference: item.attributes[Self.clockKey].flatMap { Int64($0) })
    }

    /// Reads a token; nil if there is none.
    public func token(_ kind: TokenKind) throws -> SecretBytes? {
        guard var item = try store.item(sessionName) else { return nil }
        let line = SessionTokens.range(of: kind, in: item.value)
        guard !line.isEmpty else { return nil }
        item.value.keep(from: line.lowerBound, count: line.count)
        return item.value
    }

    /// Stores granted tokens, and records `now` as the last success.
    public func store(
        _ tokens: borrowing GrantedTokens, of account: AccountName, at now: PointInTime
    ) throws {
        try put(
            MachineSession(
                account: account,
                accessExpires: tokens.lifetime.map { now.advanced(by: .seconds(Int64($0))) },
                serverSession: tokens.session, lastSuccess: now, latestTime: now,
                clockDifference: tokens.serverTime.map { now.seconds - $0 }),
            SessionTokens.encode(tokens))
    }

    /// Records `now` as the last success, without a token.
    public func recordSuccess(of account: AccountName, at now: PointInTime) throws {
        guard var session = try session(), session.account == account else {
            return try put(MachineSession(account: account, lastSuccess: now, latestTime: now))
        }
        session.isSignedOut = false
        session.lastSuccess = now
        session.latestTime = now
        try edit(session)
    }

    /// Records `now` as the latest time, unless a later one is recorded.
    public func recordTime(_ now: PointInTime) throws {
        guard var session = try session() else { return }
        if let latest = session.latestTime, now <= latest { return }
        session.latestTime = now
        try edit(session)
    }

    /// Removes the tokens and keeps the times.
    public func removeTokens() throws {
        guard var session = try session() else { return }
        session.accessExpires = nil
        try put(session)
    }

    /// Removes the tokens and the times, and records that the user signed out.
    public func signOut(of account: AccountName) throws {
        // The password may stay, but it cannot continue a session that the server ended.
        let known = try session()
        try put(
            MachineSession(
                account: account, isSignedOut: true,
                serverSession: known?.account == account ? known?.serverSession : nil))
    }

    private func put(_ session: MachineSession) throws {
        try put(session, try SecretBytes(count: 0))
    }

    private func put(_ session: MachineSession, _ tokens: borrowing SecretBytes) throws {
        try store.put(tokens, as: sessionName, Self.extra(session))
    }

    /// Changes the attributes and keeps the tokens.
    private func edit(_ session: MachineSession) throws {
        do {
            try store.edit(sessionName, SecretEdit(extra: Self.extra(session)), expecting: nil)
        } catch SecureStoreError.notFound {
            try put(session)
        }
    }

    private static func extra(_ session: MachineSession) -> [ExtraAttribute] {
        let times = [
            (expiresKey, session.accessExpires), (successKey, session.lastSuccess),
            (latestKey, session.latestTime),
        ]
        let texts = [
            (serverKey, session.serverSession), (signedOutKey, session.isSignedOut ? "yes" : nil),
            (clockKey, session.clockDifference.map { "\($0)" }),
        ]
        return [ExtraAttribute(key: accountKey, text: session.account.text)]
            + times.compactMap { key, time in time.map { .time(key, $0) } }
            + texts.compactMap { key, text in text.map { ExtraAttribute(key: key, text: $0) } }
    }
}
