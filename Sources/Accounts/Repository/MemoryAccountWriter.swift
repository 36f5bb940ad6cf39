internal import Sealing
internal import TextCoding

/// Changes accounts in memory, until the call that lends it ends: accounts, invitations, attempts and places.
final class MemoryAccountWriter: AccountWriter {
    /// Nil once the call that lent the writer ended: whoever kept it has nothing from it.
    private var lent: MemoryAccounts?

    init(_ accounts: consuming MemoryAccounts) {
        lent = accounts
    }

    /// Ends the loan.
    func end(committing: Bool) -> MemoryAccounts {
        guard var accounts = lent.take() else { preconditionFailure("ended twice") }
        if committing { accounts.commit() } else { accounts.rollBack() }
        return accounts
    }

    func read<Value>(
        _ body: (MemoryAccounts) throws(AccountRepositoryError) -> Value
    ) throws(AccountRepositoryError) -> Value {
        guard let lent else { throw .closed }
        return try body(lent)
    }

    func write<Value>(
        _ body: (inout MemoryAccounts) throws(AccountRepositoryError) -> Value
    ) throws(AccountRepositoryError) -> Value {
        // Taken out, so that there is one owner and no table is copied.
        guard var accounts = lent.take() else { throw .closed }
        defer { lent = accounts }
        return try body(&accounts)
    }

    func insert(_ account: Account) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard stored.accounts[account.id] == nil, stored.names[account.email] == nil
            else { throw .alreadyExists }
            stored.accounts[account.id] = account
            stored.names[account.email] = account.id
            stored.passwordCosts[account.password.cost, default: 0] += 1
        }
    }

    func update(_ account: Account) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard var changed = stored.accounts[account.id] else { throw .missing }
            stored.passwordCosts[changed.password.cost, default: 0] -= 1
            stored.passwordCosts[account.password.cost, default: 0] += 1
            changed.password = account.password
            changed.passwordChanged = account.passwordChanged
            changed.isDisabled = account.isDisabled
            stored.accounts[account.id] = changed
        }
    }

    func remove(_ account: AccountID) throws(AccountRepositoryError) {
        _ = try endSessions(of: account)
        try write { (stored) throws(AccountRepositoryError) in
            guard let removed = stored.accounts[account] else { throw .missing }
            stored.accounts[account] = nil
            stored.names[removed.email] = nil
            stored.passwordCosts[removed.password.cost, default: 0] -= 1
            stored.places[account] = nil
            stored.removeInvitations(for: removed.email)
        }
    }

    func passwordCosts() throws(AccountRepositoryError) -> [PasswordCostCount] {
        try read { stored in
            stored.passwordCosts.values.map { PasswordCostCount(cost: $0.key, accounts: $0.value) }
        }
    }

    func decoyKey(orNew key: DecoyKey) throws(AccountRepositoryError) -> DecoyKey {
        try write { stored in
            let key = stored.decoyKeys[true] ?? key
            stored.decoyKeys[true] = key
            return key
        }
    }

    func put(_ invitation: Invitation) throws(AccountRepositoryError) {
        try write { stored in
            stored.removeInvitations(for: invitation.email)
            stored.invitations[invitation.code] = invitation
        }
    }

    func removeInvitation(_ code: TokenHash) throws(AccountRepositoryError) -> Bool {
        try write { stored in
            defer { stored.invitations[code] = nil }
            return stored.invitations[code] != nil
        }
    }

    func put(_ attempts: AttemptRecord) throws(AccountRepositoryError) {
        try write { $0.attempts[attempts.key] = attempts }
    }

    func removeAttempts(_ key: AttemptKey) throws(AccountRepositoryError) {
        try write { $0.attempts[key] = nil }
    }

    func removeOldestAttempts(_ count: Int) throws(AccountRepositoryError) {
        try write { stored in
            let oldest = stored.attempts.values.values.sorted { $0.last < $1.last }
            for record in oldest.prefix(max(count, 0)) { stored.attempts[record.key] = nil }
        }
    }

    func put(_ place: KnownPlace, keeping limit: Int) throws(AccountRepositoryError) {
        try write { stored in
            var places = stored.knownPlaces(of: place.account).filter { $0.key != place.key }
            places.append(place)
            places.sort { $0.last > $1.last }
            stored.places[place.account] = Array(places.prefix(max(limit, 0)))
        }
    }

    func purge(
        expiredBefore time: PointInTime, attemptsBefore attempts: PointInTime,
        placesBefore places: PointInTime
    ) throws(AccountRepositoryError) -> Int {
        try write { stored in
            stored.purgeSessions(expiredBefore: time)
                + stored.purgeInvitations(expiredBefore: time)
                + stored.purgeAttempts(before: attempts) + stored.purgePlaces(before: places)
        }
    }
}
