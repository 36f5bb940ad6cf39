internal import Database
internal import SecretMemory
package import SecureStorage
package import SecurityKeys
internal import Tasks
package import TextCoding
package import VaultAgent
package import VaultCore
package import VaultStorage
internal import Platform

/// The use that an operation makes of the vault.
package enum VaultUse {
    /// Reads only, and so works on a read-only medium.
    case reading
    /// Makes changes.
    case changing
}

/// The unlocked vault of an operation, through the agent or directly.
package struct OpenStore {
    /// The secrets.
    package let secrets: any SecureStore
    /// The agent that holds the vault; nil if the operation itself does.
    package let agent: AgentClient?

    /// Creates the value for an unlocked vault. `agent` is the agent that holds it, if any.
    package init(secrets: any SecureStore, agent: AgentClient?) {
        self.secrets = secrets
        self.agent = agent
    }

    /// The settings of the vault.
    package func settings() throws -> VaultSettings {
        if let agent { return try agent.settings() }
        return try (secrets as? UnlockedVault)?.currentSettings() ?? .standard
    }

    /// Changes a setting of the vault.
    package func change(_ setting: VaultSetting, to value: UInt32) throws -> VaultSettings {
        if let agent { return try agent.change(setting, to: value) }
        return try (secrets as? UnlockedVault)?.changeSettings { $0[setting] = value } ?? .standard
    }
}

/// The agent whose notices are reported at the end of a command. Not thread-safe.
private final class PendingNotices {
    package var agent: AgentClient?
}

/// Whether an operation may have changed vault or list, so that a round of sync follows. Not thread-safe.
package final class ChangeNote {
    package var isSet = false
}

