internal import SecretMemory
internal import SecureStorage
package import VaultCore

/// The files of a vault, by itself or through its agent; see ``VaultFiles``, whose functions have the same names.
package protocol FileStore: Sendable {
    func list(_ order: FileOrder) throws -> [StoredFile]
    func file(named name: String) throws -> StoredFile
    func files(ofTask task: String) throws -> [StoredFile]
    func removed() throws -> [EarlierFile]
    func history(of id: String) throws -> [EarlierFile]

    /// Stores a content as a new file or in an existing one.
    ///
    /// - Parameters:
    ///   - target: The file.
    ///   - part: Reads the next bytes into the span from the offset on; 0 at the end. After its error nothing is stored. It must not use
    ///     the vault.
    /// - Returns: The stored file.
    /// - Throws: The error of `part`; as ``VaultFiles/add(_:isProtected:task:)``.
    func store(
        _ target: FileRequest.Target, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile

    /// Reads a content.
    ///
    /// - Parameters:
    ///   - id: The file.
    ///   - revision: An earlier version.
    ///   - chunk: Gets each authenticated chunk. The content is complete only when this function returns. It must not use the vault.
    /// - Returns: The file.
    /// - Throws: The error of `chunk`; as ``VaultFiles/read(_:revision:)``.
    @discardableResult
    func read(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile

    func edit(_ id: String, _ edit: FileEdit) throws -> StoredFile
    func remove(_ id: String, permanently isPermanent: Bool) throws
    func restore(removed id: String, as name: String?) throws -> StoredFile
    func restore(_ id: String, toRevision revision: UInt64) throws -> StoredFile
    func settings() throws -> FileSettings
    @discardableResult
    func changeSettings(_ body: (inout FileSettings) -> Void) throws -> FileSettings
}

extension VaultFiles: FileStore {
    package func store(
        _ target: FileRequest.Target, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile {
        let writer =
            switch target {
            case .new(let name, let isProtected, let task):
                try add(name, isProtected: isProtected, task: task)
            case .replacing(let id): try replace(id)
            }
        do {
            var buffer = try SecretBytes(count: Self.chunkSize)
            while case let count = try buffer.fill(part), count > 0 {
                try buffer.withBytes { bytes in try writer.write(bytes.extracting(first: count)) }
            }
            return try writer.finish()
        } catch {
            writer.abandon()
            throw error
        }
    }

    @discardableResult
    package func read(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile {
        let reader = try read(id, revision: revision)
        while true {
            var failure: (any Error)?
            let isThere: Void? = try reader.next { bytes in
                do { try chunk(reader.file, bytes) } catch { failure = error }
            }
            if let failure { throw failure }
            if isThere == nil { return reader.file }
        }
    }
}

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
        _ target: FileRequest.Target, _ part: (inout MutableRawSpan, Int) throws -> Int
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
        try change(id, .edit(id: id, edit))
    }

    package func remove(_ id: String, permanently isPermanent: Bool) throws {
        try checkID(id)
        try agent.use { connection in
            let request = FileRequest.remove(id: id, permanently: isPermanent)
            try connection.ask(.file(request)).requireDone()
        }
    }

    package func restore(removed id: String, as name: String?) throws -> StoredFile {
        try change(id, .restore(id: id, .removed(as: name)))
    }

    package func restore(_ id: String, toRevision revision: UInt64) throws -> StoredFile {
        try change(id, .restore(id: id, .revision(revision)))
    }

    package func settings() throws -> FileSettings {
        try agent.use { try $0.ask(.file(.settings)).asFileSettings() }
    }

    @discardableResult
    package func changeSettings(_ body: (inout FileSettings) -> Void) throws -> FileSettings {
        while true {
            let known = try settings()
            var new = known
            body(&new)
            let request = FileRequest.changeSettings(from: known, to: new)
            let stored = try agent.use { try $0.ask(.file(request)).asFileSettings() }
            // Otherwise another program changed them in this moment.
            if stored == new { return stored }
        }
    }

    private func list(_ selection: FileRequest.Selection) throws -> [StoredFile] {
        try agent.use { connection in
            var all: [StoredFile] = []
            var answer = try connection.ask(.file(.list(selection)))
            while case .files(let page) = answer {
                all += page
                answer = try connection.next()
            }
            try answer.requireDone()
            return all
        }
    }

    private func earlier(_ id: String?) throws -> [EarlierFile] {
        try agent.use { connection in
            var all: [EarlierFile] = []
            var answer = try connection.ask(.file(.earlier(of: id)))
            while case .earlierFiles(let page) = answer {
                all += page
                answer = try connection.next()
            }
            try answer.requireDone()
            return all
        }
    }

    private func change(_ id: String, _ request: FileRequest) throws -> StoredFile {
        try checkID(id)
        return try agent.use { try $0.ask(.file(request)).asFile() }
    }

    /// Refuses an id that no file has, and for which a frame has no room.
    private func checkID(_ id: String) throws {
        guard FileRequest.isID(id) else { throw AgentError.vault(.store(.notFound)) }
    }

    /// Runs a transfer. After the error of the caller, `failure`, the connection is closed, which ends the transfer in the agent, too.
    private func streaming(
        _ body: (AgentConnection, _ failure: inout (any Error)?) throws -> StoredFile
    ) throws -> StoredFile {
        var failure: (any Error)?
        do {
            return try agent.use { connection in
                do {
                    return try body(connection, &failure)
                } catch {
                    // Unlike a refusal, it closes the connection.
                    if failure != nil { throw AgentError.connectionLost }
                    throw error
                }
            }
        } catch {
            if let failure { throw failure }
            // An agent that locks while it sends hangs up.
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
        _ target: FileRequest.Target, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile {
        try ask(.file(.begin(target))).requireDone()
        var outstanding = 0
        do {
            var buffer = try SecretBytes(count: VaultFiles.chunkSize)
            while case let count = try buffer.fill(part), count > 0 {
                try buffer.withBytes { bytes in
                    try send(.file(.append), bytes.extracting(first: count))
                }
                outstanding += 1
                if outstanding == AgentProtocol.mostPartsAhead {
                    outstanding -= 1
                    try next(within: limits.proof).requireDone()
                }
            }
            while outstanding > 0 {
                outstanding -= 1
                try next(within: limits.proof).requireDone()
            }
            return try ask(.file(.finish)).asFile()
        } catch let error as AgentError where error.isRefusal {
            skip(outstanding)
            throw error
        }
    }

    fileprivate func readFile(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile {
        let file = try ask(.file(.read(id: id, revision: revision))).asFile()
        var outstanding = 0
        var size: UInt64 = 0
        do {
            while true {
                while outstanding < AgentProtocol.mostPartsAhead {
                    try send(.file(.next))
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

    /// Receives the answers to requests that were sent ahead and have no effect any more.
    private func skip(_ count: Int) {
        for _ in 0..<count { _ = try? next() }
    }
}

extension SecretBytes {
    /// Reads parts until the buffer is full or the input ends.
    ///
    /// - Returns: The number of bytes.
    fileprivate mutating func fill(
        _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> Int {
        try withMutableBytes { bytes in
            var count = 0
            while count < bytes.byteCount {
                let size = try part(&bytes, count)
                if size == 0 { break }
                count += size
            }
            return count
        }
    }
}

extension AgentAnswer {
    fileprivate func requireDone() throws {
        guard case .done = self else { throw AgentError.malformed }
    }

    fileprivate func asFile() throws -> StoredFile {
        guard case .file(let file) = self else { throw AgentError.malformed }
        return file
    }

    fileprivate func asFileSettings() throws -> FileSettings {
        guard case .fileSettings(let settings) = self else { throw AgentError.malformed }
        return settings
    }
}
