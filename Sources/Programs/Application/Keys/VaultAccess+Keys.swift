package import Sealing
internal import SecretMemory
package import SecurityKeys
internal import TextCoding
package import VaultCore

// Unlocking with a security key.
extension VaultAccess {
    /// The slots of the vault, from its header. They are not authenticated while the vault is
    /// locked.
    package func slots() throws -> SlotReport {
        try withStorage(.reading) { storage in
            let vault = try locked(storage)
            return SlotReport(vault.slots, of: vault.id, folders)
        }
    }

    /// Gets the secret of one of these slots from a security key, for the vault or a backup.
    ///
    /// - Throws: `SecurityKeyError`; a failure if none of the slots is for a security key.
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

    /// Offers a plugged-in security key to a person before the passphrase prompt.
    ///
    /// - Parameter known: The slots of the vault; nil to read them.
    /// - Returns: The secret that unlocks the vault; nil without such a key, or if the person
    ///   chooses the passphrase.
    /// - Throws: The reason why the slots cannot be read; the error of the terminal.
    package func offeredKeySecret(of known: [KeySlotDescription]? = nil) throws -> VaultSecret? {
        // The order matters: without a key, the operation reads and loads nothing.
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
    /// The records of the vault's security keys.
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
