internal import Passkeys
internal import Sealing
internal import SecretMemory
internal import Synchronization
internal import VaultCore

// Ceremonies of the local app's page. A passkey's output is used only after the check of its
// answer.
extension AgentSession {
    /// Begins a registration or an assertion; works while the vault is locked.
    func beginPasskey(registering isRegistering: Bool, page: PageOrigin) throws -> PasskeyChallenge
    {
        let known = try slots().compactMap { $0.record.map(PasskeyCredential.init) }
        let now = clock.now
        return ceremonies.withLock { ceremonies in
            isRegistering
                ? ceremonies.beginRegistration(page: page, known: known, at: now)
                : ceremonies.beginAssertion(page: page, with: known, at: now)
        }
    }

    /// Ends a registration, and begins the assertion that must follow.
    ///
    /// - Throws: `PasskeyError`.
    func finish(_ registration: PasskeyRegistration) throws -> PasskeyChallenge {
        let now = clock.now
        return try ceremonies.withLock { try $0.finish(registration, at: now) }
    }

    /// Ends an assertion.
    ///
    /// - Throws: `PasskeyError`; `SecretMemoryError.outOfMemory`.
    func finish(
        _ assertion: PasskeyAssertion, output: borrowing SecretBytes
    ) throws -> VerifiedPasskey {
        let now = clock.now
        return try ceremonies.withLock { try $0.finish(assertion, output: output, at: now) }
    }
}

extension VerifiedPasskey {
    /// The record of its slot, under a name.
    func record(name: String) -> SlotRecord {
        SlotRecord(
            transport: .passkey, isSynchronised: credential.isSynchronised,
            input: credential.input, credentialID: credential.id, publicKey: credential.publicKey,
            name: name)
    }

    /// The secret for its slot.
    consuming func secret() -> VaultSecret { .authenticator(takeOutput()) }
}

extension PasskeyCredential {
    fileprivate init(_ record: SlotRecord) {
        self.init(
            id: record.credentialID, publicKey: record.publicKey, input: record.input,
            isSynchronised: record.isSynchronised)
    }
}
