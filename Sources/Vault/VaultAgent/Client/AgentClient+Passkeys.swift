package import Passkeys
package import SecretMemory
package import VaultCore

// For the local app, whose page uses passkeys.
extension AgentClient {
    /// Begins a registration or an assertion of a passkey on the app's page; works while the vault
    /// is locked.
    package func beginPasskey(
        registering isRegistering: Bool, page: PageOrigin
    ) throws -> PasskeyChallenge {
        try ask(BeginPasskeyRequest(isRegistering: isRegistering, page: page))
    }

    /// Ends a registration.
    ///
    /// - Returns: The challenge of the assertion that must follow, for ``addPasskey(_:output:name:verifiedBy:)``.
    /// - Throws: `AgentError.passkey`.
    package func finish(_ registration: PasskeyRegistration) throws -> PasskeyChallenge {
        try ask(RegisterPasskeyRequest(registration: registration))
    }

    /// Unlocks the vault by a passkey's answer and output; see ``unlock(with:acceptsOlder:acceptsOther:)``.
    ///
    /// - Throws: `AgentError.passkey`.
    @discardableResult
    package func unlock(
        by assertion: PasskeyAssertion, output: borrowing SecretBytes, acceptsOlder: Bool = false,
        acceptsOther: Bool = false
    ) throws -> AgentStatus {
        try ask(
            UnlockByPasskeyRequest(
                assertion: assertion, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther),
            output)
    }

    /// Verifies the owner of the unlocked vault by a passkey's answer and output.
    ///
    /// - Throws: `AgentError.passkey`; `vault(.store(.locked))`.
    @discardableResult
    package func verify(
        by assertion: PasskeyAssertion, output: borrowing SecretBytes
    ) throws -> AgentStatus {
        try ask(VerifyByPasskeyRequest(assertion: assertion), output)
    }

    /// Adds a slot for a new passkey, by its answer after the registration.
    ///
    /// - Parameters:
    ///   - assertion: The answer.
    ///   - output: Its output for the input of the challenge.
    ///   - name: The name for the owner.
    ///   - secret: A secret that unlocks the vault now.
    /// - Returns: All slots.
    /// - Throws: As ``addKey(_:with:verifiedBy:)``; `AgentError.passkey`.
    @discardableResult
    package func addPasskey(
        _ assertion: PasskeyAssertion, output: borrowing SecretBytes, name: String,
        verifiedBy secret: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        try ask(
            AddPasskeyRequest(ownerKind: secret.kind, assertion: assertion, name: name),
            secret.typed().joined(with: output)
        ).slots
    }
}
