internal import Accounts
internal import Sealing
internal import TextCoding
internal import VaultStorage

/// Changes of accounts, invitations, attempts and places. To be called inside a transaction for writing.
extension AccountDatabase {
    func insert(_ account: Account) throws(DatabaseError) {
        let inserted = try change(
            .insertAccount,
            [
                .text(account.id.text), .text(account.email.text), .text(account.password.text),
                .integer(account.created.milliseconds),
                .integer(account.passwordChanged.milliseconds),
                .integer(account.isDisabled ? 1 : 0),
            ])
        guard inserted == 1 else { throw .alreadyExists }
        try count(1, account.password.cost)
    }

    func update(_ account: Account) throws(DatabaseError) {
        guard let before = try self.account(account.id) else { throw .missing }
        try change(
            .updateAccount,
            [
                .text(account.id.text), .text(account.password.text),
                .integer(account.passwordChanged.milliseconds),
                .integer(account.isDisabled ? 1 : 0),
            ])
        guard before.password.cost != account.password.cost else { return }
        try count(-1, before.password.cost)
        try count(1, account.password.cost)
    }

    func remove(_ id: AccountID) throws(DatabaseError) {
        guard let account = try account(id) else { throw .missing }
        try endSessions(of: id)
        try change(.removeKnownPlaces, [.text(id.text)])
        try change(.removeInvitationsOfEmail, [.text(account.email.text)])
        try change(.removeAccount, [.text(id.text)])
        try count(-1, account.password.cost)
    }

    /// Keeps the counts of the costs of passwords.
    private func count(_ difference: Int64, _ cost: KeyDerivationCost) throws(DatabaseError) {
        try change(
            .countPasswordCost,
            [
                .integer(Int64(cost.passes)), .integer(Int64(cost.memoryKiB)),
                .integer(difference),
            ])
    }

    func decoyKey(orNew key: DecoyKey) throws(DatabaseError) -> DecoyKey {
        if let stored: DecoyKey = try row(.decoyKey, []) { return stored }
        try change(.insertDecoyKey, [.bytes(key.bytes)])
        return key
    }

    func put(_ invitation: Invitation) throws(DatabaseError) {
        try change(.removeInvitationsOfEmail, [.text(invitation.email.text)])
        try change(.removeInvitation, [.bytes(invitation.code.bytes)])
        try change(
            .insertInvitation,
            [
                .bytes(invitation.code.bytes), .text(invitation.email.text),
                .integer(invitation.created.milliseconds),
                .integer(invitation.expires.milliseconds),
            ])
    }

    func removeInvitation(_ code: TokenHash) throws(DatabaseError) -> Bool {
        try change(.removeInvitation, [.bytes(code.bytes)]) == 1
    }

    func put(_ attempts: AttemptRecord) throws(DatabaseError) {
        try change(
            .putAttempts,
            [
                .bytes(attempts.key.bytes), .integer(attempts.failures),
                .integer(attempts.next.milliseconds), .integer(attempts.last.milliseconds),
            ])
    }

    func removeAttempts(_ key: AttemptKey) throws(DatabaseError) {
        try change(.removeAttempts, [.bytes(key.bytes)])
    }

    func removeOldestAttempts(_ count: Int) throws(DatabaseError) {
        try change(.removeOldestAttempts, [.integer(Int64(max(count, 0)))])
    }

    func put(_ place: KnownPlace, keeping limit: Int) throws(DatabaseError) {
        try change(
            .putKnownPlace,
            [
                .text(place.account.text), .bytes(place.key.bytes),
                .integer(place.last.milliseconds),
            ])
        try change(
            .keepKnownPlaces, [.text(place.account.text), .integer(Int64(max(limit, 0)))])
    }

    func purge(
        expiredBefore time: PointInTime, attemptsBefore attempts: PointInTime,
        placesBefore places: PointInTime
    ) throws(DatabaseError) -> Int {
        let expired = [StoredParameter.integer(time.milliseconds)]
        let tokens =
            try change(.purgeAccessTokens, expired) + change(.purgeRefreshTokens, expired)
        // Tokens that go with their session have not expired themselves, and do not count.
        try change(.purgeAccessTokensOfSessions, expired)
        try change(.purgeRefreshTokensOfSessions, expired)
        return try tokens + change(.purgeSessions, expired) + change(.purgeInvitations, expired)
            + change(.purgeAttempts, [.integer(attempts.milliseconds)])
            + change(.purgeKnownPlaces, [.integer(places.milliseconds)])
    }
}
