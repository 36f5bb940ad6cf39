internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import VaultCore

/// The file that one client is writing or reading. One thread transfers it; other threads may end
/// the transfer.
final class OpenFile: Sendable {
    private enum Content: Sendable {
        case writer(FileWriter)
        case reader(FileReader)
        /// The whole content was read.
        case wholeRead
        /// No transfer is open, for this reason.
        case none(SecureStoreError)
    }

    private struct State: Sendable {
        var content = Content.none(OpenFile.notOpen)
        var use = AgentSession.Use.plain
        var parts = 0
    }

    /// The number of parts between two checks of the session's limits.
    private static let partsBetweenChecks = 64
    private static let notOpen = SecureStoreError.unavailable(
        .failed, detail: "the transfer of the file was interrupted")

    private let session: AgentSession
    private let client: ConnectedProgram
    private let state = Mutex(State())

    init(_ session: AgentSession, _ client: ConnectedProgram) {
        self.session = session
        self.client = client
    }

    /// Begins to write a file, and ends the previous transfer.
    func begin(_ target: FileTarget) throws {
        try open { vault in
            let files = VaultFiles(vault)
            switch target {
            case .new(let name, let isProtected, let task):
                let writer = try files.add(name, isProtected: isProtected, task: task)
                return (.writer(writer), AgentSession.Use(isProtected))
            case .replacing(let id):
                let isProtected = try files.file(id: id).isProtected
                return (.writer(try files.replace(id)), AgentSession.Use(isProtected))
            }
        }
    }

    /// Begins to read a file, and ends the previous transfer.
    func read(_ id: String, revision: UInt64?) throws -> StoredFile {
        var file: StoredFile?
        try open { vault in
            let reader = try VaultFiles(vault).read(id, revision: revision)
            file = reader.file
            return (.reader(reader), AgentSession.Use(reader.file.isProtected))
        }
        guard let file else { throw SecureStoreError.notFound }
        return file
    }

    /// Writes a part of the content.
    func append(_ bytes: borrowing SecretBytes) throws {
        let writer = try writer
        try step { try bytes.withBytes { try writer.write($0) } }
    }

    /// Ends the content and stores the file in the vault.
    func finish() throws -> StoredFile {
        let writer = try writer
        let file = try step { try writer.finish() }
        close()
        return file
    }

    /// Lends the next chunk to `body`; returns `false` after the last one.
    func next(_ body: (RawSpan) -> Void) throws -> Bool {
        let reader: FileReader
        switch state.withLock({ $0.content }) {
        case .reader(let open): reader = open
        // The client sent this request ahead.
        case .wholeRead: return false
        case .none(let reason): throw reason
        case .writer: throw Self.notOpen
        }
        if try step({ try reader.next(body) }) != nil { return true }
        close()
        state.withLock { $0.content = .wholeRead }
        return false
    }

    /// Ends the transfer; an incomplete content is discarded.
    func close() {
        let writer = state.withLock { state -> FileWriter? in
            defer { state.content = .none(Self.notOpen) }
            if case .writer(let writer) = state.content { return writer }
            return nil
        }
        writer?.abandon()
        session.openFiles.remove(self)
    }

    /// Whether the open file requires verification.
    fileprivate var isProtected: Bool { state.withLock { $0.use == .protected } }

    /// Ends the transfer and wipes its keys, at the latest after the current part.
    fileprivate func end(because reason: SecureStoreError) {
        state.withLock { $0.content = .none(reason) }
    }

    private var writer: FileWriter {
        get throws {
            switch state.withLock({ $0.content }) {
            case .writer(let writer): return writer
            case .none(let reason): throw reason
            case .reader, .wholeRead: throw Self.notOpen
            }
        }
    }

    private func open(
        _ body: (UnlockedVault) throws -> (Content, AgentSession.Use)
    ) throws {
        close()
        try session.openFiles.add(self)
        let opened: UnlockedVault
        do {
            let (content, use, vault) = try session.use { vault in
                let (content, use) = try body(vault)
                let counted = client.counted(use)
                return ((content, counted, vault), counted)
            }
            state.withLock { $0 = State(content: content, use: use) }
            opened = vault
        } catch {
            session.openFiles.remove(self)
            throw error
        }
        // A lock in between found no transfer to end.
        if !session.isOpen(opened) { end(because: .locked) }
    }

    private func step<Result>(_ body: () throws -> Result) throws -> Result {
        let (use, parts) = state.withLock { state in
            state.parts += 1
            return (state.use, state.parts)
        }
        do {
            return try session.continueUse(
                use, refreshing: parts.isMultiple(of: Self.partsBetweenChecks), body)
        } catch {
            close()
            throw error
        }
    }
}

/// The files that clients are writing and reading. Thread-safe.
final class OpenFiles: Sendable {
    /// The largest number of files open at the same time: each needs a few megabytes.
    static let most = 8

    private let files = Mutex<[ObjectIdentifier: OpenFile]>([:])

    fileprivate func add(_ file: OpenFile) throws {
        try files.withLock { files in
            guard files.count < Self.most else {
                throw SecureStoreError.unavailable(
                    .busy, detail: "\(Self.most) files are being read or written")
            }
            files[ObjectIdentifier(file)] = file
        }
    }

    fileprivate func remove(_ file: OpenFile) {
        files.withLock { $0[ObjectIdentifier(file)] = nil }
    }

    /// Ends the transfers after a lock.
    func end() {
        for file in all { file.end(because: .locked) }
    }

    /// Ends the transfers of protected files after the verification ended.
    func endProtected() {
        for file in all where file.isProtected { file.end(because: .notVerified) }
    }

    private var all: [OpenFile] { files.withLock { Array($0.values) } }
}

extension AgentSession.Use {
    /// A use of a file.
    init(_ isProtected: Bool) {
        self = isProtected ? .protected : .plain
    }
}
