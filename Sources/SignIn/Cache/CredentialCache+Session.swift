public import SecretMemory
public import SecureStorage
public import TextCoding

/// What this machine knows of its session at a server, without the tokens.
public struct MachineSession: Sendable, Hashable {
    /// Whose session it is, or was.
    public var account: AccountName
    /// Whether there is a refresh token.
    public var hasRefreshToken = false
    /// Until when the access token is good; nil where there is none, or nobody knows.
    public var accessExpires: PointInTime?
    /// Whether the person signed out here, and is not to be signed in without being asked.
    public var isSignedOut = false
    /// When the server accepted the account at last.
    public var lastSuccess: PointInTime?
    /// The latest time that was seen since.
    public var latestTime: PointInTime?

    /// How long the person counts as signed in while the server cannot be asked.
    public func offline(limit: Duration, at now: PointInTime) -> OfflineAllowance {
        OfflineAllowance(
            lastSuccess: lastSuccess, latestTime: latestTime, limit: limit, at: now)
    }
}

extension CredentialCache {
    /// Which token.
    public enum TokenKind: Sendable, Hashable {
        /// For requests.
        case access
        /// For new tokens.
        case refresh
    }

    private static let accountKey = "account"
    private static let signedOutKey = "signed-out"
    private static let expiresKey = "access-expires"
    private static let successKey = "last-success"
    private static let latestKey = "latest-time"

    /// What this machine knows of its session; nil if nothing.
    ///
    /// - Throws: What the store throws.
    public func session() throws(SecureStoreError) -> MachineSession? {
        do throws(SecureStoreError) {
            return try store.read(sessionName) { (item, value) throws(SecureStoreError) in
                Self.session(item, value)
            }
        } catch .notFound {
            return nil
        }
    }

    /// Reads a token.
    ///
    /// - Returns: nil if there is none.
    public func token(_ kind: TokenKind) throws(SecureStoreError) -> SecretBytes? {
        do throws(SecureStoreError) {
            return try store.read(sessionName) {
                (_, value) throws(SecureStoreError) -> SecretBytes? in
                let line = SessionTokens.range(of: kind, in: value)
                guard !line.isEmpty else { return nil }
                do throws(SecretMemoryError) {
                    var token = try value.copy()
                    token.keep(from: line.lowerBound, count: line.count)
                    return token
                } catch {
                    throw SecureStoreError(error)
                }
            }
        } catch .notFound {
            return nil
        }
    }

    /// Stores what the server granted, as a success at `now`.
    public func store(
        _ tokens: borrowing GrantedTokens, of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) {
        let value: SecretBytes
        do {
            value = try SessionTokens.encode(tokens)
        } catch {
            throw SecureStoreError(error)
        }
        var session = MachineSession(account: account)
        session.accessExpires = tokens.lifetime.map { now.advanced(by: .seconds(Int64($0))) }
        session.lastSuccess = now
        session.latestTime = now
        try put(value, as: sessionName, Self.extra(session))
    }

    /// Notes that the server accepted the account, without storing a token.
    public func noteSuccess(
        of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) {
        var session = try session() ?? MachineSession(account: account)
        guard session.account == account else {
            return try put(
                try Self.empty(), as: sessionName,
                Self.extra(MachineSession(account: account, lastSuccess: now, latestTime: now)))
        }
        session.isSignedOut = false
        session.lastSuccess = now
        session.latestTime = now
        try note(session)
    }

    /// Notes that it is at least this late.
    public func noteTime(_ now: PointInTime) throws(SecureStoreError) {
        guard var session = try session(),
            now > session.latestTime ?? now.advanced(by: .seconds(-1))
        else { return }
        session.latestTime = now
        try note(session)
    }

    /// Forgets the tokens and keeps the times.
    public func dropTokens() throws(SecureStoreError) {
        guard var session = try session() else { return }
        session.accessExpires = nil
        try put(try Self.empty(), as: sessionName, Self.extra(session))
    }

    /// Forgets the tokens and the times, and that somebody is signed in.
    public func signOut(of account: AccountName) throws(SecureStoreError) {
        let session = MachineSession(account: account, isSignedOut: true)
        try put(try Self.empty(), as: sessionName, Self.extra(session))
    }

    private func note(_ session: MachineSession) throws(SecureStoreError) {
        do throws(SecureStoreError) {
            try store.edit(
                sessionName, SecretEdit(extra: Self.extra(session)), expecting: nil)
        } catch .notFound {
            try put(try Self.empty(), as: sessionName, Self.extra(session))
        }
    }

    private static func empty() throws(SecureStoreError) -> SecretBytes {
        do {
            return try SecretBytes(count: 0)
        } catch {
            throw SecureStoreError(error)
        }
    }

    private static func session(
        _ item: SecretItem, _ value: borrowing SecretBytes
    ) -> MachineSession? {
        guard let account = item.attributes[accountKey].flatMap({ AccountName($0) }) else {
            return nil
        }
        return MachineSession(
            account: account,
            hasRefreshToken: !SessionTokens.range(of: .refresh, in: value).isEmpty,
            accessExpires: item.attributes.time(expiresKey),
            isSignedOut: item.attributes[signedOutKey] != nil,
            lastSuccess: item.attributes.time(successKey),
            latestTime: item.attributes.time(latestKey))
    }

    private static func extra(_ session: MachineSession) -> [ExtraAttribute] {
        let times = [
            (expiresKey, session.accessExpires), (successKey, session.lastSuccess),
            (latestKey, session.latestTime),
        ]
        return [ExtraAttribute(key: accountKey, text: session.account.text)]
            + (session.isSignedOut ? [ExtraAttribute(key: signedOutKey, text: "yes")] : [])
            + times.compactMap { key, time in time.map { .time(key, $0) } }
    }
}
