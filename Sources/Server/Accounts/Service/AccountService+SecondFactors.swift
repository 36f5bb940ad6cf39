package import Passkeys
package import SecretMemory
public import TextCoding

/// A change of an account's second factors by its owner.
package enum SecondFactorChange: Sendable {
    /// Adds an authenticator app in place of an earlier one: the secret in Base32, and a code of the app.
    case authenticator(secret: SharedSecret, code: String)
    /// Adds a passkey with a label.
    case passkey(PasskeyRegistration, label: String)
    /// Removes a factor; nil for all.
    case removal(SecondFactorID?)
    /// Replaces the recovery codes.
    case recoveryCodes
}

/// A secret that several closures use.
package final class SharedSecret: Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }
}

/// The second factors of the caller's own account.
extension AccountService {
    /// The second factors of the caller's account.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func secondFactors(
        _ accessToken: String, at now: PointInTime
    ) throws -> SecondFactorSummary {
        let caller = try authenticate(accessToken, at: now)
        return try repository.read { try $0.secondFactorSummary(of: caller.account.id) }
    }

    /// A challenge for the caller's passkeys, or for a new one.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    package func challenge(
        _ accessToken: String, registering: Bool, _ page: PageOrigin, at now: PointInTime
    ) throws -> SecondFactorChallenge {
        let caller = try authenticate(accessToken, at: now).account.id
        let passkeys = try repository.read { try $0.secondFactors(of: caller) }
            .compactMap(\.credential)
        return secondFactors.challenge(
            caller, registering: registering, page, passkeys, at: now)
    }

    /// Begins a change of the caller's second factors. The password is verified again, and so is a second factor where the account has one.
    ///
    /// The first factor makes ten recovery codes, and makes all devices but the caller's unknown: the password alone made them known.
    ///
    /// - Returns: The work that verifies the password. It returns new recovery codes, and throws `rejected`, `secondFactorRequired`,
    ///   `secondFactorRejected`, `newFactorRejected`, `tooManyPasskeys`, `factorMissing` and `tokenRejected`.
    /// - Throws: `tokenRejected`, `tooManyAttempts`; an error of the database.
    package func beginSecondFactorChange(
        accessToken: String, password: TypedPassword, _ change: SecondFactorChange,
        proof: SecondFactorProof?, at now: PointInTime
    ) throws -> PasswordWork<[String]> {
        let caller = try authenticate(accessToken, at: now)
        let check = try check(password, of: caller, at: now)
        let token = TokenHash(of: accessToken)
        return PasswordWork(known: caller.account.id.text) { [secondFactors] now in
            try check.verify(at: now) { verified in
                try check.complete(verified, at: now) { account, transaction in
                    guard try Self.access(token, at: now, transaction) != nil
                    else { return .failure(.tokenRejected) }
                    let factors = try transaction.secondFactors(of: account.id)
                    // Before the second factor is accepted, because that one cannot be sent again.
                    let new: SecondFactor?
                    switch try secondFactors.new(change, of: account.id, factors, at: now) {
                    case .success(let factor): new = factor
                    case .failure(let error): return .failure(error)
                    }
                    if let refusal = try secondFactors.refusal(
                        of: proof, account.id, from: nil, page: nil, at: now, in: transaction)
                    {
                        return .failure(refusal)
                    }
                    let codes = try secondFactors.make(
                        change, new, account.id, factors, transaction)
                    if factors.isEmpty {
                        let own = try transaction.device(of: caller.session.id)?.device
                        for device in try transaction.knownDevices(of: account.id)
                        where device.hash != own {
                            try transaction.removeKnownDevice(device.hash)
                        }
                    }
                    return .success(codes)
                }
            }
        } release: { now in
            try check.release(at: now)
        } subject: {
            check.account
        }
    }
}

extension SecondFactors {
    /// The factor that a change adds; nil for another change. Fails for a change that is not possible.
    fileprivate func new(
        _ change: SecondFactorChange, of account: AccountID, _ factors: [SecondFactor],
        at now: PointInTime
    ) throws -> Result<SecondFactor?, AccountError> {
        let made: SecondFactor?
        switch change {
        case .authenticator(let secret, let code):
            made = try authenticator(secret.bytes, code: code, of: account, at: now)
        case .passkey(let registration, let label):
            let passkeys = factors.compactMap(\.credential)
            guard passkeys.count < SecondFactor.maximumPasskeys
            else { return .failure(.tooManyPasskeys) }
            made = try passkey(registration, label: label, of: account, at: now)
            if let made, passkeys.contains(where: { $0 == made.credential }) {
                return .failure(.newFactorRejected)
            }
        case .removal(let id):
            let isThere = id.map { id in factors.contains { $0.id == id } } ?? !factors.isEmpty
            return isThere ? .success(nil) : .failure(.factorMissing)
        case .recoveryCodes:
            return factors.isEmpty ? .failure(.factorMissing) : .success(nil)
        }
        return made.map { .success($0) } ?? .failure(.newFactorRejected)
    }

    /// Makes a change that was checked.
    ///
    /// - Returns: New recovery codes; none if the earlier ones stay.
    fileprivate func make(
        _ change: SecondFactorChange, _ new: SecondFactor?, _ account: AccountID,
        _ factors: [SecondFactor], _ transaction: AccountTransaction
    ) throws -> [String] {
        switch change {
        case .authenticator, .passkey:
            guard let new else { return [] }
            for old in factors where new.isAuthenticator && old.isAuthenticator {
                try transaction.removeSecondFactor(old.id)
            }
            try transaction.insert(new)
            return factors.isEmpty ? try newRecoveryCodes(account, transaction) : []
        case .removal(let id):
            if let id, factors.count > 1 {
                try transaction.removeSecondFactor(id)
            } else {
                try transaction.removeSecondFactors(of: account)
            }
            return []
        case .recoveryCodes: return try newRecoveryCodes(account, transaction)
        }
    }

    private func newRecoveryCodes(
        _ account: AccountID, _ transaction: AccountTransaction
    ) throws -> [String] {
        let codes = recoveryCodes()
        try transaction.put(recoveryCodes: codes.hashes, of: account)
        return codes.texts
    }
}

extension AccountTransaction {
    /// The second factors of an account, with the number of its recovery codes.
    func secondFactorSummary(of account: AccountID) throws -> SecondFactorSummary {
        SecondFactorSummary(
            factors: try secondFactors(of: account),
            recoveryCodes: try countRecoveryCodes(of: account))
    }
}
