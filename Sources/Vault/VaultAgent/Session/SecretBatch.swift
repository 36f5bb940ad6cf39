internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import VaultCore

/// The parts of the only batch of secrets that is being received, for one atomic save. Thread-safe.
///
/// The vault is used only after all parts have arrived, so a slow client does not block it. The
/// limit of one batch bounds the agent's memory.
final class SecretBatch: Sendable {
    private final class Part: Sendable {
        let bytes: SecretBytes

        init(_ bytes: borrowing SecretBytes) throws {
            self.bytes = try bytes.copy()
        }
    }

    private struct State {
        var client: ObjectIdentifier
        var began: BootTime
        var size = 0
        var parts: [Part] = []
    }

    private static let interrupted = SecureStoreError.unavailable(
        .failed, detail: "the import was interrupted, and nothing was imported")

    private let timeLimit: Duration
    private let state = Mutex<State?>(nil)

    /// - Parameter timeLimit: The time for which a batch excludes others; then another one may
    ///   replace it.
    init(timeLimit: Duration = .seconds(30)) {
        self.timeLimit = timeLimit
    }

    /// Keeps a part of a client's batch.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - number: Its number; 0 begins a new batch.
    ///   - client: The client.
    /// - Throws: `unavailable(.busy)` during another client's batch; `unavailable(.failed)` if earlier parts are missing, as after a
    ///   lock; `tooLarge`.
    func add(_ bytes: borrowing SecretBytes, number: UInt32, of client: ObjectIdentifier) throws {
        let part = try Part(bytes)
        try state.withLock { state in
            if number == 0 {
                if let other = state, other.client != client, other.began + timeLimit > .now {
                    throw SecureStoreError.unavailable(.busy, detail: "another import is running")
                }
                state = State(client: client, began: .now)
            }
            guard var batch = state, batch.client == client, batch.parts.count == Int(number)
            else {
                throw Self.interrupted
            }
            batch.size += part.bytes.count
            guard batch.size <= AgentProtocol.largestBatch else {
                state = nil
                throw SecureStoreError.tooLarge(maximum: AgentProtocol.largestBatch)
            }
            batch.parts.append(part)
            state = batch
        }
    }

    /// Saves a client's complete batch in one step, and discards it.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - isReplacing: Whether the secrets replace those of their names.
    ///   - vault: The vault.
    ///   - isWanted: Whether the client still waits; if not, nothing is saved.
    /// - Returns: The reasons why single secrets were refused, by their index; the others are
    ///   saved.
    /// - Throws: `malformed`; `unavailable(.failed)` if the client or its parts are missing; an
    ///   error of the vault. No secret is saved then.
    func save(
        of client: ObjectIdentifier, replacing isReplacing: Bool, in vault: UnlockedVault,
        while isWanted: () -> Bool
    ) throws -> (refused: [RefusedSecret], use: AgentSession.Use) {
        let batch = state.withLock { state -> State? in
            guard state?.client == client else { return nil }
            defer { state = nil }
            return state
        }
        // A lock discarded it, or another client's batch replaced it after a long wait.
        guard let batch else { throw Self.interrupted }
        var refused: [RefusedSecret] = []
        var use = AgentSession.Use.plain
        var place: UInt32 = 0
        var failure: (any Error)?
        do {
            try vault.saveAll(replacing: isReplacing) { (save) throws(SecureStoreError) in
                do {
                    for part in batch.parts {
                        try part.bytes.forEachRecord { name, attributes, times, value in
                            do {
                                try save(value, name, attributes, times)
                                if attributes.accessClass == .afterVerification { use = .protected }
                            } catch let error as SecureStoreError where error.concernsOneSecret {
                                refused.append(
                                    RefusedSecret(place: place, failure: WireFailure(error)))
                            }
                            place += 1
                            guard !place.isMultiple(of: 256) || isWanted() else {
                                throw Self.interrupted
                            }
                        }
                    }
                    guard isWanted() else { throw Self.interrupted }
                } catch {
                    failure = error
                    throw SecureStoreError(translating: error)
                }
            }
        } catch {
            // The vault throws only its own errors.
            throw failure ?? error
        }
        return (refused, use)
    }

    /// Discards the parts of a disconnected client, or all parts.
    func forget(of client: ObjectIdentifier? = nil) {
        state.withLock { state in
            if client == nil || state?.client == client { state = nil }
        }
    }
}

extension SecretBytes {
    /// Decodes the records of a part of a batch.
    fileprivate borrowing func forEachRecord(
        _ body: (SecretName, SecretAttributes, SecretTimes?, borrowing SecretBytes) throws -> Void
    ) throws {
        try withBytes { (bytes) throws in
            try ByteReader.reading(bytes) { (reader) throws in
                while !reader.isAtEnd {
                    guard let name = reader.name(), let attributes = reader.attributes(),
                        let times = reader.times(), let size = reader.integer(UInt32.self),
                        reader.skip(Int(size))
                    else { throw AgentError.malformed }
                    let value = bytes.extracting((reader.offset - Int(size))..<reader.offset)
                    try SecretBufferPool.shared.withBuffer(count: Int(size)) { buffer in
                        buffer.keep(copyOf: value)
                        try body(name, attributes, times, buffer)
                    }
                }
            }
        }
    }
}
