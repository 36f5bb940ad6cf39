// Re-exports the types of the public declarations: `import VaultAgent` suffices to use a vault
// through its agent.
@_exported public import VaultCore
public import SecretMemory
public import SecureStorage
internal import Synchronization

/// A vault that an agent keeps unlocked: a ``SecureStore`` with the behaviour of the vault itself.
///
/// Thread-safe; an instance runs one call at a time. If the agent closed the connection between two calls, the next call reconnects.
/// A call without an answer fails with `SecureStoreError.unavailable`: its effect is unknown.
public final class AgentClient: Sendable {
    private let place: AgentPlace
    private let programVersion: String
    private let isBackground: Bool
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
    ///   - isBackground: Whether no person waits: then no request is a use that extends the session.
    /// - Throws: `AgentError.notRunning`, `.otherVersion`, `.notTrusted`, …
    public init(
        _ place: AgentPlace, programVersion: String, isBackground: Bool = false
    ) throws {
        self.place = place
        self.programVersion = programVersion
        self.isBackground = isBackground
        connection = Mutex(
            Held(connection: try Self.connect(place, programVersion, isBackground)))
    }

    private static func connect(
        _ place: AgentPlace, _ programVersion: String, _ isBackground: Bool
    ) throws -> AgentConnection {
        let connection = try AgentConnection(place, programVersion: programVersion)
        try connection.requireOurVersion()
        if isBackground { _ = try connection.ask(BackgroundRequest()) }
        return connection
    }

    /// Locks the agent of a vault and makes it exit, in any version; a new agent can be started
    /// afterwards.
    ///
    /// - Throws: As ``init(_:programVersion:isBackground:)``.
    public static func end(_ place: AgentPlace, programVersion: String) throws {
        try AgentConnection(place, programVersion: programVersion).end()
    }

    /// Sends a request without a secret, and waits for its answer up to the given limit or the default one.
    func ask<Request: AgentRequest>(
        _ request: Request, within limit: Duration? = nil
    ) throws -> Request.Answer where Request.Part == Never {
        try use { connection in try connection.ask(request, within: limit) }
    }

    /// Sends a request with a secret, and waits for its answer.
    func ask<Request: AgentRequest>(
        _ request: Request, _ secret: borrowing SecretBytes
    ) throws -> Request.Answer where Request.Part == Never {
        try use { connection in
            try secret.withBytes { bytes in try connection.ask(request, bytes) }
        }
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
                    held.connection = try Self.connect(place, programVersion, isBackground)
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
        try ask(StatusRequest(), within: limit)
    }

