internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// A request with its handler.
protocol ServerRequest: AgentRequest {
    /// Handles the request and sends the answer.
    ///
    /// - Parameters:
    ///   - handler: The session and the connection.
    ///   - secret: The secret of the request; empty if it carries none.
    /// - Throws: The reason of a refusal, which becomes the answer; or an error that ends the
    ///   connection.
    func serve(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws
}

/// A request with one answer, which carries no secret.
protocol SimpleRequest: ServerRequest where Part == Never {
    /// The answer; the parameters and errors are those of ``ServerRequest/serve(_:_:)``.
    func answer(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws -> Answer
}

/// A request whose answer is a list.
protocol ListingRequest: ServerRequest where Answer == DoneAnswer {
    /// The pages of the list. The errors are those of ``ServerRequest/serve(_:_:)``.
    func pages(_ handler: RequestHandler) throws -> [[UInt8]]
}

extension ServerRequest {
    /// Decodes a request and serves it.
    ///
    /// - Throws: `malformed`; an error that ends the connection.
    static func serve(_ payload: inout SecretBytes, _ handler: RequestHandler) throws {
        guard let request = take(from: &payload) else { throw AgentError.malformed }
        do {
            try request.serve(handler, payload)
        } catch {
            guard let refusal = WireFailure(handler.session.refusal(for: error)) else {
                throw error
            }
            try handler.send(refusal)
        }
    }
}

extension SimpleRequest {
    func serve(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws {
        try handler.send(answer(handler, secret))
    }
}

extension ListingRequest {
    func serve(_ handler: RequestHandler, _ secret: borrowing SecretBytes) throws {
        let pages = try pages(handler)
        let isLarge = pages.count > 1
        // Pages of a large vault occupy megabytes, and the next list may be an hour later.
        defer { if isLarge { platform_return_free_memory() } }
        try handler.send(pages: consume pages)
    }
}

/// The requests that the agent serves after the hello.
enum RequestTable {
    /// All types of requests.
    static let all = session + keys + secrets + files

    private static let types = Dictionary(uniqueKeysWithValues: all.map { ($0.messageType, $0) })

    /// The type of request with this number.
    static func type(_ number: UInt8) -> (any ServerRequest.Type)? { types[number] }
}

/// The session and the connection of one client, for the handlers of its requests.
struct RequestHandler {
    let session: AgentSession
    let channel: FrameChannel
    let processID: UInt32
    /// The time limits for sending.
    let limits: AgentTimeLimits
    /// The file that the client is writing or reading.
    let file: OpenFile
    /// The program of the client, for the log of reads.
    let client: ConnectedProgram

    /// Serves a request other than the hello and `end`.
    ///
    /// - Parameter payload: The payload of a frame; only its secret stays in it.
    /// - Throws: `malformed`; an error that ends the connection.
    func serve(_ payload: inout SecretBytes) throws {
        guard let type = payload.messageType.flatMap(RequestTable.type) else {
            throw AgentError.malformed
        }
        try type.serve(&payload, self)
    }

    /// Runs an operation on the unlocked vault; see ``AgentSession/use(_:)``. In the background it extends no limit.
    func use<Result>(
        _ body: (UnlockedVault) throws -> (Result, AgentSession.Use)
    ) throws -> Result {
        try session.use { vault in
            let (result, use) = try body(vault)
            return (result, client.counted(use))
        }
    }

    /// The status of the session.
    var status: AgentStatus { session.status(processID: processID) }

    /// Whether the client still waits for an answer.
    var isWanted: Bool { !channel.isStale }

    /// Sends an answer without a secret.
    func send(_ answer: some AgentMessage) throws {
        try channel.send(answer.head, within: limits.frame)
    }

    /// Sends the pages of a list, and its end.
    func send(pages: consuming [[UInt8]]) throws {
        let deadline = BootTime.now + limits.list
        for page in pages + [DoneAnswer().head] {
            let left = BootTime.now.duration(to: deadline)
            try channel.send(page, within: min(limits.frame, left))
        }
    }

    /// The pages of a list of descriptions from the vault.
    func pages<Element: ListPageElement>(
        of find: (UnlockedVault) throws -> ([Element], AgentSession.Use)
    ) throws -> [[UInt8]] {
        try use { vault in
            let (elements, use) = try find(vault)
            var pages = ListPageEncoder<Element>()
            for element in elements { pages.add(element) }
            return (pages.finish(), use)
        }
    }

    /// Adds a read to the log.
    func noteRead(_ name: SecretName) {
        session.readLog?.add(name, by: client.program(at: channel.descriptor))
    }
}
