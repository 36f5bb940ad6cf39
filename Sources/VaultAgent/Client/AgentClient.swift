public import SecretMemory
public import SecureStorage
internal import Synchronization
public import VaultCore

/// A vault that an agent holds unlocked: a ``SecureStore`` that answers as the vault itself would.
///
/// Thread-safe; calls on one value take turns. Where the agent hung up between two calls, the next one connects again. A call that the agent
/// did not answer fails with `SecureStoreError.unavailable`: whether it was done is not known then.
public final class AgentClient: Sendable {
    private let place: AgentPlace
    private let programVersion: String
    private let connection: Mutex<Held>

    /// A connection is used by one thread at a time, under the lock.
    private struct Held: @unchecked Sendable {
        var connection: AgentConnection?
    }

    /// Connects to the agent of a vault.
    ///
    /// - Parameters:
    ///   - place: The vault's place.
    ///   - programVersion: The version of this program, for messages of others.
    /// - Throws: `AgentError.notRunning`, `.otherVersion`, `.notTrusted`, …
    public convenience init(_ place: AgentPlace, programVersion: String) throws(AgentError) {
        let connection = try AgentConnection(place, programVersion: programVersion)
        try connection.requireOurVersion()
        self.init(place, programVersion, connection)
    }

    private init(_ place: AgentPlace, _ programVersion: String, _ connection: AgentConnection) {
        self.place = place
        self.programVersion = programVersion
        self.connection = Mutex(Held(connection: connection))
    }

    /// Makes the agent of a vault lock and end, whatever version it has; another one can be started afterwards.
    ///
    /// - Returns: Whether there was one.
    public static func end(
        _ place: AgentPlace, programVersion: String
    ) throws(AgentError) -> Bool {
        do throws(AgentError) {
            let connection = try AgentConnection(place, programVersion: programVersion)
            try connection.end()
            return true
        } catch .notRunning {
            return false
        }
    }

    /// Runs `body` with a connection that was alive a moment ago.
    private func use<Result: ~Copyable>(
        _ body: (AgentConnection) throws(AgentError) -> Result
    ) throws(AgentError) -> Result {
        try connection.withLock { (held) throws(AgentError) -> Handed<Result> in
            if held.connection?.isStale != false {
                held.connection = nil
                let fresh = try AgentConnection(place, programVersion: programVersion)
                try fresh.requireOurVersion()
                held.connection = fresh
            }
            guard let connection = held.connection else { throw .notRunning }
            do throws(AgentError) {
                return Handed(try body(connection))
            } catch {
                // After anything but a refusal nobody knows what comes next on it.
                if !error.isRefusal { held.connection = nil }
                throw error
            }
        }.take()
    }
}

// What only an agent does.
extension AgentClient {
    /// What the agent says of its session; waits for `limit`, or as long as for other answers.
    public func status(within limit: Duration? = nil) throws(AgentError) -> AgentStatus {
        try use { (connection) throws(AgentError) in
            try connection.ask(.status, within: limit).asStatus()
        }
    }

    /// Unlocks the vault, or proves its owner again.
    ///
    /// - Parameters:
    ///   - secret: Passphrase or recovery code.
    ///   - acceptsOlder: Whether a vault older than this machine's mark is accepted.
    /// - Returns: The session, unlocked and verified.
    /// - Throws: `AgentError.vault(.wrongPassphrase)`, `.throttled`, …
    @discardableResult
    public func unlock(
        with secret: borrowing VaultSecret, acceptsOlder: Bool = false
    ) throws(AgentError) -> AgentStatus {
        let typed = try secret.typed()
        let request = AgentRequest.unlock(secret.kind, acceptsOlder: acceptsOlder)
        return try typed.withBytes { (typed) throws(AgentError) in
            try use { (connection) throws(AgentError) in
                try connection.ask(request, typed).asStatus()
            }
        }
    }

    /// Proves the owner of the unlocked vault again.
    ///
    /// - Throws: As ``unlock(with:acceptsOlder:)``; `vault(.store(.locked))`.
    @discardableResult
    public func verify(with secret: borrowing VaultSecret) throws(AgentError) -> AgentStatus {
        let typed = try secret.typed()
        let kind = secret.kind
        return try typed.withBytes { (typed) throws(AgentError) in
            try use { (connection) throws(AgentError) in
                try connection.ask(.verify(kind), typed).asStatus()
            }
        }
    }

