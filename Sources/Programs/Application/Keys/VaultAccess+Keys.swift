package import Sealing
internal import SecretMemory
package import SecurityKeys
internal import TextCoding
package import VaultCore

// Opening with a security key.
extension VaultAccess {
    /// The slots of the vault, from its header: nothing proves them while it is locked.
    package func slots() throws -> SlotReport {
        try withStorage(.reading) { storage in
            let vault = try locked(storage)
            return SlotReport(vault.slots, of: vault.id, folders)
        }
    }

    /// Asks a security key for what opens one of these slots, of the vault or of a backup.
    ///
    /// - Throws: `SecurityKeyError`; a failure if no slot is that of a security key.
    package func keySecret(
        of slots: [KeySlotDescription], isBackup: Bool = false, _ prompts: KeyPrompts
    ) throws -> VaultSecret {
        let wanted = slots.securityKeys.map { (credential: $0.credential, salt: $0.salt) }
        guard !wanted.isEmpty else {
            throw Failure(
                .notFound, code: "no_security_key",
                "no security key opens the \(isBackup ? "backup" : "vault")",
                hint: isBackup
                    ? "restore it with its passphrase or recovery code"
                    : folders.command("key add --security-key") + " adds one")
        }
        let found = try keys.evaluate(wanted, prompts: prompts)
        return try VaultSecret(found.output)
    }

    /// Offers a plugged-in security key to a person, before the question for the passphrase.
    ///
    /// - Parameter known: The slots of the vault; read if left out.
    /// - Returns: What opens the vault; nil if there is no such key, or the person turns to the passphrase.
    /// - Throws: Why the slots cannot be read; what is wrong with the terminal.
    package func offeredKeySecret(of known: [KeySlotDescription]? = nil) throws -> VaultSecret? {
        // The order matters: without a key nothing is read or loaded.
        guard owner.canAnswer, !owner.hasPassphraseFile, keys.isPluggedIn else {
            return nil
        }
        let slots = try known ?? slots().slots
        guard !slots.securityKeys.isEmpty else { return nil }
        let prompts = try KeyPrompts(owner, isOffer: true)
        do {
            return try keySecret(of: slots, prompts)
        } catch is KeyPrompts.PassphraseWanted {
            return nil
        } catch let error as SecurityKeyError {
            prompts.say("\(Application.program): error: \(errors.failure(error).message)")
            return nil
        }
    }
}

extension [KeySlotDescription] {
    /// What the vault's security keys are asked with.
    package var securityKeys: [SlotRecord] {
        compactMap(\.record).filter { $0.transport == .securityKey }
    }
}

extension SlotRecord {
    /// The credential on the security key.
    package var credential: SecurityKeyCredential {
        SecurityKeyCredential(id: credentialID, publicKey: publicKey)
    }
}

extension VaultSecret {
    /// The output of a security key.
    package init(_ output: borrowing AuthenticatorOutput) throws {
        self = .authenticator(
            AuthenticatorOutput(try output.withBytes { try SecretBytes(copying: $0) }))
    }
}