    /// The notices that the owner has not seen. The agent gives the time of a restored backup once.
    public func takeNotices() throws -> AgentNotices { try ask(NoticesRequest()) }

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
        try ask(
            UnlockRequest(
                kind: secret.kind, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther),
            secret.typed())
    }

    /// Verifies the owner of the unlocked vault again.
    ///
    /// - Throws: As ``unlock(with:acceptsOlder:acceptsOther:)``; `vault(.store(.locked))`.
    @discardableResult
    public func verify(with secret: borrowing VaultSecret) throws -> AgentStatus {
        try ask(VerifyRequest(kind: secret.kind), secret.typed())
    }

    /// The slots of the vault; works while it is locked.
    public func slots() throws -> [KeySlotDescription] {
        try ask(SlotsRequest()).slots
    }

    /// Adds a slot for a security key or passkey; see ``AuthenticatedVault/addKey(_:with:)``.
    ///
    /// - Parameters:
    ///   - record: The record of the authenticator.
    ///   - output: Its output for the salt of the record.
    ///   - secret: A secret that unlocks the vault now.
    /// - Returns: All slots.
    /// - Throws: ``AgentError``, with the errors of the vault.
    @discardableResult
    public func addKey(
        _ record: SlotRecord, with output: borrowing VaultSecret,
        verifiedBy secret: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        try ask(
            AddKeyRequest(ownerKind: secret.kind, record: record),
            secret.typed().joined(with: output.typed())
        ).slots
    }

    /// Renames a security key or passkey; see ``AuthenticatedVault/renameKey(to:with:)``.
    ///
    /// - Returns: All slots.
    @discardableResult
    public func renameKey(
        to name: String, with output: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        try ask(RenameKeyRequest(name: name), output.typed()).slots
    }

    /// Removes a slot; see ``AuthenticatedVault/revokeSlot(id:keepingKeys:progress:)``. The agent then locks, unless `isKeeping` is true.
    ///
    /// - Returns: All slots.
    @discardableResult
    public func removeSlot(
        id: [UInt8], keepingKeys isKeeping: Bool = false, verifiedBy secret: borrowing VaultSecret
    ) throws -> [KeySlotDescription] {
        guard id.count == 16 else { throw AgentError.vault(.noSuchSlot) }
        let request = RemoveSlotRequest(ownerKind: secret.kind, id: id, keepsKeys: isKeeping)
        return try ask(request, secret.typed()).slots
    }

    /// Wipes the agent's keys. Idempotent.
    @discardableResult
    public func lock() throws -> AgentStatus { try ask(LockRequest()) }

    /// Verifies the whole vault again: every row, and that no file lacks a part of its content. Does not extend the session.
    ///
    /// - Throws: `vault(.damaged)`, `vault(.storage)`, `vault(.store(.locked))`.
    public func check() throws { _ = try ask(CheckRequest()) }

    /// The store's change counter. Reading it does not extend the session. Waits for `limit`, or as long as for other answers.
    ///
    /// - Throws: `vault(.store(.locked))`.
    package func generation(within limit: Duration? = nil) throws -> StoreGeneration {
        try ask(GenerationRequest(), within: limit)
    }

    /// Sets the process in whose name this client reads, until it connects again, and its sandboxed application, which is empty without a
    /// sandbox.
    package func announceReader(_ process: UInt32, _ application: String) throws {
        _ = try ask(ReaderRequest(process: process, application: application))
    }

    /// The vault's security settings.
    public func settings() throws -> VaultSettings { try ask(SettingsRequest()) }

    /// Changes a security setting.
    ///
    /// - Throws: `vault(.invalidSettings)`; `vault(.store(.notVerified))` for relaxing a limit without verification.
    @discardableResult
    public func change(_ setting: VaultSetting, to value: UInt32) throws -> VaultSettings {
        try ask(ChangeSettingRequest(setting: setting, value: value))
    }
}

