internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

extension RequestTable {
    /// Requests about secrets.
    static let secrets: [any ServerRequest.Type] = [
        ReadRequest.self, SaveRequest.self, UpdateRequest.self, EditRequest.self,
        RemoveRequest.self, ListRequest.self, DescribeRequest.self, SaveAllRequest.self,
        HistoryRequest.self, ReadEarlierRequest.self, RemovedRequest.self, RestoreRequest.self,
        RestoreRemovedRequest.self,
        FindRequest.self, ChangeRequest.self,
    ]
}

extension ReadRequest: ServerRequest {
    func serve(_ handler: RequestHandler, _: borrowing SecretBytes) throws {
        // The key of the log or its absence was requested, so its reader needs all records.
        if name.service.hasSameBytes(as: SecretName.readsService) {
            handler.session.readLog?.flush()
        }
        try handler.deliver(name) { (store, buffer) throws(SecureStoreError) in
            try store.read(name) { (item, value) throws(SecureStoreError) in
                try FoundSecret(item, value, &buffer)
            }
        }
    }
}

extension ReadEarlierRequest: ServerRequest {
    func serve(_ handler: RequestHandler, _: borrowing SecretBytes) throws {
        try handler.deliver(name) { (store, buffer) throws(SecureStoreError) in
            try store.readEarlier(name, revision: revision) {
                (item, value) throws(SecureStoreError) in
                try FoundSecret(item, value, &buffer)
            }
        }
    }
}

extension RequestHandler {
    /// Sends a value that `read` finds, after the vault is released, so that a slow client does not block others. A lock cancels the sending.
    fileprivate func deliver(
        _ name: SecretName,
        _ read: (any SecureStore, inout SecretBytes) throws(SecureStoreError) -> FoundSecret
    ) throws {
        // A pooled buffer: a guarded allocation would take longer than the rest of the request.
        try SecretBufferPool.shared.withBuffer(count: FoundSecret.smallValue) { buffer in
            let epoch = session.deliveries.epoch
            // A locked vault answers at once.
            _ = try session.current()
            let found = try session.readTurn.withLock {
                try use { vault in
                    let found = try read(store(of: name, vault), &buffer)
                    noteRead(name)
                    return (found, AgentSession.Use(of: found.item))
                }
            }
            let isDelivered: Void? = try session.deliveries.deliver(
                since: epoch, end: { channel.hangUp() }
            ) {
                try found.withValue(in: buffer) { value in try send(found.item, value) }
            }
            guard isDelivered != nil else { throw SecureStoreError.locked }
        }
    }

    private func send(_ item: SecretItem, _ value: borrowing SecretBytes) throws {
        try value.withBytes { bytes in
            try channel.send(ValueAnswer(item: item).head, secret: bytes, within: limits.frame)
        }
    }
}

extension SaveRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws -> SecretItem {
        try handler.change { vault in
            let store = try handler.changeableStore(of: name, vault, adding: true)
            return try store.save(secret, as: name, attributes)
        }
    }
}

extension UpdateRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws -> SecretItem {
        try handler.change { vault in
            let store = try handler.changeableStore(of: name, vault)
            return try store.update(name, to: secret, edit, expecting: expectedRevision)
        }
    }
}

extension EditRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> SecretItem {
        try handler.change { vault in
            let store = try handler.changeableStore(of: name, vault)
            return try store.edit(name, edit, expecting: expectedRevision)
        }
    }
}

extension RemoveRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> DoneAnswer {
        try handler.use { vault in
            let store = try handler.changeableStore(of: name, vault)
            try store.remove(name, expecting: expectedRevision, permanently: isPermanent)
            return (DoneAnswer(), .plain)
        }
    }
}

extension ListRequest: ListingRequest {
    /// Encodes the pages while the vault is held; they are sent afterwards.
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.use { vault in
            var pages = ListPageEncoder<SecretItem>()
            try vault.forEachEncoded { item in pages.add(encoded: item) }
            for item in try handler.session.sessionSecrets.list() { pages.add(item) }
            return (pages.finish(), .none)
        }
    }
}

extension DescribeRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> SecretItem {
        try handler.use { vault in
            (try handler.store(of: name, vault).describe(name), .none)
        }
    }
}

extension SaveAllRequest: ServerRequest {
    /// Keeps a part of a batch; the last part saves all of them.
    func serve(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws {
        let session = handler.session
        let client = ObjectIdentifier(handler.channel)
        _ = try session.current()
        try session.batch.add(secret, number: part, of: client)
        do {
            // A lock discards the batch, and this part may have arrived after the lock.
            _ = try session.current()
        } catch {
            session.batch.forget(of: client)
            throw error
        }
        guard isLast else { return try handler.send(pages: []) }
        defer { platform_return_free_memory() }
        let pages = try handler.pages { vault in
            try session.batch.save(
                of: client, replacing: isReplacing, in: vault, while: { handler.isWanted })
        }
        try handler.send(pages: pages)
    }
}

extension HistoryRequest: ListingRequest {
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.pages { vault in (try vault.history(of: name), .none) }
    }
}

extension RemovedRequest: ListingRequest {
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.pages { vault in (try vault.removed(), .none) }
    }
}

extension RestoreRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> SecretItem {
        try handler.change { vault in try vault.restore(name, toRevision: revision) }
    }
}

extension RestoreRemovedRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> SecretItem {
        guard let name else {
            // The request reads no value.
            return try handler.use { vault in
                (try vault.restore(removed: id, as: nil), .plain)
            }
        }
        return try handler.change { vault in try vault.restore(removed: id, as: name) }
    }
}

extension FindRequest: ListingRequest {
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.pages { vault in (try vault.find(search, limit: Int(limit)), .none) }
    }
}

extension ChangeRequest: ListingRequest {
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.pages { vault in
            let items = try vault.change(changes)
            return (items, AgentSession.Use(changing: items))
        }
    }
}

extension RequestHandler {
    /// The store of a secret for reading: the vault, or this process's memory.
    fileprivate func store(of name: SecretName, _ vault: UnlockedVault) -> any SecureStore {
        name.isSessionOnly ? session.sessionSecrets.store : vault
    }

    /// The store of a secret for changes.
    fileprivate func changeableStore(
        of name: SecretName, _ vault: UnlockedVault, adding isAdding: Bool = false
    ) throws -> any SecureStore {
        name.isSessionOnly ? try session.sessionSecrets.changing(adding: isAdding) : vault
    }

    /// Changes a secret; counts as a use of that secret.
    fileprivate func change(_ body: (UnlockedVault) throws -> SecretItem) throws -> SecretItem {
        try use { vault in
            let item = try body(vault)
            return (item, AgentSession.Use(of: item))
        }
    }
}
