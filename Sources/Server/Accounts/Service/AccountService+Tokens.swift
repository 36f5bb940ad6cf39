public import TextCoding

/// The meaning of a valid token (RFC 7662, section 2.2).
public struct TokenDescription: Sendable, Hashable {
    /// The kind of a token.
    public enum Kind: Sendable, Hashable {
        /// It authenticates calls of an API.
        case access
        /// It is exchanged for new tokens.
        case refresh
    }

    /// The kind.
    public let kind: Kind
    /// The session of the token, with its client.
    public let session: SignInSession
    /// The account that it authenticates.
    public let account: AccountProfile
    /// Its scopes, and the service that it is for.
    public let grant: TokenGrant
    /// The time of issue.
    public let issued: PointInTime
    /// The time of expiry.
    public let expires: PointInTime
}

/// The result of a revocation.
public enum RevocationOutcome: Sendable, Hashable {
    /// The token of this account is revoked.
    case revoked(AccountID)
    /// The token is unknown, which counts as revoked (RFC 7009, section 2.2).
    case unknown
    /// The token belongs to another client.
    case foreign
}

/// The result of a refresh.
public enum RefreshOutcome: Sendable {
    /// New tokens.
    case issued(IssuedTokens)
    /// The token is not valid.
    case refused
    /// The account of the token is disabled.
    case disabled
    /// The token is valid, and its session is for another service.
    case wrongResource
    /// The token was used before, or tokens were replaced so often that this may be hidden: the session of this account ended.
    case reused(AccountID)
}

extension AccountService {
    /// Describes a token to a client; nil if it is not valid, and for a refresh token of another client: that is a credential for the token
    /// endpoint alone.
    ///
    /// - Throws: An error of the database.
    public func describe(
        _ token: String, to client: String, at now: PointInTime
    ) throws -> TokenDescription? {
        guard let sent = SecretToken(token) else { return nil }
        switch sent.kind {
        case .access: return try repository.read { try Self.access(sent.hash, at: now, $0) }
        case .refresh:
            let found = try repository.read { try Self.refresh(sent.hash, at: now, $0) }
            return found?.session.client == client ? found : nil
        case .invitation, .reset, .device, .endpoint, .receiving, .acknowledging, .syncing:
            return nil
        }
    }

    /// Describes an access token for requests about its account.
    ///
    /// - Throws: `tokenRejected` for any other token, and for one that is not valid; `scopeInsufficient` for one that a service may be shown; an
    ///   error of the database.
    public func authenticate(_ accessToken: String, at now: PointInTime) throws -> TokenDescription
    {
        guard let sent = SecretToken(accessToken), sent.kind == .access,
            let description = try repository.read({ try Self.access(sent.hash, at: now, $0) })
        else { throw AccountError.tokenRejected }
        guard description.grant.scope.allowsAccount else { throw AccountError.scopeInsufficient }
        return description
    }

    /// Revokes a token (RFC 7009): a refresh token with its session, even if it was replaced or is expired; an access token alone.
    ///
    /// - Throws: An error of the database.
    public func revoke(_ token: String, client: String) throws -> RevocationOutcome {
        guard let sent = SecretToken(token) else { return .unknown }
        let hash = sent.hash
        func find(_ transaction: AccountTransaction) throws -> SessionID? {
            switch sent.kind {
            case .access: try transaction.accessToken(hash)?.session.id
            case .refresh: try transaction.refreshToken(hash)?.session
            case .invitation, .reset, .device, .endpoint, .receiving, .acknowledging, .syncing:
                nil
            }
        }
        // First look the token up without a write transaction: anyone can send made-up tokens, and those must not hold up writers.
        guard try repository.read(find) != nil else { return .unknown }
        return try repository.change { transaction in
            guard let id = try find(transaction), let session = try transaction.session(id)
            else { return .unknown }
            guard session.client == client else { return .foreign }
            if sent.kind == .access {
                try transaction.removeAccessToken(hash)
            } else {
                try transaction.end(id)
            }
            return .revoked(session.account)
        }
    }

    static func access(
        _ hash: TokenHash, at now: PointInTime, _ transaction: AccountTransaction
    ) throws -> TokenDescription? {
        guard let found = try transaction.accessToken(hash), now < found.token.expires,
            now < found.session.expires, !found.account.isDisabled
        else { return nil }
        return TokenDescription(
            kind: .access, session: found.session, account: found.account,
            grant: found.token.grant, issued: found.token.issued, expires: found.token.expires)
    }

    private static func refresh(
        _ hash: TokenHash, at now: PointInTime, _ transaction: AccountTransaction
    ) throws -> TokenDescription? {
        guard let token = try transaction.refreshToken(hash), token.replaced == nil,
            now < token.expires,
            let session = try transaction.session(token.session), now < session.expires,
            let account = try transaction.account(session.account), !account.isDisabled
        else { return nil }
        return TokenDescription(
            kind: .refresh, session: session, account: account.profile, grant: session.grant,
            issued: token.issued, expires: token.expires)
    }
}

/// An exchange of a refresh token that a client asks for.
public struct RefreshRequest: Sendable {
    /// The hash of the token.
    public let token: TokenHash
    let successor: SecretToken
    let client: String
    let grant: GrantRequest
    let network: String
}