extension AgentClient: SecureStore {
    /// Reads a secret; see ``SecureStore/read(_:_:)``.
    public func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try reading(ReadRequest(name: name), body)
    }

    /// Reads an earlier value; see ``SecureStore/readEarlier(_:revision:_:)``.
    public func readEarlier<Result: ~Copyable>(
        _ name: SecretName, revision: UInt64,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try reading(ReadEarlierRequest(name: name, revision: revision), body)
    }

    private func reading<Request: AgentRequest, Result: ~Copyable>(
        _ request: Request,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result
    where Request.Answer == ValueAnswer, Request.Part == Never {
        var result: Result?
        do {
            // A guarded allocation takes as long as the agent's answer.
            try SecretBufferPool.shared.withBuffer(count: FoundSecret.smallValue) { buffer in
                let found = try storing { connection in
                    try connection.ask(request) { answer, value in
                        try FoundSecret(answer.item, value, &buffer)
                    }
                }
                result = try found.withValue(in: buffer) { (value) throws(SecureStoreError) in
                    try body(found.item, value)
                }
            }
        } catch {
            throw SecureStoreError(translating: error)
        }
        guard let result = result.take() else { preconditionFailure("body gave it") }
        return result
    }

    /// Describes a secret; see ``SecureStore/describe(_:)``.
    public func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        try asking(DescribeRequest(name: name))
    }

    /// Saves a new secret; see ``SecureStore/save(_:as:_:)``.
    @discardableResult
    public func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try asking(SaveRequest(name: name, attributes: attributes), value)
    }

    /// Replaces a value; see ``SecureStore/update(_:to:_:expecting:)``.
    @discardableResult
    public func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try asking(UpdateRequest(name: name, edit: edit, expectedRevision: revision), value)
    }

    /// Changes a description; see ``SecureStore/edit(_:_:expecting:)``.
    @discardableResult
    public func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try asking(EditRequest(name: name, edit: edit, expectedRevision: revision))
    }

    /// Removes a secret; see ``SecureStore/remove(_:expecting:permanently:)``.
    public func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        _ = try asking(
            RemoveRequest(name: name, expectedRevision: revision, isPermanent: isPermanent))
    }

    /// Describes earlier values; see ``SecureStore/history(of:)``.
    public func history(of name: SecretName) throws(SecureStoreError) -> [EarlierSecret] {
        try storing { connection in try connection.list(HistoryRequest(name: name)) }
    }

    /// Describes removed secrets; see ``SecureStore/removed()``.
    public func removed() throws(SecureStoreError) -> [EarlierSecret] {
        try storing { connection in try connection.list(RemovedRequest()) }
    }

    /// Restores an earlier value; see ``SecureStore/restore(_:toRevision:)``.
    @discardableResult
    public func restore(
        _ name: SecretName, toRevision revision: UInt64
    ) throws(SecureStoreError) -> SecretItem {
        try asking(RestoreRequest(name: name, revision: revision))
    }

    /// Brings back a removed secret; see ``SecureStore/restore(removed:as:)``.
    @discardableResult
    public func restore(
        removed id: [UInt8], as name: SecretName?
    ) throws(SecureStoreError) -> SecretItem {
        try storing { connection in
            // No secret has such an id, and a frame has no room for it.
            if id.count != 16 { try connection.refuse(.notFound) }
            return try connection.ask(RestoreRemovedRequest(id: id, name: name))
        }
    }

    /// Describes all secrets; see ``SecureStore/list()``.
    public func list() throws(SecureStoreError) -> [SecretItem] {
        try storing { connection in
            var items = try connection.list(ListRequest())
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
            try connection.list(FindRequest(search: search, limit: UInt32(clamping: limit)))
        }
    }

    /// Edits and removes secrets; see ``SecureStore/change(_:)``.
    @discardableResult
    public func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem] {
        try storing { connection in try connection.list(ChangeRequest(changes: changes)) }
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

    /// Saves many secrets in one atomic step. The agent receives all of them before it begins.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether an existing name gets the new value and description instead of a `duplicate` error.
    ///   - isWithdrawn: Whether the caller no longer wants them, asked every 50 ms while the agent saves. It then saves none, unless it
    ///     has begun to commit.
    ///   - body: Calls the given function for each secret. It must not call the client. A new secret keeps the given times,
    ///     but none later than now.
    /// - Returns: The reasons why single secrets were refused (`duplicate`, `tooLarge`,
    ///   `invalidName`), by the index of their calls. The others are saved.
    /// - Throws: ``AgentError``, ``SecretBatchError``, or the error of `body`; no secret is saved then.
    public func saveAll(
        replacing isReplacing: Bool, unless isWithdrawn: () -> Bool = { false },
        _ body: (
            (borrowing SecretBytes, SecretName, SecretAttributes, SecretTimes?) throws -> Void
        ) throws -> Void
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
                do {
                    return try batch.finish(unless: isWithdrawn)
                } catch let error as SecretBatchError {
                    failure = error
                    throw error
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Saves new secrets in one step; see ``SecureStore/saveEach(_:)``. The size of all of them is limited to 96 MiB.
    public func saveEach(
        _ next: () throws(SecureStoreError) -> NewSecret?
    ) throws(SecureStoreError) {
        let refused: [Int: SecureStoreError]
        do {
            refused = try saveAll(replacing: false) { save in
                while let secret = try next() {
                    try save(secret.value, secret.name, secret.attributes, nil)
                }
            }
        } catch let error as SecureStoreError {
            throw error
        } catch {
            throw SecureStoreError(AgentError(translating: error))
        }
        if let first = refused.min(by: { $0.key < $1.key }) { throw first.value }
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

    private func asking<Request: AgentRequest>(
        _ request: Request
    ) throws(SecureStoreError) -> Request.Answer where Request.Part == Never {
        try storing { connection in try connection.ask(request) }
    }

    /// Sends the caller's value as well, but only if an agent would accept its size.
    private func asking<Request: AgentRequest>(
        _ request: Request, _ value: borrowing SecretBytes
    ) throws(SecureStoreError) -> Request.Answer where Request.Part == Never {
        try storing { connection in
            if value.count > SecretLimits.maximumValueSize {
                try connection.refuse(.tooLarge(maximum: SecretLimits.maximumValueSize))
            }
            return try value.withBytes { bytes in try connection.ask(request, bytes) }
        }
    }
}