    /// Wipes the agent's keys. Locking twice is allowed.
    @discardableResult
    public func lock() throws(AgentError) -> AgentStatus {
        try use { (connection) throws(AgentError) in try connection.ask(.lock).asStatus() }
    }

    /// The vault's security settings.
    public func settings() throws(AgentError) -> VaultSettings {
        try use { (connection) throws(AgentError) in try connection.ask(.settings).asSettings() }
    }

    /// Changes one of them.
    ///
    /// - Throws: `vault(.invalidSettings)`, and `vault(.store(.notVerified))` for one that makes sessions longer while not verified.
    @discardableResult
    public func change(
        _ setting: VaultSetting, to value: UInt32
    ) throws(AgentError) -> VaultSettings {
        try use { (connection) throws(AgentError) in
            try connection.ask(.changeSetting(setting, value)).asSettings()
        }
    }
}

extension AgentClient: SecureStore {
    /// Reads a secret; see ``SecureStore/read(_:_:)``.
    public func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        let found = try storing { (connection) throws(AgentError) in
            try connection.ask(.read(name)) { (answer, value) throws(AgentError) in
                guard case .value(let item) = answer else { throw .malformed }
                return Found(item: item, value: value)
            }
        }
        return try body(found.item, found.value)
    }

    /// Saves a new secret; see ``SecureStore/save(_:as:_:)``.
    @discardableResult
    public func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try storing(value) { (connection, value) throws(AgentError) in
            try connection.ask(.save(name, attributes), value).asItem()
        }
    }

    /// Replaces a value; see ``SecureStore/update(_:to:_:expecting:)``.
    @discardableResult
    public func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try storing(value) { (connection, value) throws(AgentError) in
            try connection.ask(.update(name, edit, expecting: revision), value).asItem()
        }
    }

    /// Changes a description; see ``SecureStore/edit(_:_:expecting:)``.
    @discardableResult
    public func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try storing { (connection) throws(AgentError) in
            try connection.ask(.edit(name, edit, expecting: revision)).asItem()
        }
    }

    /// Removes a secret; see ``SecureStore/remove(_:expecting:)``.
    public func remove(
        _ name: SecretName, expecting revision: UInt64?
    ) throws(SecureStoreError) {
        try storing { (connection) throws(AgentError) in
            guard case .done = try connection.ask(.remove(name, expecting: revision)) else {
                throw .malformed
            }
        }
    }

    /// Describes all secrets; see ``SecureStore/list()``.
    public func list() throws(SecureStoreError) -> [SecretItem] {
        try storing { (connection) throws(AgentError) in
            var all: [SecretItem] = []
            var answer = try connection.ask(.list)
            while case .items(let page) = answer {
                all += page
                answer = try connection.next()
            }
            guard case .done = answer else { throw .malformed }
            return all.sorted { $0.name < $1.name }
        }
    }

    func storing<Result: ~Copyable>(
        _ body: (AgentConnection) throws(AgentError) -> Result
    ) throws(SecureStoreError) -> Result {
        do throws(AgentError) {
            return try use(body)
        } catch {
            throw SecureStoreError(error)
        }
    }
}

extension AgentClient {
    /// The same with a value of the caller's, which travels only if an agent would take it.
    private func storing<Result>(
        _ value: borrowing SecretBytes,
        _ body: (AgentConnection, RawSpan) throws(AgentError) -> Result
    ) throws(SecureStoreError) -> Result {
        guard value.count <= SecretLimits.maximumValueSize else {
            // A locked store says that first.
            guard try isUnlocked() else { throw .locked }
            throw .tooLarge(maximum: SecretLimits.maximumValueSize)
        }
        return try value.withBytes { (bytes) throws(SecureStoreError) in
            try storing { (connection) throws(AgentError) in try body(connection, bytes) }
        }
    }

    private func isUnlocked() throws(SecureStoreError) -> Bool {
        try storing { (connection) throws(AgentError) in
            try connection.ask(.status).asStatus().isUnlocked
        }
    }
}

/// A secret that came from the agent.
private struct Found: ~Copyable {
    let item: SecretItem
    let value: SecretBytes
}
