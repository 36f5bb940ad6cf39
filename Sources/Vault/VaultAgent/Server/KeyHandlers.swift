internal import Passkeys
internal import SecretMemory
internal import VaultCore

extension RequestTable {
    /// Requests about key slots and passkeys.
    static let keys: [any ServerRequest.Type] = [
        SlotsRequest.self, AddKeyRequest.self, RenameKeyRequest.self, RemoveSlotRequest.self,
        BeginPasskeyRequest.self, RegisterPasskeyRequest.self, UnlockByPasskeyRequest.self,
        VerifyByPasskeyRequest.self, AddPasskeyRequest.self,
    ]
}

extension SlotsRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> SlotsAnswer {
        try handler.slots()
    }
}

extension AddKeyRequest: SimpleRequest {
    func answer(
        _ handler: RequestHandler, _ secret: borrowing SecretBytes
    ) throws -> SlotsAnswer {
        let output = try VaultSecret(.authenticator, typed: newOutput(after: secret))
        try handler.session.withOwner(verifiedBy: owner(ownerKind, before: secret)) { vault in
            try vault.addKey(record, with: output)
        }
        return try handler.slots()
    }
}

extension RenameKeyRequest: SimpleRequest {
    func answer(
        _ handler: RequestHandler, _ secret: borrowing SecretBytes
    ) throws -> SlotsAnswer {
        let output = try VaultSecret(.authenticator, typed: secret)
        try handler.session.withOwner(verifiedBy: output) { vault in
            _ = try vault.renameKey(to: name, with: output)
        }
        return try handler.slots()
    }
}

extension RemoveSlotRequest: SimpleRequest {
    func answer(
        _ handler: RequestHandler, _ secret: borrowing SecretBytes
    ) throws -> SlotsAnswer {
        let owner = try VaultSecret(ownerKind, typed: secret)
        try handler.session.withOwner(verifiedBy: owner) { vault in
            _ = try vault.revokeSlot(id: id, keepingKeys: keepsKeys)
        }
        // The session's keys are no longer valid for the vault.
        if !keepsKeys { handler.session.lock() }
        return try handler.slots()
    }
}

extension BeginPasskeyRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> PasskeyChallenge {
        try handler.session.beginPasskey(registering: isRegistering, page: page)
    }
}

extension RegisterPasskeyRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> PasskeyChallenge {
        try handler.session.finish(registration)
    }
}

extension UnlockByPasskeyRequest: ServerRequest {
    func serve(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws {
        let session = handler.session
        try session.unlock(
            with: session.finish(assertion, output: secret).secret(),
            acceptsOlder: acceptsOlder, acceptsOther: acceptsOther, while: { handler.isWanted })
        try handler.send(handler.status)
        // The owner does not wait for the erasure.
        session.eraseExpired()
    }
}

extension VerifyByPasskeyRequest: SimpleRequest {
    func answer(
        _ handler: RequestHandler, _ secret: borrowing SecretBytes
    ) throws -> AgentStatus {
        let session = handler.session
        try session.verify(with: session.finish(assertion, output: secret).secret())
        return handler.status
    }
}

extension AddPasskeyRequest: SimpleRequest {
    func answer(
        _ handler: RequestHandler, _ secret: borrowing SecretBytes
    ) throws -> SlotsAnswer {
        let session = handler.session
        let output = try newOutput(after: secret)
        // After a wrong secret, the challenge remains for another attempt.
        try session.withOwner(verifiedBy: owner(ownerKind, before: secret)) { vault in
            let passkey = try session.finish(assertion, output: output)
            try vault.addKey(passkey.record(name: name), with: passkey.secret())
        }
        return try handler.slots()
    }
}

extension RequestHandler {
    fileprivate func slots() throws -> SlotsAnswer { SlotsAnswer(slots: try session.slots()) }
}

/// The output of a new key, after the secret of the owner.
private func newOutput(after secret: borrowing SecretBytes) throws -> SecretBytes {
    let size = secret.count - AuthenticatorOutput.size
    guard size >= 0 else { throw VaultError.wrongKey }
    return try secret.copy(from: size, count: AuthenticatorOutput.size)
}

/// The secret of the owner, before the output of a new key.
private func owner(_ kind: KeySlotKind, before secret: borrowing SecretBytes) throws -> VaultSecret
{
    let size = max(0, secret.count - AuthenticatorOutput.size)
    return try VaultSecret(kind, typed: secret.copy(from: 0, count: size))
}