/// The owner's vault: its storage, and its secrets through the agent or by the passphrase.
package struct VaultAccess {
    package let options: ApplicationOptions
    package let owner: any Owner
    package let folders: VaultFolders
    /// The security keys that are plugged in.
    package let keys: SecurityKeys
    /// This machine's rollback records.
    package let rollbackRecords: NotedRollbackRecords
    private let settings: SettingsFile
    package let errors: ErrorContext
    private let notices = PendingNotices()
    /// Whether this operation may have changed vault or list, or unlocked the vault.
    package let changes = ChangeNote()

    /// Creates the access to the vault that the settings name.
    package init(
        _ options: ApplicationOptions, _ owner: any Owner, _ settings: SettingsFile,
        _ errors: ErrorContext, _ keys: SecurityKeys
    ) {
        self.options = options
        self.owner = owner
        self.keys = keys
        self.settings = settings
        self.errors = errors
        folders = settings.folders
        let place = folders.file
        // If the settings cannot be read, the vault cannot be opened either.
        let isFile = (try? VaultSource(settings.read()[.vault], settings.folders).isFile) ?? true
        rollbackRecords = NotedRollbackRecords(
            folders.rollbackRecords.map {
                FileRollbackRecords(folder: $0, place: place, syncsAtOnce: !isFile)
            } ?? AbsentRollbackRecords())
    }

    /// The name of the vault in messages.
    package var reference: VaultReference { errors.vault }

    /// Whether this operation works through the agent.
    package var usesAgent: Bool { errors.usesAgent }

    /// The clock, the rollback records and the owner's choices for the vault.
    package var environment: VaultEnvironment {
        var environment = VaultEnvironment(rollbackRecords: rollbackRecords)
        environment.acceptsOlder = options.acceptsOlder
        environment.acceptsOther = options.acceptsOther
        environment.logVerification = { [uses = SlotUses(folders), now = environment.now] in
            uses.note($0, $1, at: now())
        }
        return environment
    }

    /// The place of the vault's records.
    package func source() throws -> VaultSource {
        try VaultSource(try settings.read()[.vault], folders)
    }

    /// Whether the place of the vault may have one. With unreadable settings it checks the default
    /// file, because locking must work then too.
    package var mayExist: Bool {
        (try? source())?.mayExist ?? FileSystem.mayExist(reference.path)
    }

    /// - Throws: A failure if the place has no vault. A server is not asked.
    func requirePossible() throws {
        if !mayExist { throw Failure(DatabaseError.notFound, reference) }
    }

    /// Warns once that this machine could not store its rollback record.
    package func reportRollbackRecord() {
        guard let failure = rollbackRecords.failure, case .unavailable(let path, let code) = failure
        else {
            return
        }
        let reason = code == 0 ? "" : ": " + SystemFailure("open", code: code).explanation
        owner.warn(
            "rollback_record_not_kept",
            "cannot keep this machine's rollback record (\(path)\(reason)): an older copy would not be detected"
        )
    }

    /// Reports once that a backup was restored since this machine last saw the vault, and that
    /// reads are not logged or erased values are still in the files.
    package func reportNotices() {
        guard let notices = try? notices.agent?.takeNotices() else { return }
        reportRestore(from: notices.restoredBackup)
        reportLog(notices.logFailure)
        if notices.hasOldValues { reportOldValues() }
    }

    private func reportOldValues() {
        owner.warn(
            "old_values_pending",
            "values removed for good are still in the vault's files, encrypted: another program is reading them; a later command erases them"
        )
    }

    /// Warns that reads are not logged, unless this machine has no state folder at all.
    private func reportLog(_ code: Int32) {
        guard code != 0, rollbackRecords.failure == nil, let folder = folders.reads else { return }
        let reason = SystemFailure("open", code: code).explanation
        owner.warn("reads_not_logged", "reads are not logged (\(folder): \(reason))")
    }

    private func reportRestore(from time: Int64?) {
        guard let time else { return }
        owner.warn(
            "restored",
            "the vault was restored from a backup of \(Timestamp.rfc3339(milliseconds: time))")
    }

    /// Runs `body` with the vault's storage, without keys, then closes the storage.
    package func withStorage<Result: ~Copyable>(
        _ use: VaultUse, _ body: (any RecordStorage) throws -> Result
    ) throws -> Result {
        let source = try source()
        let storage = try VaultError.translating {
            try source.open(use == .reading ? .readOnly : .readWrite)
        }
        // The last connection to close leaves no log beside the file.
        defer { storage.close() }
        return try body(storage)
    }

    /// The checked header of the vault.
    package func locked(_ storage: any RecordStorage) throws -> LockedVault {
        try LockedVault(storage, environment)
    }

    /// Fails if the vault is missing or its header is damaged.
    package func requireHeader() throws {
        try withStorage(.reading) { storage in _ = try locked(storage) }
    }

    /// The failure of a vault that no agent has unlocked, or of a missing vault.
    package func lockedFailure() throws -> Failure {
        try requireHeader()
        return .locked(reference)
    }

    /// Gets the secret that unlocks the vault and runs `body` with the root key in memory.
    ///
    /// It prompts only for a vault with a sound header.
    package func withAuthenticatedVault<Result: ~Copyable>(
        _ body: (consuming AuthenticatedVault, [KeySlotDescription], KeyPrompts) throws -> Result
    ) throws -> Result {
        try withStorage(.changing) { storage in
            try authenticate(storage, environment, body)
        }
    }

    /// Asks for the passphrase and runs `body` with the vault unlocked and verified.
    /// The lock at the end stores the newest state in this machine's rollback record.
    ///
    /// - Parameters:
    ///   - use: Whether `body` changes the vault.
    ///   - given: The passphrase if it was typed already.
    ///   - body: Receives the vault and the source of further secrets.
    /// - Returns: The result of `body`.
    /// - Throws: The reason why the vault could not be unlocked, or the error of `body`.
    package func withUnlockedVault<Result: ~Copyable>(
        _ use: VaultUse, with given: consuming VaultSecret? = nil,
        _ body: (UnlockedVault, any SecretSource) throws -> Result
    ) throws -> Result {
        var given = given
        return try withStorage(use) { storage in
            let log = folders.readLog.map {
                ReadLog($0, now: environment.now, random: environment.random)
            }
            var noting = environment
            if let log {
                noting.logRead = { log.add($0, by: .own) }
                if use == .changing { noting.deferredSecrets = { log.deferredSecrets() } }
            }
            return try authenticate(storage, noting, with: given.take()) { vault, _, prompts in
                let unlocked = vault.unlock()
                defer { unlocked.lock() }
                let vaultID = try? locked(storage).id
                if let log, let vaultID { log.open(vaultID, in: unlocked, makesKey: false) }
                defer {
                    if let log {
                        if let vaultID, log.failure == EROFS {
                            // Only a command that read a secret gives the vault a key for the log.
                            try? withStorage(.changing) { writable in
                                try unlocked.using(writable) { log.open(vaultID, in: unlocked) }
                            }
                        }
                        log.close()
                        reportLog(log.failure)
                    }
                }
                if use == .changing, let vaultID {
                    BackupKeys(folders).saveDrawn(vaultID, in: unlocked)
                }
                let result = try body(unlocked, prompts.source)
                if use == .changing, unlocked.hasOldValues { reportOldValues() }
                return result
            }
        }
    }

    private func authenticate<Result: ~Copyable>(
        _ storage: any RecordStorage, _ environment: VaultEnvironment,
        with given: consuming VaultSecret? = nil,
        _ body: (consuming AuthenticatedVault, [KeySlotDescription], KeyPrompts) throws -> Result
    ) throws -> Result {
        let locked = try locked(storage)
        let slots = locked.slots
        let prompts = try KeyPrompts(owner)
        let authenticated = try withSecret(
            options.openingKind, of: slots, from: prompts, after: given
        ) { secret in
            try lockAgentIfVaultIsConfirmed()
            return try LockedVault(storage, environment).authenticate(with: secret)
        }
        reportRestore(from: authenticated.restoredBackup)
        // The owner's setting keeps keys out of swap.
        if authenticated.settings?.isOn(.requireLockedMemory) == true, !MemoryLocking.isAvailable {
            throw Failure.memoryNotLocked
        }
        return try body(authenticated, slots, prompts)
    }

    /// Runs `body` with the agent's unlocked vault, or with `--no-agent` one that the passphrase
    /// opens for this command.
    ///
    /// At a terminal the person unlocks a locked vault first.
    ///
    /// - Parameters:
    ///   - use: Whether `body` changes the vault.
    ///   - signsIn: Whether such an unlock signs in, as `unlock` does.
    ///   - body: Receives the secrets.
    /// - Returns: The result of `body`.
    /// - Throws: `locked` if no agent has the vault unlocked. Otherwise the reason why it could not
    ///   be opened, or the error of `body`.
    package func withStore<Result: ~Copyable>(
        _ use: VaultUse, signsIn: Bool = true, _ body: (OpenStore) throws -> Result
    ) throws -> Result {
        if use == .changing { changes.isSet = true }
        var typed: VaultSecret?
        if usesAgent {
            if let agent = try agentForUse(signsIn: signsIn, orKeeping: &typed) {
                return try body(OpenStore(secrets: agent, agent: agent))
            }
        }
        return try withUnlockedVault(use, with: typed.take()) { vault, _ in
            try body(OpenStore(secrets: vault, agent: nil))
        }
    }

    /// Runs `body`, and again after a verification if a protected item requires one.
    ///
    /// It prompts only if a person or a passphrase file can answer. `body` changes nothing before
    /// the step that requires the verification.
    package func verifying<Result: ~Copyable>(
        _ store: OpenStore, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error where error.requiresVerification {
            guard let agent = store.agent, owner.canVerify else { throw error }
            try verify(agent)
            return try body()
        }
    }

    /// Verifies the owner through the agent, by a finger, the passphrase or a security key.
    package func verify(_ agent: AgentClient) throws {
        if try !verifyByOfferedFinger(agent) {
            _ = try withSecret(options.openingKind) { secret in try agent.verify(with: secret) }
        }
        changes.isSet = true
    }

    /// Fails before any change if the agent's vault is locked.
    package func requireUnlocked(_ store: OpenStore) throws {
        _ = try unlockedStatus(store)
    }

    /// Verifies the owner before any change of protected text, and before its questions.
    ///
    /// - Throws: `notVerified` if neither a person nor a passphrase file can answer.
    package func requireVerified(_ store: OpenStore) throws {
        try verifying(store) {
            guard let status = try unlockedStatus(store) else { return }
            guard status.isVerified else { throw SecureStoreError.notVerified }
        }
    }

    /// The status of the agent that has the vault unlocked; nil without an agent.
    private func unlockedStatus(_ store: OpenStore) throws -> AgentStatus? {
        try store.agent.map { try unlockedStatus(of: $0) }
    }

    /// The status of the agent; fails if its vault is locked.
    package func unlockedStatus(of agent: AgentClient) throws -> AgentStatus {
        let status = try agent.status()
        guard status.isUnlocked else {
            // A refusal, unlike a status, contains the reason why the session ended.
            _ = try agent.settings()
            throw Failure.locked(reference)
        }
        return status
    }
}

