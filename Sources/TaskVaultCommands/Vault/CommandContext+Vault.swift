internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore
internal import VaultStorage

/// What a command is going to do with the vault.
enum VaultUse {
    /// It reads, which works on a medium that cannot be written, too.
    case reading
    /// It changes something.
    case changing
}

extension CommandContext {
    /// Runs `body` with the vault as it lies there, without keys, and closes it.
    func withStorage<Result: ~Copyable>(
        _ use: VaultUse,
        _ body: (any RecordStorage) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        let source = try vaultSource()
        let storage: any RecordStorage
        do throws(StorageError) {
            storage = try source.open(use == .reading ? .readOnly : .readWrite)
        } catch {
            throw CommandFailure(error, vault)
        }
        // The last one to close leaves no log beside the file.
        defer { storage.close() }
        return try body(storage)
    }

    /// Asks for passphrase or recovery code and runs `body` with the root key in memory.
    ///
    /// Nobody is asked for the passphrase of a vault that is not there or has no sound header.
    func withAuthenticatedVault<Result: ~Copyable>(
        _ body: (consuming AuthenticatedVault, [KeySlotDescription], borrowing SecretSource)
            throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        try withStorage(.changing) { (storage) throws(CommandFailure) in
            try authenticate(storage, body)
        }
    }

    /// Asks for the passphrase and runs `body` with the vault unlocked and verified; locks it at the end, so that this machine remembers its
    /// newest state.
    ///
    /// - Parameters:
    ///   - use: Whether it is going to be changed.
    ///   - body: Gets the vault, and where further secrets come from.
    /// - Returns: What `body` returns.
    /// - Throws: Why the vault could not be unlocked, or what `body` throws.
    func withUnlockedVault<Result: ~Copyable>(
        _ use: VaultUse,
        _ body: (UnlockedVault, borrowing SecretSource) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        try withStorage(use) { (storage) throws(CommandFailure) in
            try authenticate(storage) { (vault, _, source) throws(CommandFailure) in
                let unlocked = vault.unlock()
                defer { unlocked.lock() }
                return try body(unlocked, source)
            }
        }
    }

    /// The vault's header, checked.
    func lockedVault(_ storage: any RecordStorage) throws(CommandFailure) -> LockedVault {
        do throws(VaultError) {
            return try LockedVault(storage, environment)
        } catch {
            throw CommandFailure(error, vault)
        }
    }

    private func authenticate<Result: ~Copyable>(
        _ storage: any RecordStorage,
        _ body: (consuming AuthenticatedVault, [KeySlotDescription], borrowing SecretSource)
            throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        let locked = try lockedVault(storage)
        let slots = locked.slots
        let source = try secretSource()
        let secret = try source.vaultSecret(openingKind)
        try lockAgentIfOlderIsAccepted()
        let authenticated: AuthenticatedVault
        do throws(VaultError) {
            authenticated = try locked.authenticate(with: secret)
        } catch {
            throw CommandFailure(error, vault)
        }
        try requireLockedMemory(authenticated.settings)
        return try body(authenticated, slots, source)
    }

    /// Refuses where the owner decided that keys must not reach the swap, and the system does not promise that.
    private func requireLockedMemory(_ settings: VaultSettings?) throws(CommandFailure) {
        guard settings?.requiresLockedMemory == true, !MemoryLocking.isAvailable else { return }
        throw .memoryNotLocked
    }

    /// Runs a call of the vault whose error becomes a failure.
    func explaining<Result: ~Copyable>(
        _ name: SecretName? = nil, _ body: () throws(VaultError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(VaultError) {
            return try body()
        } catch {
            throw CommandFailure(error, vault, name: name)
        }
    }

    /// Runs an operation on secrets whose error becomes a failure.
    func explaining<Result: ~Copyable>(
        _ name: SecretName? = nil, _ body: () throws(SecureStoreError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SecureStoreError) {
            return try body()
        } catch {
            // The agent's vault can be locked at any moment; one of this process only by others who replace its keys.
            if error == .locked, usesAgent { throw .locked(vault) }
            throw CommandFailure(error, vault, name: name)
        }
    }
}
