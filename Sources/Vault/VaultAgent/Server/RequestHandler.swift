internal import Passkeys
internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// Answers the requests of one connection.
struct RequestHandler {
    let session: AgentSession
    let processID: UInt32
    /// The time limit for sending an answer.
    let limits: AgentTimeLimits
    /// The file that the client is writing or reading.
    let file: OpenFile
    /// The program of the client, for the log of reads.
    let client = ConnectedProgram()

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: Any request except the hello and `end`.
    ///   - secret: The secret of the request.
    ///   - channel: The channel for the answer.
    /// - Throws: The error that ends the connection.
    func answer(
        _ request: AgentRequest, _ secret: borrowing SecretBytes, on channel: FrameChannel
    ) throws {
        do {
            switch request {
            case .read(let name):
                try read(name, on: channel)
            case .list:
                // Pages of a large vault occupy megabytes, and the next list may be an hour away.
                defer { platform_return_free_memory() }
                try list(on: channel)
            case .find(let search, let limit):
                let pages = try items { vault in
                    (try vault.find(search, limit: Int(limit)), .none)
                }
                if pages.count > 1 { platform_return_free_memory() }
                try send(pages, on: channel)
            case .change(let changes):
                let pages = try items { vault in
                    let items = try vault.change(changes)
                    return (items, AgentSession.Use(changing: items))
                }
                try send(pages, on: channel)
            case .history(let name):
                try listEarlier(on: channel) { vault in try vault.history(of: name) }
            case .removed:
                defer { platform_return_free_memory() }
                try listEarlier(on: channel) { vault in try vault.removed() }
            case .verifyByFinger:
                try session.verifyByFinger(asking: channel.descriptor) { prompt in
                    try channel.send(AgentAnswer.finger(prompt).head, within: limits.frame)
                }
                let status = session.status(processID: processID)
                try channel.send(AgentAnswer.status(status).head, within: limits.frame)
            case .saveAll(let isReplacing, let part, let isLast):
                try saveAll(secret, part, on: channel, last: isLast, replacing: isReplacing)
            case .file(let request):
                try answer(request, secret, on: channel)
            default:
                let answer = try self.answer(request, secret, while: { !channel.isStale })
                try channel.send(answer.head, within: limits.frame)
                // The owner does not wait for it.
                switch request {
                case .unlock, .unlockByPasskey: session.eraseExpired()
                default: break
                }
            }
        } catch {
            guard let refusal = WireFailure(session.explained(error)) else { throw error }
            try channel.send(AgentAnswer.failure(refusal).head, within: limits.frame)
        }
    }

    /// Handles requests with one answer and no secret in it.
    private func answer(
        _ request: AgentRequest, _ secret: borrowing SecretBytes, while isWanted: () -> Bool
    ) throws -> AgentAnswer {
        switch request {
        case .status:
            return .status(session.status(processID: processID))
        case .unlock(let kind, let acceptsOlder, let acceptsOther):
            try session.unlock(
                with: VaultSecret(kind, typed: secret), acceptsOlder: acceptsOlder,
                acceptsOther: acceptsOther, while: isWanted)
            return .status(session.status(processID: processID))
        case .verify(let kind):
            try session.verify(with: VaultSecret(kind, typed: secret))
            return .status(session.status(processID: processID))
        case .lock:
            session.lock()
            return .status(session.status(processID: processID))
        case .settings:
            return try session.use { vault in (.settings(try vault.currentSettings()), .none) }
        case .restored:
            return .restored(
                session.takeRestoredBackup(), logFailure: session.readLog?.failure ?? 0)
        case .changeSetting(let setting, let value):
            return .settings(try session.change(setting, to: value))
        case .slots:
            return .slots(try session.slots())
        case .reader(let process):
            client.announce(process)
            return .done
        case .generation:
            return .generation(
                try session.use { vault in
                    (
                        StoreGeneration(
                            counter: vault.counter,
                            sessionSecrets: session.sessionSecrets.generation), .none
                    )
                })
        case .addKey, .renameKey, .removeSlot, .addPasskey:
            try changeSlots(request, secret)
            return .slots(try session.slots())
        case .beginPasskey(let isRegistering, let port):
            return .passkey(
                try session.beginPasskey(
                    registering: isRegistering, port: UInt16(truncatingIfNeeded: port)))
        case .registerPasskey(let registration):
            return .passkey(try session.finish(registration))
        case .unlockByPasskey(let assertion, let acceptsOlder, let acceptsOther):
            try session.unlock(
                with: session.finish(assertion, output: secret).secret(),
                acceptsOlder: acceptsOlder, acceptsOther: acceptsOther, while: isWanted)
            return .status(session.status(processID: processID))
        case .verifyByPasskey(let assertion):
            try session.verify(with: session.finish(assertion, output: secret).secret())
            return .status(session.status(processID: processID))
        default:
            return try change(request, secret)
        }
    }

