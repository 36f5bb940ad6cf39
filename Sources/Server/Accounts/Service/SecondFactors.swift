package import Passkeys
internal import Sealing
internal import SecretMemory
internal import Secrets
internal import TextCoding

/// A second factor as a client shows it.
package enum SecondFactorProof: Sendable {
    /// A code of the authenticator app.
    case code(String)
    /// A recovery code.
    case recoveryCode(String)
    /// The answer of a passkey to a ``SecondFactorChallenge``.
    case passkey(PasskeyAssertion)
}

/// A failure of the server itself, not a refusal.
public enum SecondFactorFailure: Error, Sendable, Hashable {
    /// The secret of an authenticator app is sealed under another key than the one in the file `pseudonym-key`.
    case otherKey
}

/// Verifies second factors. Each step of an app, challenge and recovery code is accepted once, by all servers of a database together.
struct SecondFactors: Sendable {
    /// The parameters that every authenticator app has: six digits of HMAC-SHA-1, every 30 seconds.
    private static let (digits, period) = (6, Int64(30))
    /// The smallest size of a secret, in bytes (RFC 4226, section 4, R6), and the largest of its text.
    private static let (smallestKey, largestText) = (16, 256)

    let limiter: WrongPasswordLimiter
    let random: RandomSource

    private var pseudonyms: PseudonymKey { limiter.pseudonyms }

    /// Why an account is refused that has shown its password; nil if it has no second factor, or the shown one is right.
    ///
    /// - Parameters:
    ///   - proof: The second factor; nil if none was sent.
    ///   - account: The account.
    ///   - networks: The networks of the client, the narrowest first; nil for a client with a session.
    ///   - page: The page on which a passkey could answer.
    ///   - now: The time.
    ///   - transaction: The transaction, which is committed also after a refusal: it counts the attempt.
    /// - Returns: `secondFactorRequired`, `secondFactorRejected` or `tooManyAttempts`.
    /// - Throws: ``SecondFactorFailure``; `PasskeyError.libraryMissing`; `LibCryptoError`; an error of the database.
    func refusal(
        of proof: SecondFactorProof?, _ account: AccountID, from networks: [String]?,
        page: PageOrigin?, at now: PointInTime, in transaction: AccountTransaction
    ) throws -> AccountError? {
        let factors = try transaction.secondFactors(of: account)
        guard !factors.isEmpty else { return nil }
        guard let proof else {
            let passkeys = factors.compactMap(\.credential)
            return .secondFactorRequired(
                SecondFactorDemand(
                    acceptsCode: factors.contains(where: \.isAuthenticator),
                    acceptsRecoveryCode: try transaction.countRecoveryCodes(of: account) > 0,
                    acceptsPasskey: !passkeys.isEmpty,
                    challenge: passkeys.isEmpty
                        ? nil
                        : page.map { page in
                            challenge(account, registering: false, page, passkeys, at: now)
                        }))
        }
        let counter = WrongPasswordLimiter.Counter(
            key: pseudonyms.key(ofFactorsOf: account, hasSession: networks == nil),
            origin: networks.map { pseudonyms.origin($0.last ?? "") } ?? 0, networks: [],
            device: nil)
        switch try limiter.reserve(counter, at: now, in: transaction) {
        case .blocked(let waiting): return .tooManyAttempts(retryAfter: waiting)
        case .reserved(let reservation):
            guard try accepts(proof, account, factors, at: now, in: transaction) else {
                if networks != nil, reservation?.count == limiter.limits.freeFailures {
                    try transaction.note(
                        AuditEvent(
                            id: AccountID(random: random), time: now, action: .factorGuessed,
                            subject: account, actor: AuditEvent.stranger,
                            network: AccountTransaction.shown(networks ?? [])), logged: true)
                }
                return .secondFactorRejected
            }
            if let reservation { try limiter.succeed(reservation, in: transaction) }
            return nil
        }
    }

    /// A challenge for the passkeys of an account, or for a new one.
    func challenge(
        _ account: AccountID, registering: Bool, _ page: PageOrigin, _ passkeys: [[UInt8]],
        at now: PointInTime
    ) -> SecondFactorChallenge {
        SecondFactorChallenge(
            bytes: signed(account, registering: registering).make(
                for: page.text, at: now, random: random),
            credentials: passkeys)
    }

    private func signed(_ account: AccountID, registering: Bool) -> SignedChallenge {
        SignedChallenge(
            pseudonyms: pseudonyms, account: account,
            type: registering ? "webauthn.create" : "webauthn.get")
    }

