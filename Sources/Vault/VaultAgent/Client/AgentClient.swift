// The types of the public declarations here: `import VaultAgent` alone is enough to use a vault through its agent.
@_exported public import VaultCore
public import SecretMemory
public import SecureStorage
internal import Synchronization

/// A vault that an agent keeps unlocked: a ``SecureStore`` with the behaviour of the vault itself.
///
/// Thread-safe; calls on one value are serialized. If the agent closed the connection between two calls, the next call reconnects.
/// A call without an answer fails with `SecureStoreError.unavailable`: its effect is unknown.
public final class AgentClient: Sendable {
    private let place: AgentPlace
    private let programVersion: String
    private let connection: Mutex<Held>

    /// One thread at a time uses a connection, under the lock.
    private struct Held: @unchecked Sendable {
        var connection: AgentConnection?
    }

    /// Connects to the agent of a vault.
    ///
    /// - Parameters:
    ///   - place: The vault's place.
    ///   - programVersion: The version of this program, for messages of the agent.
    /// - Throws: `AgentError.notRunning`, `.otherVersion`, `.notTrusted`, …
    public convenience init(_ place: AgentPlace, programVersion: String) throws {
        let connection = try AgentConnection(place, programVersion: programVersion)
        try connection.requireOurVersion()
        self.init(place, programVersion, connection)
    }

    private init(_ place: AgentPlace, _ programVersion: String, _ connection: AgentConnection) {
        self.place = place
        self.programVersion = programVersion
        self.connection = Mutex(Held(connection: connection))
    }

    /// Makes the agent of a vault lock and exit, of any version; a new one can be started afterwards.
    ///
    /// - Throws: As ``init(_:programVersion:)``.
    public static func end(_ place: AgentPlace, programVersion: String) throws {
        try AgentConnection(place, programVersion: programVersion).end()
    }

    /// Runs `body` with a connection that was just verified to be open.
    ///
    /// - Throws: ``AgentError``.
    func use<Result: ~Copyable>(
        _ body: (AgentConnection) throws -> Result
    ) throws -> Result {
        var result: Result?
        try connection.withLock { held in
            do {
                if held.connection?.isStale != false {
                    held.connection = nil
                    let fresh = try AgentConnection(place, programVersion: programVersion)
                    try fresh.requireOurVersion()
                    held.connection = fresh
                }
                guard let connection = held.connection else { throw AgentError.notRunning }
                result = try body(connection)
            } catch {
                // After any error but the agent's refusal the state of the connection is unknown.
                if (error as? AgentError)?.isRefusal != true, !(error is SecureStoreError) {
                    held.connection = nil
                }
                throw AgentError(translating: error)
            }
        }
        guard let result = result.take() else { preconditionFailure("body gave it") }
        return result
    }
}

// Operations that only an agent has.
extension AgentClient {
    /// The status of the agent's session; waits for `limit`, or by default as long as for other answers.
    public func status(within limit: Duration? = nil) throws -> AgentStatus {
        try use { connection in try connection.ask(.status, within: limit).asStatus() }
    }

    /// What the owner must be told.
    ///
    /// - Returns: The time of a backup that was restored since this machine saw the vault last, in milliseconds since 1970-01-01 UTC, or nil
    ///   if none was or it was told already; and the code of the system for which reads are not logged, or 0.
    public func takeNotices() throws -> (restoredBackup: Int64?, logFailure: Int32) {
        try use { connection in
            guard case .restored(let time, let logFailure) = try connection.ask(.restored) else {
                throw AgentError.malformed
            }
            return (time == 0 ? nil : time, logFailure)
        }
    }

    /// The id of the agent's vault, 16 bytes.
    public func vaultID() throws -> [UInt8] { try use { $0.vaultID } }

    /// Unlocks the vault, or verifies its owner again.
    ///
    /// - Parameters:
    ///   - secret: Passphrase, recovery code or output of an authenticator.
    ///   - acceptsOlder: Whether to accept a vault that is older than this machine's rollback record, or forked.
    ///   - acceptsOther: Whether to accept another vault than the one that this machine saw at the place.
    /// - Returns: The session, unlocked and verified.
    /// - Throws: `AgentError.vault(.wrongPassphrase)`, `.throttled`, …
    @discardableResult
    public func unlock(
        with secret: borrowing VaultSecret, acceptsOlder: Bool = false, acceptsOther: Bool = false
    ) throws -> AgentStatus {
        let request = AgentRequest.unlock(
            secret.kind, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther)
        return try prove(request, secret)
    }

    /// Verifies the owner of the unlocked vault again.
    ///
    /// - Throws: As ``unlock(with:acceptsOlder:acceptsOther:)``; `vault(.store(.locked))`.
    @discardableResult
    public func verify(with secret: borrowing VaultSecret) throws -> AgentStatus {
        try prove(.verify(secret.kind), secret)
    }