// The agent of the vault.
extension VaultAccess {
    /// The vault's agent, or nil if none runs.
    ///
    /// - Parameter isInBackground: Whether no person waits: then nothing that it does is a use that extends the session.
    /// - Returns: The agent; nil if none runs.
    /// - Throws: An error if an agent runs and cannot be reached.
    package func agent(inBackground isInBackground: Bool = false) throws -> AgentClient? {
        let agent = try withAgentPlace { place in
            try AgentClient(
                place, programVersion: ProductVersion.number, isBackground: isInBackground)
        }
        if let agent { note(agent) }
        return agent
    }

    /// Records the agent of a command, whose notices are reported at the end.
    package func note(_ agent: AgentClient) { notices.agent = agent }

    /// Stores this machine's backup key in the vault, if a backup has generated one.
    package func saveBackupKey(_ agent: AgentClient) {
        guard let vaultID = try? agent.vaultID() else { return }
        BackupKeys(folders).saveDrawn(vaultID, in: agent)
    }

    /// Runs `body` with the place of a running agent.
    ///
    /// - Parameter body: Connects to the agent.
    /// - Returns: The result of `body`; nil if no agent runs.
    /// - Throws: An error if an agent runs and cannot be reached; the error of `body`.
    package func withAgentPlace<Result>(_ body: (AgentPlace) throws -> Result) throws -> Result? {
        try AgentPlace.withAgent(
            of: folders.file, lookingIn: folders.runtimeForClients, body)
    }