    /// Whether a second factor is right and was not accepted before. Notes that it is accepted now.
    private func accepts(
        _ proof: SecondFactorProof, _ account: AccountID, _ factors: [SecondFactor],
        at now: PointInTime, in transaction: AccountTransaction
    ) throws -> Bool {
        switch proof {
        case .recoveryCode(let typed):
            guard let hash = SecondFactorRecoveryCode.hash(ofTyped: typed) else { return false }
            return try transaction.takeRecoveryCode(hash, of: account)
        case .code(let typed):
            guard var factor = factors.first(where: \.isAuthenticator) else { return false }
            let password = try OneTimePassword(seed: try opened(factor))
            for step in try steps(of: typed, password, at: now)
            where factor.spend(Self.bytes(of: step), at: now) {
                try transaction.update(factor)
                return true
            }
            return false
        case .passkey(let assertion):
            guard
                var factor = factors.first(where: {
                    $0.credential == .some(assertion.credentialID)
                })
            else { return false }
            do {
                guard
                    let value = try signed(account, registering: false).answered(
                        in: assertion.clientData, at: now)
                else { return false }
                try assertion.check(by: factor.key)
                guard factor.spend(value, at: now) else { return false }
            } catch let error as PasskeyError where error != .libraryMissing {
                return false
            }
            try transaction.update(factor)
            return true
        }
    }

    /// The steps near now whose code is the typed one: the current step, and its neighbours because clocks differ (RFC 6238, section 5.2).
    private func steps(
        of typed: String, _ password: borrowing OneTimePassword, at now: PointInTime
    ) throws -> [Int64] {
        let digits = typed.utf8.filter { $0 != UInt8(ascii: " ") }
        guard digits.count == Self.digits else { return [] }
        let current = max(0, now.seconds) / Self.period
        var steps: [Int64] = []
        for step in [current, current - 1, current + 1] where step >= 0 {
            let code = try password.code(at: step * Self.period)
            let isRight = code.withBytes { code in
                ConstantTime.areEqual((0..<code.byteCount).map { code[$0] }, digits)
            }
            if isRight { steps.append(step) }
        }
        return steps
    }

    private static func bytes(of step: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
    }
}

/// New factors.
extension SecondFactors {
    /// An authenticator app with a secret that the client made, after its first code.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32.
    ///   - code: A code of the app.
    ///   - account: The account.
    ///   - now: The time.
    /// - Returns: The factor, which has accepted the code; nil for a wrong code, a short secret, and other text.
    /// - Throws: `SecretMemoryError`; `LibCryptoError`.
    func authenticator(
        _ secret: borrowing SecretBytes, code: String, of account: AccountID, at now: PointInTime
    ) throws -> SecondFactor? {
        guard secret.count <= Self.largestText else { return nil }
        let id = SecondFactorID(random: random)
        do {
            let password = try OneTimePassword(seed: secret)
            // A URI could ask for other parameters.
            guard password.algorithm == .sha1, password.digits == Self.digits,
                password.period == Self.period, password.keySize >= Self.smallestKey,
                let step = try steps(of: code, password, at: now).first
            else { return nil }
            let sealed = try pseudonyms.oneTimePasswordKey()
            var factor = SecondFactor(
                id: id, account: account,
                key: secret.withBytes {
                    Sealing.seal($0, under: sealed, Self.context(account, id), random: random)
                }, created: now)
            _ = factor.spend(Self.bytes(of: step), at: now)
            return factor
        } catch is OneTimePasswordError {
            return nil
        }
    }

    /// A passkey, after its registration on a page.
    ///
    /// - Returns: The factor; nil for an answer to another challenge, and an unusable key.
    /// - Throws: `PasskeyError.libraryMissing`.
    func passkey(
        _ registration: PasskeyRegistration, label: String, of account: AccountID,
        at now: PointInTime
    ) throws -> SecondFactor? {
        do {
            guard
                let value = try signed(account, registering: true).answered(
                    in: registration.clientData, at: now)
            else { return nil }
            let made = try registration.credential()
            var factor = SecondFactor(
                id: SecondFactorID(random: random), account: account, label: label,
                credential: made.id, key: made.publicKey, created: now)
            _ = factor.spend(value, at: now)
            factor.used = nil
            return factor
        } catch let error as PasskeyError where error != .libraryMissing {
            return nil
        }
    }

    /// Ten recovery codes, and their hashes.
    func recoveryCodes() -> (texts: [String], hashes: [TokenHash]) {
        let texts = (0..<SecondFactorRecoveryCode.count).map { _ in
            SecondFactorRecoveryCode.make(random: random)
        }
        return (texts, texts.compactMap { SecondFactorRecoveryCode.hash(ofTyped: $0) })
    }

    private func opened(_ factor: SecondFactor) throws -> SecretBytes {
        do {
            var secret = try SecretBytes(count: max(0, factor.key.count - Sealing.overhead))
            try Sealing.open(
                factor.key, under: try pseudonyms.oneTimePasswordKey(),
                Self.context(factor.account, factor.id), into: &secret)
            return secret
        } catch is SealingError {
            throw SecondFactorFailure.otherKey
        }
    }

    /// Binds a sealed secret to its account and its row.
    private static func context(_ account: AccountID, _ id: SecondFactorID) -> SealContext {
        SealContext(
            .oneTimePassword, vaultID: Hexadecimal.bytes(account.text) ?? [],
            id: Hexadecimal.bytes(id.text) ?? [])
    }
}
