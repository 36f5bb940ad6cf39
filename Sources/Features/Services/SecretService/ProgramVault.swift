#if os(Linux)
    package import SecretMemory
    package import SecureStorage

    /// The vault, as the Secret Service uses it. Thread-safe.
    package protocol ProgramVault: Sendable {
        /// The secret store.
        ///
        /// - Throws: `SecureStoreError.locked`.
        func secrets() throws -> any SecureStore
        /// The secret store for reads on behalf of another program.
        ///
        /// - Throws: `SecureStoreError.locked`.
        func secrets(for reader: SecretReader) throws -> any SecureStore
        /// The change counters, which differ after each change of a secret.
        ///
        /// - Throws: `SecureStoreError.locked`.
        func generation() throws -> ProgramVaultGeneration
        /// The id of the vault, 16 bytes.
        func vaultID() throws -> [UInt8]
        /// Locks the vault.
        func lock() throws
        /// Unlocks the vault with a passphrase. Argon2id may take seconds.
        func unlock(with passphrase: borrowing SecretBytes) -> UnlockOutcome
        /// Remembers a program that is about to read a secret.
        ///
        /// - Returns: Whether the program reads a secret for the first time on this machine.
        func registerReader(_ reader: SecretReader) -> Bool
        /// The secrets that programs can use now.
        ///
        /// - Throws: `Failure`: they can use none, because the settings cannot be read, or there is no
        ///   vault.
        func access() throws -> ProgramAccess
        /// Reports a problem to the user of the machine.
        func report(_ line: String, hint: String)
    }

    /// The change counters of the secrets. They differ after each change.
    package struct ProgramVaultGeneration: Sendable, Hashable {
        /// The change counter of the vault.
        package let vault: UInt64
        /// The change counter of the session collection.
        package let session: UInt64

        package init(vault: UInt64, session: UInt64) {
            self.vault = vault
            self.session = session
        }

        /// Whether exactly one change happened between two values.
        func isNext(after last: ProgramVaultGeneration) -> Bool {
            vault == last.vault
                ? session == last.session &+ 1
                : vault == last.vault &+ 1 && session == last.session
        }
    }

    /// The result of an attempt to unlock the vault.
    package enum UnlockOutcome: Sendable, Hashable {
        case unlocked
        case wrongPassphrase
        /// The reason why another attempt is useless.
        case failed(String)
    }

    /// A program that reads a secret. The data is not authenticated.
    package struct SecretReader: Sendable, Hashable {
        /// The sandboxed application, or the process name, which the program can choose.
        package let program: String
        /// Whether the name is that of a sandboxed application.
        package let isSandboxed: Bool
        /// The process id; 0 if unknown.
        package let process: Int32
    }
#endif

/// The secrets that programs can use over D-Bus.
package enum ProgramAccess: String, CaseIterable, Sendable {
    case off
    /// The items that programs made.
    case programs
    /// Also the owner's entries that are readable while the vault is unlocked.
    case all
}