    private func prove(
        _ request: AgentRequest, _ secret: borrowing VaultSecret
    ) throws -> AgentStatus {
        try use { connection in
            try secret.typed().withBytes { bytes in try connection.ask(request, bytes).asStatus() }
        }
    }

    /// The slots of the vault, also while it is locked.
    public func slots() throws -> [KeySlotDescription] {
        try use { connection in try connection.ask(.slots).asSlots() }
    }

    /// Adds a slot for a security key or passkey; see ``AuthenticatedVault/addKey(_:with:)``.
    ///
    /// - Parameters:
    ///   - record: What the authenticator is asked with.
    ///   - output: Its output for the salt of the record.
    ///   - secret: What opens the vault now.
    /// - Returns: All slots.
    /// - Throws: ``AgentError``, with the errors of the vault.
    @discardableResult
    public func addKey(
        _ record: SlotRecord, with output: borrowing VaultSecret,
        verifiedBy secret: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        try changeSlots(
            .addKey(secret.kind, record), secret.typed().joined(with: output.typed()))
    }

    /// Renames a security key or passkey; see ``AuthenticatedVault/renameKey(to:with:)``.
    ///
    /// - Returns: All slots.
    @discardableResult
    public func renameKey(
        to name: String, with output: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        try changeSlots(.renameKey(name), output.typed())
    }

    /// Removes a slot; see ``AuthenticatedVault/revokeSlot(id:keepingKeys:progress:)``. The agent locks unless the keys stay.
    ///
    /// - Returns: All slots.
    @discardableResult
    public func removeSlot(
        id: [UInt8], keepingKeys isKeeping: Bool = false, verifiedBy secret: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        guard id.count == 16 else { throw AgentError.vault(.noSuchSlot) }
        return try changeSlots(
            .removeSlot(secret.kind, id: id, keepsKeys: isKeeping), secret.typed())
    }

    func changeSlots(
        _ request: AgentRequest, _ secret: borrowing SecretBytes
    ) throws -> [KeySlotDescription] {
        try use { connection in
            try secret.withBytes { bytes in try connection.ask(request, bytes).asSlots() }
        }
    }

    /// Wipes the agent's keys. Idempotent.
    @discardableResult
    public func lock() throws -> AgentStatus {
        try use { connection in try connection.ask(.lock).asStatus() }
    }

    /// What tells whether any secret has changed since; not a use of the session. Waits for `limit`, or as long as for other answers.
    ///
    /// - Throws: `vault(.store(.locked))`.
    package func generation(within limit: Duration? = nil) throws -> StoreGeneration {
        try use { connection in
            let answer = try connection.ask(.generation, within: limit)
            guard case .generation(let generation) = answer else {
                throw AgentError.malformed
            }
            return generation
        }
    }

    /// Says for which process this client reads from now on, until it connects again.
    package func announceReader(_ process: UInt32) throws {
        try use { connection in
            guard case .done = try connection.ask(.reader(process)) else {
                throw AgentError.malformed
            }
        }
    }

    /// The vault's security settings.
    public func settings() throws -> VaultSettings {
        try use { connection in try connection.ask(.settings).asSettings() }
    }

    /// Changes a security setting.
    ///
    /// - Throws: `vault(.invalidSettings)`; `vault(.store(.notVerified))` for relaxing a limit without verification.
    @discardableResult
    public func change(_ setting: VaultSetting, to value: UInt32) throws -> VaultSettings {
        try use { connection in try connection.ask(.changeSetting(setting, value)).asSettings() }
    }
}

