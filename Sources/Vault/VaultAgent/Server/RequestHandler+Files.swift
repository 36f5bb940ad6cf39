internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

// Requests about files.
extension RequestHandler {
    func answer(
        _ request: FileRequest, _ secret: borrowing SecretBytes, on channel: FrameChannel
    ) throws {
        switch request {
        case .list(let selection):
            try listFiles(selection, on: channel)
        case .earlier(let id):
            let pages: [[UInt8]] = try session.use { vault in
                let files = VaultFiles(vault)
                var pages = AnswerPages(.earlierFiles)
                for file in try id.map({ try files.history(of: $0) }) ?? files.removed() {
                    pages.add { $0.earlierFile(file) }
                }
                return (pages.finish(), .none)
            }
            try send(pages, on: channel)
        case .next:
            try sendChunk(on: channel)
        default:
            let answer = try answer(request, secret)
            if case (.read, .file(let file)) = (request, answer),
                let name = try? SecretName(
                    service: SecretName.fileService, account: file.name)
            {
                noteRead(name, on: channel)
            }
            try channel.send(answer.head, within: limits.frame)
        }
    }

    private func answer(
        _ request: FileRequest, _ secret: borrowing SecretBytes
    ) throws -> AgentAnswer {
        switch request {
        case .begin(let target):
            try file.begin(target)
            return .done
        case .append:
            try file.append(secret)
            return .done
        case .finish:
            defer { platform_return_free_memory() }
            return .file(try file.finish())
        case .read(let id, let revision):
            return .file(try file.read(id, revision: revision))
        case .edit(let id, let edit):
            return try changing { try $0.edit(id, edit) }
        case .remove(let id, let isPermanent):
            return try session.use { vault in
                try VaultFiles(vault).remove(id, permanently: isPermanent)
                return (.done, .plain)
            }
        case .restore(let id, .revision(let revision)):
            return try changing { try $0.restore(id, toRevision: revision) }
        case .restore(let id, .removed(let name)):
            return try changing { try $0.restore(removed: id, as: name) }
        case .settings:
            return try session.use { vault in
                (.fileSettings(try VaultFiles(vault).settings()), .none)
            }
        case .changeSettings(let known, let new):
            return try session.use { vault in
                let stored = try VaultFiles(vault).changeSettings { if $0 == known { $0 = new } }
                return (.fileSettings(stored), .plain)
            }
        default:
            preconditionFailure("answered elsewhere")
        }
    }

    private func changing(_ body: (VaultFiles) throws -> StoredFile) throws -> AgentAnswer {
        try session.use { vault in
            let file = try body(VaultFiles(vault))
            return (.file(file), AgentSession.Use(file.isProtected))
        }
    }

    private func listFiles(
        _ selection: FileRequest.Selection, on channel: FrameChannel
    ) throws {
        let pages: [[UInt8]] = try session.use { vault in
            let files = VaultFiles(vault)
            let found =
                switch selection {
                case .all(let order): try files.list(order)
                case .named(let name): [try files.file(named: name)]
                case .task(let task): try files.files(ofTask: task)
                }
            var pages = AnswerPages(.files)
            for file in found { pages.add { $0.file(file) } }
            return (pages.finish(), .none)
        }
        if pages.count > 1 { platform_return_free_memory() }
        try send(pages, on: channel)
    }

    /// Reads a chunk, and sends it after the vault is released. A lock cancels the sending.
    private func sendChunk(on channel: FrameChannel) throws {
        let epoch = session.views.epoch
        let size = VaultFiles.chunkSize
        try FrameChannel.pool(for: size).withBuffer(count: size) { buffer in
            guard try file.next({ buffer.keep(copyOf: $0) }) else {
                return try channel.send(AgentAnswer.done.head, within: limits.frame)
            }
            let isShown: Void? = try session.views.show(since: epoch, end: { channel.hangUp() }) {
                try buffer.withBytes { bytes in
                    try channel.send(AgentAnswer.chunk.head, secret: bytes, within: limits.frame)
                }
            }
            guard isShown != nil else { throw SecureStoreError.locked }
        }
    }
}
