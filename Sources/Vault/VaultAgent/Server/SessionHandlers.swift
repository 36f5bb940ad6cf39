internal import SecretMemory
internal import VaultCore

extension RequestTable {
    /// Requests about the session.
    static let session: [any ServerRequest.Type] = [
        StatusRequest.self, UnlockRequest.self, VerifyRequest.self, LockRequest.self,
        SettingsRequest.self, ChangeSettingRequest.self, NoticesRequest.self,
        VerifyByFingerRequest.self, CheckRequest.self, GenerationRequest.self, ReaderRequest.self,
        BackgroundRequest.self,
    ]
}

extension StatusRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) -> AgentStatus {
        handler.status
    }
}

extension UnlockRequest: ServerRequest {
    func serve(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws {
        try handler.session.unlock(
            with: VaultSecret(kind, typed: secret), acceptsOlder: acceptsOlder,
            acceptsOther: acceptsOther, while: { handler.isWanted })
        try handler.send(handler.status)
        // The owner does not wait for the erasure.
        handler.session.eraseExpired()
    }
}

extension VerifyRequest: SimpleRequest {
    func answer(
        _ handler: RequestHandler, _ secret: borrowing SecretBytes
    ) throws -> AgentStatus {
        try handler.session.verify(with: VaultSecret(kind, typed: secret))
        return handler.status
    }
}

extension LockRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) -> AgentStatus {
        handler.session.lock()
        return handler.status
    }
}

extension SettingsRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> VaultSettings {
        try handler.use { vault in (try vault.currentSettings(), .none) }
    }
}

extension ChangeSettingRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> VaultSettings {
        try handler.session.change(setting, to: value)
    }
}

extension NoticesRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) -> AgentNotices {
        AgentNotices(
            restoredBackup: handler.session.takeRestoredBackup(),
            logFailure: handler.session.readLog?.failure ?? 0,
            hasOldValues: handler.session.hasOldValues)
    }
}

extension VerifyByFingerRequest: ServerRequest {
    func serve(_ handler: RequestHandler, _: borrowing SecretBytes) throws {
        try handler.session.verifyByFinger(asking: handler.channel.descriptor) { prompt in
            try handler.send(prompt)
        }
        try handler.send(handler.status)
    }
}

extension CheckRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> DoneAnswer {
        try handler.use { vault in (try vault.verifyEverything(), .none) }
        return DoneAnswer()
    }
}

extension GenerationRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> StoreGeneration {
        let session = handler.session
        return try handler.use { vault in
            let generation = StoreGeneration(
                counter: vault.counter, sessionSecrets: session.sessionSecrets.generation)
            return (generation, .none)
        }
    }
}

extension ReaderRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) -> DoneAnswer {
        handler.client.announce(process, application)
        return DoneAnswer()
    }
}

extension BackgroundRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) -> DoneAnswer {
        handler.client.becomeBackground()
        return DoneAnswer()
    }
}
