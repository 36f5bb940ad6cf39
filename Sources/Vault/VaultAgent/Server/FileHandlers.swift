internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

extension RequestTable {
    /// Requests about files.
    static let files: [any ServerRequest.Type] = [
        ListFilesRequest.self, EarlierFilesRequest.self, BeginFileRequest.self,
        AppendToFileRequest.self, FinishFileRequest.self, ReadFileRequest.self,
        NextChunkRequest.self, EditFileRequest.self, RemoveFileRequest.self,
        RestoreFileRequest.self, FileSettingsRequest.self, ChangeFileSettingsRequest.self,
    ]
}

extension ListFilesRequest: ListingRequest {
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.pages { vault in
            let files = VaultFiles(vault)
            let found =
                switch selection {
                case .all(let order): try files.list(order)
                case .named(let name): [try files.file(named: name)]
                case .task(let task): try files.files(ofTask: task)
                }
            return (found, .none)
        }
    }
}

extension EarlierFilesRequest: ListingRequest {
    func pages(_ handler: RequestHandler) throws -> [[UInt8]] {
        try handler.pages { vault in
            let files = VaultFiles(vault)
            return (try id.map { try files.history(of: $0) } ?? files.removed(), .none)
        }
    }
}

extension BeginFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> DoneAnswer {
        try handler.file.begin(target)
        return DoneAnswer()
    }
}

extension AppendToFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws -> DoneAnswer {
        try handler.file.append(secret)
        return DoneAnswer()
    }
}

extension FinishFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> StoredFile {
        defer { platform_return_free_memory() }
        return try handler.file.finish()
    }
}

extension ReadFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> StoredFile {
        let file = try handler.file.read(id, revision: revision)
        if let name = try? SecretName(service: SecretName.fileService, account: file.name) {
            handler.noteRead(name)
        }
        return file
    }
}

extension NextChunkRequest: ServerRequest {
    /// Sends a chunk after the vault is released. A lock cancels the sending.
    func serve(_ handler: RequestHandler, _: borrowing SecretBytes) throws {
        let deliveries = handler.session.deliveries
        let epoch = deliveries.epoch
        let size = VaultFiles.chunkSize
        try FrameChannel.pool(for: size).withBuffer(count: size) { buffer in
            guard try handler.file.next({ buffer.keep(copyOf: $0) }) else {
                return try handler.send(DoneAnswer())
            }
            let isDelivered: Void? = try deliveries.deliver(
                since: epoch, end: { handler.channel.hangUp() }
            ) {
                try buffer.withBytes { bytes in
                    try handler.channel.send(
                        ChunkAnswer().head, secret: bytes, within: handler.limits.frame)
                }
            }
            guard isDelivered != nil else { throw SecureStoreError.locked }
        }
    }
}

extension EditFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> StoredFile {
        try handler.changeFile { try $0.edit(id, edit) }
    }
}

extension RemoveFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> DoneAnswer {
        try handler.use { vault in
            try VaultFiles(vault).remove(id, permanently: isPermanent)
            return (DoneAnswer(), .plain)
        }
    }
}

extension RestoreFileRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> StoredFile {
        try handler.changeFile { files in
            switch version {
            case .revision(let revision): try files.restore(id, toRevision: revision)
            case .removed(let name): try files.restore(removed: id, as: name)
            }
        }
    }
}

extension FileSettingsRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> FileSettings {
        try handler.use { vault in (try VaultFiles(vault).settings(), .none) }
    }
}

extension ChangeFileSettingsRequest: SimpleRequest {
    func answer(_ handler: RequestHandler, _: borrowing SecretBytes) throws -> FileSettings {
        try handler.use { vault in
            let stored = try VaultFiles(vault).changeSettings { if $0 == known { $0 = new } }
            return (stored, .plain)
        }
    }
}

extension RequestHandler {
    /// Changes a file; counts as a use of that file.
    fileprivate func changeFile(_ body: (VaultFiles) throws -> StoredFile) throws -> StoredFile {
        try use { vault in
            let file = try body(VaultFiles(vault))
            return (file, AgentSession.Use(file.isProtected))
        }
    }
}
