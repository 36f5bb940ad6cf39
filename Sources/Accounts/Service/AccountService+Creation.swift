internal import Sealing
internal import SecretMemory
public import TextCoding

extension AccountService {
    /// Begins to make an account: looks at the invitation, and counts the attempt of the network, because hashing is expensive.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - password: The password.
    ///   - invitation: The code of an invitation for this name; nil where anybody may make an account.
    ///   - network: Where the attempt comes from, as addresses are counted.
    ///   - now: The time.
    /// - Returns: The work that hashes the password and makes the account. It fails with `invitationRejected` and `alreadyExists`.
    /// - Throws: `invitationRejected`, `alreadyExists`, `tooManyAttempts`, `repository`.
    public func beginCreation(
        _ name: EmailAddress, _ password: consuming AccountPassword, invitation: String?,
        from network: String, at now: PointInTime
    ) throws(AccountServiceError) -> PasswordWork<Account> {
        let code = try self.code(invitation)
        try transaction(at: now) { (writer) throws(AccountRepositoryError) in
            // Who has an invitation is told what is wrong; all others may ask so often and no more.
            if code != nil, let refusal = try refusal(of: name, code, at: now, writer) {
                return Result<Void, AccountServiceError>.failure(refusal)
            }
            let waiting = try limiter.reserve(network: network, at: now, in: writer)
            guard waiting == .zero else { return .failure(.tooManyAttempts(retryAfter: waiting)) }
            return try refusal(of: name, code, at: now, writer).map { .failure($0) } ?? .success(())
        }.get()
        let held = HeldPassword(password)
        return PasswordWork { [self] (now) throws(AccountServiceError) in
            let hash = try Self.deriving { () throws(SealingError) in
                try hashing.hash(held.password, cost: rules.passwordCost)
            }
            let account = Account(
                id: AccountID(random: random), email: name, password: hash, created: now)
            return try transaction(at: now) { (writer) throws(AccountRepositoryError) in
                if let refusal = try refusal(of: name, code, at: now, writer) {
                    return Result<Account, AccountServiceError>.failure(refusal)
                }
                if let code { _ = try writer.removeInvitation(code) }
                try writer.insert(account)
                return .success(account)
            }.get()
        } takeBack: { [self] (now) throws(AccountServiceError) in
            try takeBack(.network(network), at: now)
        }
    }

    /// The hash of an invitation's code; nil where none is needed and none was sent.
    private func code(_ invitation: String?) throws(AccountServiceError) -> TokenHash? {
        guard let invitation else {
            if rules.registrationIsOpen { return nil }
            throw .invitationRejected
        }
        guard let sent = SecretToken(invitation), sent.kind == .invitation
        else { throw .invitationRejected }
        return sent.hash
    }

    /// Why an account is not made; nil if it can be. Whoever has no invitation does not learn whether there is an account.
    private func refusal(
        of name: EmailAddress, _ code: TokenHash?, at now: PointInTime, _ reader: any AccountReader
    ) throws(AccountRepositoryError) -> AccountServiceError? {
        if let code {
            guard let invitation = try reader.invitation(code), now < invitation.expires,
                invitation.email == name
            else { return .invitationRejected }
        }
        return try reader.account(name) == nil ? nil : .alreadyExists
    }
}

/// A password that a function can hold on to.
final class HeldPassword: Sendable {
    let password: AccountPassword

    init(_ password: consuming AccountPassword) {
        self.password = password
    }
}