    /// Changes the slots, in the name of the owner whom the secret verifies.
    private func changeSlots(
        _ request: AgentRequest, _ secret: borrowing SecretBytes
    ) throws {
        switch request {
        case .addKey(let kind, let record):
            let output = try VaultSecret(.authenticator, typed: output(after: secret))
            try session.withOwner(verifiedBy: owner(kind, before: secret)) { vault in
                try vault.addKey(record, with: output)
            }
        case .addPasskey(let kind, let assertion, let name):
            let output = try output(after: secret)
            // A wrong secret of the owner leaves the challenge for another try.
            try session.withOwner(verifiedBy: owner(kind, before: secret)) { vault in
                let passkey = try session.finish(assertion, output: output)
                try vault.addKey(passkey.record(name: name), with: passkey.secret())
            }
        case .renameKey(let name):
            let output = try VaultSecret(.authenticator, typed: secret)
            try session.withOwner(verifiedBy: output) { vault in
                _ = try vault.renameKey(to: name, with: output)
            }
        case .removeSlot(let kind, let id, let keepsKeys):
            let owner = try VaultSecret(kind, typed: secret)
            try session.withOwner(verifiedBy: owner) { vault in
                _ = try vault.revokeSlot(id: id, keepingKeys: keepsKeys)
            }
            // Its keys are no longer those of the vault.
            if !keepsKeys { session.lock() }
        default:
            preconditionFailure("answered elsewhere")
        }
    }

    /// The output of a new key, which follows the secret of the owner.
    private func output(after secret: borrowing SecretBytes) throws -> SecretBytes {
        let size = secret.count - AuthenticatorOutput.size
        guard size >= 0 else { throw VaultError.wrongKey }
        return try secret.copy(from: size, count: AuthenticatorOutput.size)
    }

    private func owner(
        _ kind: KeySlotKind, before secret: borrowing SecretBytes
    ) throws -> VaultSecret {
        let size = max(0, secret.count - AuthenticatorOutput.size)
        return try VaultSecret(kind, typed: secret.copy(from: 0, count: size))
    }

    private func change(
        _ request: AgentRequest, _ secret: borrowing SecretBytes
    ) throws -> AgentAnswer {
        switch request {
        case .describe(let name):
            return try session.use { vault in
                (.item(try reading(name, vault).describe(name)), .none)
            }
        case .edit(let name, let edit, let revision):
            try session.sessionSecrets.admit(edit, of: name)
            return try changing { vault in
                try changing(name, vault).edit(name, edit, expecting: revision)
            }
        case .remove(let name, let revision, let isPermanent):
            return try session.use { vault in
                try changing(name, vault).remove(
                    name, expecting: revision, permanently: isPermanent)
                return (.done, .plain)
            }
        case .restore(let name, let revision):
            return try changing { vault in try vault.restore(name, toRevision: revision) }
        case .restoreRemoved(let id, nil):
            // Reads no value.
            return try session.use { vault in
                (.item(try vault.restore(removed: id, as: nil)), .plain)
            }
        case .restoreRemoved(let id, let name):
            return try changing { vault in try vault.restore(removed: id, as: name) }
        case .save(let name, let attributes):
            return try changing { vault in
                try changing(name, vault, adding: true).save(secret, as: name, attributes)
            }
        case .update(let name, let edit, let revision):
            try session.sessionSecrets.admit(edit, of: name)
            return try changing { vault in
                try changing(name, vault).update(name, to: secret, edit, expecting: revision)
            }
        default:
            preconditionFailure("answered elsewhere")
        }
    }

    /// Where a secret is changed: in the vault, or only in this process.
    private func changing(
        _ name: SecretName, _ vault: UnlockedVault, adding isAdding: Bool = false
    ) throws -> any SecureStore {
        name.isSessionOnly ? try session.sessionSecrets.changing(adding: isAdding) : vault
    }

    /// Where a secret is read.
    private func reading(_ name: SecretName, _ vault: UnlockedVault) -> any SecureStore {
        name.isSessionOnly ? session.sessionSecrets.store : vault
    }

    private func changing(_ body: (UnlockedVault) throws -> SecretItem) throws -> AgentAnswer {
        try session.use { vault in
            let item = try body(vault)
            return (.item(item), AgentSession.Use(of: item))
        }
    }

    /// Reads a secret, and sends it after the vault is released, so that a slow client does not block others. A lock cancels the sending.
    private func read(_ name: SecretName, on channel: FrameChannel) throws {
        // The key of the log, or its absence: its reader wants all of it.
        if name.service.hasSameBytes(as: SecretName.readsService) { session.readLog?.flush() }
        // A pooled buffer: a guarded allocation would take longer than the rest of the request.
        try SecretBufferPool.shared.withBuffer(
            count: Self.smallValue
        ) { buffer in
            let epoch = session.views.epoch
            let found = try session.use { vault in
                let store = reading(name, vault)
                let found = try store.read(name) { (item, value) throws(SecureStoreError) in
                    try FoundSecret(item, value, &buffer)
                }
                noteRead(name, on: channel)
                return (found, AgentSession.Use(of: found.item))
            }
            let isShown: Void? = try session.views.show(since: epoch, end: { channel.hangUp() }) {
                try found.send(buffer, on: channel, within: limits.frame)
            }
            guard isShown != nil else { throw SecureStoreError.locked }
        }
    }

