#if os(Linux)
    package import SecretMemory
    package import SecureStorage

    /// What the Secret Service asks of the vault. Thread-safe.
    package protocol ProgramVault: Sendable {
        /// The secrets.
        ///
        /// - Throws: `SecureStoreError.locked`.
        func secrets() throws -> any SecureStore
        /// The secrets, for reads in the name of another program.
        ///
        /// - Throws: `SecureStoreError.locked`.
        func secrets(for reader: SecretReader) throws -> any SecureStore
        /// What differs after each change of a secret.
        ///
        /// - Throws: `SecureStoreError.locked`.
        func generation() throws -> ProgramVaultGeneration
        /// The id of the vault, 16 bytes.
        func vaultID() throws -> [UInt8]
        /// Locks it.
        func lock() throws
        /// Unlocks it by a passphrase, which may take seconds.
        func unlock(with passphrase: borrowing SecretBytes) -> UnlockOutcome
        /// Remembers a program that is about to read a secret. Grants will be decided here.
        ///
        /// - Returns: Whether it is the first time on this machine.
        func note(_ reader: SecretReader) -> Bool
        /// Why no program gets secrets, such as a setting of the owner; nil if they do.
        var refusal: String? { get }
        /// Reports to the owner of the machine.
        func report(_ line: String, hint: String)
    }

    /// Numbers that differ after each change.
    package struct ProgramVaultGeneration: Sendable, Hashable {
        /// Changes of the vault.
        package let vault: UInt64
        /// Changes of the session's secrets.
        package let session: UInt64

        package init(vault: UInt64, session: UInt64) {
            self.vault = vault
            self.session = session
        }

        /// Whether exactly one change was made since another one.
        func isNext(after last: ProgramVaultGeneration) -> Bool {
            vault == last.vault
                ? session == last.session &+ 1
                : vault == last.vault &+ 1 && session == last.session
        }
    }

    /// What came of an attempt to unlock.
    package enum UnlockOutcome: Sendable, Hashable {
        case unlocked
        case wrongPassphrase
        /// Why it cannot be tried again.
        case failed(String)
    }

    /// A program that reads a secret, as far as is known: information, not proof.
    package struct SecretReader: Sendable, Hashable {
        /// The name of its process, which it can choose.
        package let program: String
        /// Its process; 0 if unknown.
        package let process: Int32
    }
#endif