    /// The agent, if it has the vault unlocked and the owner verified.
    package func verifiedAgent() throws -> AgentClient? {
        guard usesAgent, let agent = try agent(), try agent.status().isVerified else { return nil }
        return agent
    }

    /// Whether an agent has the vault unlocked.
    package func isAgentUnlocked() throws -> Bool {
        try agent()?.status().isUnlocked ?? false
    }

    /// Locks a running agent, because its keys are about to be replaced or have been replaced.
    package func lockAgent() throws {
        _ = try agent()?.lock()
    }

    /// Locks a running agent if an older or another vault is accepted: the agent would refuse every
    /// request on it.
    package func lockAgentIfVaultIsConfirmed() throws {
        if options.acceptsOlder || options.acceptsOther { try lockAgent() }
    }

    /// Ends a running agent of any version.
    package func endAgent() throws {
        // A file system without locks allows one agent at each place.
        for _ in 0...folders.runtimeForClients.count {
            let isEnded: Void? = try withAgentPlace { place in
                try AgentClient.end(place, programVersion: ProductVersion.number)
            }
            if isEnded == nil { return }
        }
    }
}

extension Error {
    /// Whether the owner must verify first.
    fileprivate var requiresVerification: Bool {
        let error: any Error = self
        return switch error {
        case SecureStoreError.notVerified, VaultError.store(.notVerified),
            AgentError.vault(.store(.notVerified)):
            true
        default: false
        }
    }
}
