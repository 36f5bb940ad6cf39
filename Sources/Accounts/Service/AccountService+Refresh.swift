public import TextCoding

extension AccountService {
    /// Exchanges a refresh token for new tokens.
    ///
    /// A token is good for one exchange. Whoever uses a replaced one may be a thief, or its owner after a thief: the session ends, for both.
    /// But an answer can be lost on its way, so the token that was replaced last is accepted for ``AccountRules/replacedTokenGrace`` more,
    /// while nobody has used its successor, which it then replaces.
    ///
    /// - Throws: `rejected`, `repository`.
    public func refresh(
        _ token: String, client: String, at now: PointInTime
    ) throws(AccountServiceError) -> IssuedTokens {
        guard let sent = SecretToken(token), sent.kind == .refresh else { throw .rejected }
        let hash = sent.hash
        // A refusal is no error here: that the session ended is to be kept.
        let issued: IssuedTokens? = try transaction(at: now) {
            (writer) throws(AccountRepositoryError) in
            guard let token = try writer.refreshToken(hash), now < token.expires,
                let session = try writer.session(token.session), now < session.expires,
                session.client == client,
                let account = try writer.account(session.account), !account.isDisabled
            else { return nil }
            guard let current = try writer.currentRefreshToken(of: session.id),
                token == current || accepts(token, before: current, at: now)
            else {
                try writer.end(session.id)
                return nil
            }
            guard try !isInHurry(session.id, at: now, writer) else {
                try writer.end(session.id)
                return nil
            }
            try writer.setReplaced(current.hash, at: now)
            try writer.setRefreshed(session.id, at: now)
            return try issuer.issue(for: session, replacing: hash, at: now, in: writer)
        }
        guard let issued else { throw .rejected }
        return issued
    }

    /// Makes room for one more replaced token, and says whether this is too soon: a thief could push out the token that its owner has, so that
    /// its reuse would not be noticed.
    private func isInHurry(
        _ session: SessionID, at now: PointInTime, _ writer: any AccountWriter
    ) throws(AccountRepositoryError) -> Bool {
        let last = try writer.removeReplacedTokens(
            of: session, keeping: rules.maximumReplacedTokens - 1)
        guard let replaced = last?.replaced else { return false }
        return replaced <= now && now < replaced.advanced(by: rules.shortestReplacementOfAll)
    }

    /// Whether a replaced token is the direct predecessor of the current one, and was replaced just now, by a clock that may have been set
    /// back a little.
    private func accepts(
        _ token: RefreshToken, before current: RefreshToken, at now: PointInTime
    ) -> Bool {
        guard let replaced = token.replaced, current.predecessor == token.hash else { return false }
        let grace = rules.replacedTokenGrace
        return now <= replaced.advanced(by: grace) && replaced <= now.advanced(by: grace)
    }
}