/// Refresh token rotation (RFC 9700, section 4.14.2).
extension AccountService {
    /// Begins an exchange: a query decides about a stranger's token, which must not block writers.
    ///
    /// - Parameters:
    ///   - token: The token as it was sent.
    ///   - client: The client that sent it.
    ///   - grant: What the new access token is for.
    ///   - networks: The networks of the client, the narrowest first.
    /// - Returns: The exchange for ``refresh(_:at:)``; nil if the token is unknown.
    /// - Throws: An error of the database.
    public func beginRefresh(
        _ token: String, client: String, for grant: GrantRequest = .all,
        from networks: [String] = []
    ) throws -> RefreshRequest? {
        guard let sent = SecretToken(token), sent.kind == .refresh else { return nil }
        let hash = sent.hash
        guard try repository.read({ try $0.refreshToken(hash) }) != nil else { return nil }
        return RefreshRequest(
            token: hash,
            successor: SecretToken(
                .refresh, bytes: limiter.pseudonyms.successor(ofRefreshToken: sent.text)),
            client: client, grant: grant, network: AccountTransaction.shown(networks))
    }

    /// Exchanges refresh tokens for new tokens, in one transaction.
    ///
    /// A token is valid for one exchange. The reuse of a replaced token means theft, so the session ends. But an answer can be lost, and several
    /// threads of a client can ask at once: while its successor is unused, the last replaced token gets the same successor again, for
    /// ``AccountRules/replacedTokenGrace``. The successor is derived from the token, so none is stored.
    ///
    /// - Returns: The outcome of each exchange.
    /// - Throws: An error of the database.
    public func refresh(_ requests: [RefreshRequest], at now: PointInTime) throws
        -> [RefreshOutcome]
    {
        // A refusal is no error, so that the end of the session is committed.
        try transaction(at: now) { transaction in
            try requests.map { try refresh($0, at: now, transaction) }
        }
    }

    /// Exchanges one refresh token.
    ///
    /// - Throws: An error of the database.
    public func refresh(
        _ token: String, client: String, for grant: GrantRequest = .all, at now: PointInTime
    ) throws -> RefreshOutcome {
        guard let request = try beginRefresh(token, client: client, for: grant)
        else { return .refused }
        return try refresh([request], at: now).first ?? .refused
    }

    private func refresh(
        _ request: RefreshRequest, at now: PointInTime, _ transaction: AccountTransaction
    ) throws -> RefreshOutcome {
        guard let token = try transaction.refreshToken(request.token), now < token.expires,
            let session = try transaction.session(token.session), now < session.expires,
            session.client == request.client,
            let account = try transaction.account(session.account)
        else { return .refused }
        guard !account.isDisabled else { return .disabled }
        let device = try transaction.device(of: session.id)
        guard let current = try transaction.currentRefreshToken(of: session.id),
            token == current || accepts(token, before: current, at: now),
            try token != current || !areReplacedTooFast(session.id, at: now, transaction)
        else {
            try transaction.end(session.id)
            try transaction.note(
                AuditEvent(
                    id: AccountID(random: random), time: now, action: .tokenReused,
                    subject: account.id, actor: AuditEvent.stranger, network: request.network,
                    device: device?.name ?? ""), logged: true)
            return .reused(account.id)
        }
        guard let grant = request.grant.grant(within: session.grant) else { return .wrongResource }
        if token == current {
            try transaction.setReplaced(current.hash, at: now)
            try issuer.insert(
                request.successor, of: session, replacing: current.hash, at: now, in: transaction)
        } else if request.successor.hash != current.hash {
            // The server's key was replaced meanwhile.
            return .refused
        }
        try transaction.setRefreshed(session.id, at: now)
        let limit = rules.guessing.maximumKnownDevices
        if let mark = device?.device, limit > 0 {
            try transaction.confirm(mark, at: now, keeping: limit)
        }
        return .issued(
            try issuer.issue(for: session, grant, request.successor, at: now, in: transaction))
    }

    /// Makes room for one more replaced token.
    ///
    /// - Returns: Whether all stored tokens were replaced too fast. A thief could otherwise push the owner's token out of the table, and its reuse
    ///   would not be detected.
    private func areReplacedTooFast(
        _ session: SessionID, at now: PointInTime, _ transaction: AccountTransaction
    ) throws -> Bool {
        let last = try transaction.removeReplacedTokens(
            of: session, keeping: rules.maximumReplacedTokens - 1)
        guard let replaced = last?.replaced else { return false }
        return replaced <= now && now < replaced.advanced(by: rules.shortestReplacementOfAll)
    }

    /// Whether a replaced token is the direct predecessor of the current one and was replaced recently. The clock may have been set back a
    /// little.
    private func accepts(
        _ token: RefreshToken, before current: RefreshToken, at now: PointInTime
    ) -> Bool {
        guard let replaced = token.replaced, current.predecessor == token.hash else { return false }
        let grace = rules.replacedTokenGrace
        return now <= replaced.advanced(by: grace) && replaced <= now.advanced(by: grace)
    }
}
