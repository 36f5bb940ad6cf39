public import TextCoding

/// What a token that is good stands for (RFC 7662, section 2.2).
public struct TokenDescription: Sendable, Hashable {
    /// What it is good for.
    public enum Kind: Sendable, Hashable {
        /// Calls of an API.
        case access
        /// An exchange for new tokens.
        case refresh
    }

    /// What it is good for.
    public let kind: Kind
    /// The session that it belongs to, with its client.
    public let session: SignInSession
    /// Whose it is.
    public let account: Account
    /// When it was issued.
    public let issued: PointInTime
    /// When it ceases to be good.
    public let expires: PointInTime
}

/// What came of a revocation.
public enum RevocationOutcome: Sendable, Hashable {
    /// The token is no longer good.
    case revoked
    /// There is no such token: as good as revoked (RFC 7009, section 2.2).
    case unknown
    /// The token is another client's.
    case foreign
}

extension AccountService {
    /// What a token stands for; nil for one that is not good, or no longer.
    ///
    /// - Throws: `repository`.
    public func describe(
        _ token: String, at now: PointInTime
    ) throws(AccountServiceError) -> TokenDescription? {
        guard let sent = SecretToken(token) else { return nil }
        return try repository.reading { (reader) throws(AccountRepositoryError) in
            switch sent.kind {
            case .access: try Self.access(sent.hash, at: now, reader)
            case .refresh: try Self.refresh(sent.hash, at: now, reader)
            case .invitation: nil
            }
        }
    }

    /// What an access token stands for.
    ///
    /// - Throws: `tokenRejected` for any other, and one that is no longer good; `repository`.
    public func authenticate(
        _ accessToken: String, at now: PointInTime
    ) throws(AccountServiceError) -> TokenDescription {
        guard let sent = SecretToken(accessToken), sent.kind == .access,
            let description = try describe(accessToken, at: now)
        else { throw .tokenRejected }
        return description
    }

    /// Revokes a token (RFC 7009): a refresh token with its whole session, even if it was replaced or expired; an access token alone.
    ///
    /// - Throws: `repository`.
    public func revoke(
        _ token: String, client: String
    ) throws(AccountServiceError) -> RevocationOutcome {
        guard let sent = SecretToken(token) else { return .unknown }
        let hash = sent.hash
        return try repository.transaction { (writer) throws(AccountRepositoryError) in
            let id: SessionID? =
                switch sent.kind {
                case .access: try writer.accessToken(hash)?.session.id
                case .refresh: try writer.refreshToken(hash)?.session
                case .invitation: nil
                }
            guard let id, let session = try writer.session(id) else { return .unknown }
            guard session.client == client else { return .foreign }
            if sent.kind == .access {
                try writer.removeAccessToken(hash)
            } else {
                try writer.end(id)
            }
            return .revoked
        }
    }

    static func access(
        _ hash: TokenHash, at now: PointInTime, _ reader: any AccountReader
    ) throws(AccountRepositoryError) -> TokenDescription? {
        guard let found = try reader.accessToken(hash), now < found.token.expires,
            now < found.session.expires, !found.account.isDisabled
        else { return nil }
        return TokenDescription(
            kind: .access, session: found.session, account: found.account,
            issued: found.token.issued, expires: found.token.expires)
    }

    private static func refresh(
        _ hash: TokenHash, at now: PointInTime, _ reader: any AccountReader
    ) throws(AccountRepositoryError) -> TokenDescription? {
        guard let token = try reader.refreshToken(hash), token.replaced == nil,
            now < token.expires,
            let session = try reader.session(token.session), now < session.expires,
            let account = try reader.account(session.account), !account.isDisabled
        else { return nil }
        return TokenDescription(
            kind: .refresh, session: session, account: account, issued: token.issued,
            expires: token.expires)
    }
}
