internal import SecretMemory
internal import SecureStorage
internal import TextCoding
package import VaultCore

/// The files of the vault that an agent keeps unlocked.
package struct AgentFiles: FileStore {
    private let agent: AgentClient

    package init(_ agent: AgentClient) {
        self.agent = agent
    }

    package func list(_ order: FileOrder) throws -> [StoredFile] { try list(.all(order)) }
    package func files(ofTask task: String) throws -> [StoredFile] { try list(.task(task)) }

    package func file(named name: String) throws -> StoredFile {
        let found = try list(.named(name))
        guard found.count == 1 else { throw AgentError.malformed }
        return found[0]
    }

    package func removed() throws -> [EarlierFile] { try earlier(nil) }

    package func history(of id: String) throws -> [EarlierFile] {
        try checkID(id)
        return try earlier(id)
    }

    package func store(
        _ target: FileTarget, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile {
        if case .replacing(let id) = target { try checkID(id) }
        return try streaming { connection, failure in
            try connection.store(target) { bytes, offset in
                do {
                    return try part(&bytes, offset)
                } catch {
                    failure = error
                    throw error
                }
            }
        }
    }

    @discardableResult
    package func read(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile {
        try checkID(id)
        return try streaming { connection, failure in
            try connection.readFile(id, revision: revision) { file, bytes in
                do {
                    try chunk(file, bytes)
                } catch {
                    failure = error
                    throw error
                }
            }
        }
    }

    package func edit(_ id: String, _ edit: FileEdit) throws -> StoredFile {
        try change(id, EditFileRequest(id: id, edit: edit))
    }

    package func remove(_ id: String, permanently isPermanent: Bool) throws {
        try checkID(id)
        _ = try agent.ask(RemoveFileRequest(id: id, isPermanent: isPermanent))
    }

    package func restore(removed id: String, as name: String?) throws -> StoredFile {
        try change(id, RestoreFileRequest(id: id, version: .removed(as: name)))
    }

    package func restore(_ id: String, toRevision revision: UInt64) throws -> StoredFile {
        try change(id, RestoreFileRequest(id: id, version: .revision(revision)))
    }

    package func settings() throws -> FileSettings { try agent.ask(FileSettingsRequest()) }

    @discardableResult
    package func changeSettings(_ body: (inout FileSettings) -> Void) throws -> FileSettings {
        while true {
            let known = try settings()
            var new = known
            body(&new)
            let stored = try agent.ask(ChangeFileSettingsRequest(known: known, new: new))
            // Otherwise another program changed the settings meanwhile: they are read and changed again.
            if stored == new { return stored }
        }
    }

    private func list(_ selection: FileSelection) throws -> [StoredFile] {
        try agent.use { try $0.list(ListFilesRequest(selection: selection)) }
    }

    private func earlier(_ id: String?) throws -> [EarlierFile] {
        try agent.use { try $0.list(EarlierFilesRequest(id: id)) }
    }

    private func change<Request: AgentRequest>(
        _ id: String, _ request: Request
    ) throws -> StoredFile where Request.Part == Never, Request.Answer == StoredFile {
        try checkID(id)
        return try agent.ask(request)
    }

    /// Refuses an invalid id, which no file has and for which a frame has no room.
    private func checkID(_ id: String) throws {
        guard Hexadecimal.isText(id, ofBytes: 16) else { throw AgentError.vault(.store(.notFound)) }
    }

    /// Runs a transfer. If `body` sets `failure`, an error of the caller's own file, the connection is
    /// closed, which also ends the transfer in the agent.
    private func streaming(
        _ body: (AgentConnection, _ failure: inout (any Error)?) throws -> StoredFile
    ) throws -> StoredFile {
        var failure: (any Error)?
        do {
            return try agent.use { connection in
                do {
                    return try body(connection, &failure)
                } catch {
                    // This error, unlike a refusal, closes the connection.
                    if failure != nil { throw AgentError.connectionLost }
                    throw error
                }
            }
        } catch {
            if let failure { throw failure }
            // An agent that locks during a transfer closes the connection.
            if (error as? AgentError) == .connectionLost,
                (try? agent.status().isUnlocked) != true
            {
                throw AgentError.vault(.store(.locked))
            }
            throw error
        }
    }
}

// The transfer of a content.
extension AgentConnection {
    fileprivate func store(
        _ target: FileTarget, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile {
        _ = try ask(BeginFileRequest(target: target))
        var outstanding = 0
        do {
            var buffer = try SecretBytes(count: VaultFiles.chunkSize)
            while case let count = try buffer.fill(part), count > 0 {
                try buffer.withBytes { bytes in
                    // The agent may wait for other processes before it receives the next part.
                    try send(
                        AppendToFileRequest(), bytes.extracting(first: count),
                        within: limits.answer)
                }
                outstanding += 1
                if outstanding == AgentProtocol.mostPartsAhead {
                    outstanding -= 1
                    _ = try next(DoneAnswer.self, within: limits.proof)
                }
            }
            while outstanding > 0 {
                outstanding -= 1
                _ = try next(DoneAnswer.self, within: limits.proof)
            }
            return try ask(FinishFileRequest())
        } catch let error as AgentError where error.isRefusal {
            skip(outstanding)
            throw error
        }
    }

    fileprivate func readFile(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile {
        let file = try ask(ReadFileRequest(id: id, revision: revision))
        var outstanding = 0
        var size: UInt64 = 0
        do {
            while true {
                while outstanding < AgentProtocol.mostPartsAhead {
                    try send(NextChunkRequest())
                    outstanding += 1
                }
                outstanding -= 1
                let isThere = try nextChunk { bytes in
                    size += UInt64(bytes.byteCount)
                    try chunk(file, bytes)
                }
                guard isThere else {
                    skip(outstanding)
                    guard size == file.size else { throw AgentError.malformed }
                    return file
                }
            }
        } catch let error as AgentError where error.isRefusal {
            skip(outstanding)
            throw error
        }
    }

    /// Receives and discards the answers to requests that were sent ahead.
    private func skip(_ count: Int) {
        for _ in 0..<count { try? skipAnswer() }
    }
}
