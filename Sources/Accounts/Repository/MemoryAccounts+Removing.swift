internal import TextCoding

/// Removing rows with what belongs to them.
extension MemoryAccounts {
    mutating func end(_ session: SessionID) {
        guard let ended = sessions[session] else { return }
        let tokens = tokensOfSessions[session] ?? Tokens()
        for hash in tokens.access { accessTokens[hash] = nil }
        for hash in tokens.refresh { refreshTokens[hash] = nil }
        tokensOfSessions[session] = nil
        sessions[session] = nil
        sessionsOfAccounts[ended.account]?.remove(session)
        if sessionsOfAccounts[ended.account]?.isEmpty == true {
            sessionsOfAccounts[ended.account] = nil
        }
    }

    mutating func removeAccessToken(_ hash: TokenHash) {
        guard let token = accessTokens[hash] else { return }
        accessTokens[hash] = nil
        tokensOfSessions[token.session]?.access.remove(hash)
    }

    mutating func removeRefreshToken(_ hash: TokenHash) {
        guard let token = refreshTokens[hash] else { return }
        refreshTokens[hash] = nil
        tokensOfSessions[token.session]?.refresh.remove(hash)
    }

    mutating func removeInvitations(for email: EmailAddress) {
        for invitation in invitations.values.values where invitation.email == email {
            invitations[invitation.code] = nil
        }
    }

    /// - Returns: How many tokens and sessions expired; tokens that go with their session do not count.
    mutating func purgeSessions(expiredBefore time: PointInTime) -> Int {
        let access = accessTokens.values.values.filter { $0.expires < time }
        for token in access { removeAccessToken(token.hash) }
        let refresh = refreshTokens.values.values.filter { $0.expires < time }
        for token in refresh { removeRefreshToken(token.hash) }
        let ended = sessions.values.values.filter { $0.expires < time }
        for session in ended { end(session.id) }
        return access.count + refresh.count + ended.count
    }

    mutating func purgeInvitations(expiredBefore time: PointInTime) -> Int {
        let void = invitations.values.values.filter { $0.expires < time }
        for invitation in void { invitations[invitation.code] = nil }
        return void.count
    }

    mutating func purgeAttempts(before time: PointInTime) -> Int {
        let old = attempts.values.values.filter { $0.last < time }
        for record in old { attempts[record.key] = nil }
        return old.count
    }

    mutating func purgePlaces(before time: PointInTime) -> Int {
        var count = 0
        for (account, known) in places.values {
            let kept = known.filter { $0.last >= time }
            guard kept.count < known.count else { continue }
            count += known.count - kept.count
            places[account] = kept.isEmpty ? nil : kept
        }
        return count
    }
}