extension AgentClient: SecureStore {
    /// Reads a secret; see ``SecureStore/read(_:_:)``.
    public func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        let found = try storing { connection in
            try connection.ask(.read(name)) { answer, value in
                guard case .value(let item) = answer else { throw AgentError.malformed }
                return Found(item: item, value: value)
            }
        }
        return try body(found.item, found.value)
    }

    /// Describes a secret; see ``SecureStore/describe(_:)``.
    public func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        try storing { connection in try connection.ask(.describe(name)).asItem() }
    }

    /// Saves a new secret; see ``SecureStore/save(_:as:_:)``.
    @discardableResult
    public func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try storing(value) { connection, value in
            try connection.ask(.save(name, attributes), value).asItem()
        }
    }

    /// Replaces a value; see ``SecureStore/update(_:to:_:expecting:)``.
    @discardableResult
    public func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try storing(value) { connection, value in
            try connection.ask(.update(name, edit, expecting: revision), value).asItem()
        }
    }

    /// Changes a description; see ``SecureStore/edit(_:_:expecting:)``.
    @discardableResult
    public func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try storing { connection in
            try connection.ask(.edit(name, edit, expecting: revision)).asItem()
        }
    }

    /// Removes a secret; see ``SecureStore/remove(_:expecting:permanently:)``.
    public func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try storing { connection in
            let request = AgentRequest.remove(name, expecting: revision, permanently: isPermanent)
            guard case .done = try connection.ask(request) else { throw AgentError.malformed }
        }
    }

    /// Describes earlier values; see ``SecureStore/history(of:)``.
    public func history(of name: SecretName) throws(SecureStoreError) -> [EarlierSecret] {
        try storing { connection in try connection.listEarlier(.history(name)) }
    }

    /// Describes removed secrets; see ``SecureStore/removed()``.
    public func removed() throws(SecureStoreError) -> [EarlierSecret] {
        try storing { connection in try connection.listEarlier(.removed) }
    }

    /// Restores an earlier value; see ``SecureStore/restore(_:toRevision:)``.
    @discardableResult
    public func restore(
        _ name: SecretName, toRevision revision: UInt64
    ) throws(SecureStoreError) -> SecretItem {
        try storing { connection in
            try connection.ask(.restore(name, revision: revision)).asItem()
        }
    }

    /// Brings back a removed secret; see ``SecureStore/restore(removed:as:)``.
    @discardableResult
    public func restore(
        removed id: [UInt8], as name: SecretName?
    ) throws(SecureStoreError) -> SecretItem {
        try storing { connection in
            // No secret has another id, and a frame no room for it.
            if id.count != 16 { try connection.refuse(.notFound) }
            return try connection.ask(.restoreRemoved(id, name: name)).asItem()
        }
    }

    /// Describes all secrets; see ``SecureStore/list()``.
    public func list() throws(SecureStoreError) -> [SecretItem] {
        try storing { connection in
            var items = try connection.listItems(.list)
            // The agent sends them in this order.
            items.sort { $0.name < $1.name }
            return items
        }
    }

    /// Searches for entries; see ``SecureStore/find(_:limit:)``. The agent searches.
    public func find(
        _ search: SecretSearch, limit: Int
    ) throws(SecureStoreError) -> [SecretItem] {
        try storing { connection in
            try connection.listItems(.find(search, limit: UInt32(clamping: limit)))
        }
    }

    /// Edits and removes secrets; see ``SecureStore/change(_:)``.
    @discardableResult
    public func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem] {
        try storing { connection in try connection.listItems(.change(changes)) }
    }

    /// Reads many secrets; see ``SecureStore/readEach(_:_:)``. The requests are pipelined.
    public func readEach(
        _ names: [SecretName],
        _ body: (Int, SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Void
    ) throws(SecureStoreError) {
        var place = 0
        while place < names.count {
            var failure: SecureStoreError?
            let first = place
            place += try storing { connection in
                try connection.readSome(names[first...]) { (place, item, value) in
                    if failure != nil { return }
                    do throws(SecureStoreError) {
                        try body(place, item, value)
                    } catch {
                        failure = error
                    }
                }
            }
            if let failure { throw failure }
        }
    }

    /// Saves many secrets in one atomic step. The agent gets them all before it begins.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether an existing name gets the new value and description instead of a `duplicate` error.
    ///   - body: Calls the given function for each secret. It must not call the client.
    /// - Returns: Why single secrets were refused (`duplicate`, `tooLarge`, `invalidName`), by their place in the order of the calls; the
    ///   others are saved.
    /// - Throws: ``AgentError``, or the error of `body`; no secret was saved.
    public func saveAll(
        replacing isReplacing: Bool,
        _ body: ((borrowing SecretBytes, SecretName, SecretAttributes) throws -> Void) throws ->
            Void
    ) throws -> [Int: SecureStoreError] {
        var failure: (any Error)?
        do {
            return try use { connection in
                let batch = try BatchSending(on: connection, replacing: isReplacing)
                do {
                    try body(batch.add)
                } catch {
                    failure = error
                    throw error
                }
                return try batch.finish()
            }
        } catch {
            throw failure ?? error
        }
    }

    private func storing<Result: ~Copyable>(
        _ body: (AgentConnection) throws -> Result
    ) throws(SecureStoreError) -> Result {
        do {
            return try use(body)
        } catch {
            throw SecureStoreError(AgentError(translating: error))
        }
    }

    /// Sends the caller's value too, but only if an agent would accept its size.
    private func storing<Result>(
        _ value: borrowing SecretBytes, _ body: (AgentConnection, RawSpan) throws -> Result
    ) throws(SecureStoreError) -> Result {
        try storing { connection in
            if value.count > SecretLimits.maximumValueSize {
                try connection.refuse(.tooLarge(maximum: SecretLimits.maximumValueSize))
            }
            return try value.withBytes { bytes in try body(connection, bytes) }
        }
    }
}

/// A secret received from the agent.
private struct Found: ~Copyable {
    let item: SecretItem
    let value: SecretBytes
}