    /// Notes a read for the log.
    func noteRead(_ name: SecretName, on channel: FrameChannel) {
        session.readLog?.add(name, by: client.program(at: channel.descriptor))
    }

    /// The largest value that needs no allocation, in bytes.
    private static let smallValue = 8 * 1_024

    /// Lists all secrets in pages. The pages are encoded while the vault is held, and sent afterwards.
    private func list(on channel: FrameChannel) throws {
        let pages: [[UInt8]] = try session.use { vault in
            var pages = AnswerPages(.items)
            try vault.forEachEncoded { item in pages.add { $0.raw(item) } }
            for item in try session.sessionSecrets.list() { pages.add { $0.item(item) } }
            return (pages.finish(), .none)
        }
        try send(pages, on: channel)
    }

    /// The pages of some descriptions, in their order.
    private func items(
        _ body: (UnlockedVault) throws -> ([SecretItem], AgentSession.Use)
    ) throws -> [[UInt8]] {
        try session.use { vault in
            let (items, use) = try body(vault)
            var pages = AnswerPages(.items)
            for item in items { pages.add { $0.item(item) } }
            return (pages.finish(), use)
        }
    }

    /// Lists earlier versions in pages, in their order.
    private func listEarlier(
        on channel: FrameChannel, _ secrets: (UnlockedVault) throws -> [EarlierSecret]
    ) throws {
        let pages: [[UInt8]] = try session.use { vault in
            var pages = AnswerPages(.earlier)
            for secret in try secrets(vault) { pages.add { $0.earlier(secret) } }
            return (pages.finish(), .none)
        }
        try send(pages, on: channel)
    }

    /// Keeps a part of a batch; with the last one, saves them all.
    private func saveAll(
        _ secret: borrowing SecretBytes, _ part: UInt32, on channel: FrameChannel,
        last isLast: Bool,
        replacing isReplacing: Bool
    ) throws {
        let client = ObjectIdentifier(channel)
        _ = try session.current()
        try session.batch.add(secret, number: part, of: client)
        do {
            // A lock forgets the batch; this part may have come after it.
            _ = try session.current()
        } catch {
            session.batch.forget(of: client)
            throw error
        }
        guard isLast else { return try send([], on: channel) }
        defer { platform_return_free_memory() }
        let refused = try session.use { vault in
            try session.batch.save(
                of: client, replacing: isReplacing, in: vault, while: { !channel.isStale })
        }
        let pages = stride(from: 0, to: refused.count, by: Self.refusedOnPage).map { start in
            AgentAnswer.refused(Array(refused[start...].prefix(Self.refusedOnPage))).head
        }
        try send(pages, on: channel)
    }

    /// How many refused secrets a page has.
    private static let refusedOnPage = 1_000

    /// Sends the pages of an answer, and its end.
    func send(_ pages: [[UInt8]], on channel: FrameChannel) throws {
        let deadline = ContinuousClock.now + limits.list
        for page in pages + [AgentAnswer.done.head] {
            let left = ContinuousClock.now.duration(to: deadline)
            try channel.send(page, within: min(limits.frame, left))
        }
    }
}

/// A secret to be sent to a client: in the caller's buffer if it is small enough.
private final class FoundSecret {
    let item: SecretItem
    private var large: SecretBytes?

    init(
        _ item: SecretItem, _ value: borrowing SecretBytes, _ buffer: inout SecretBytes
    ) throws(SecureStoreError) {
        self.item = item
        if value.count <= buffer.count {
            value.withBytes { bytes in buffer.keep(copyOf: bytes) }
            return
        }
        do {
            large = try value.copy()
        } catch {
            throw SecureStoreError(translating: error)
        }
    }

    /// Sends the secret, and wipes a large one.
    func send(
        _ buffer: borrowing SecretBytes, on channel: FrameChannel, within limit: Duration
    ) throws {
        if let large = large.take() { return try send(large, channel, limit) }
        try send(buffer, channel, limit)
    }

    private func send(
        _ value: borrowing SecretBytes, _ channel: FrameChannel, _ limit: Duration
    ) throws {
        try value.withBytes { bytes in
            try channel.send(AgentAnswer.value(item).head, secret: bytes, within: limit)
        }
    }
}

extension SecretBytes {
    /// Overwrites the beginning with other bytes, and keeps only these.
    mutating func keep(copyOf bytes: RawSpan) {
        withMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe target.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
            }
        }
        platform_wipe_vector_registers()
        keep(count: bytes.byteCount)
    }
}
