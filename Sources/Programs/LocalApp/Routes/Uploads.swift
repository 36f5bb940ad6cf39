internal import HTTPServer
internal import Platform
internal import SecretMemory
internal import Application
internal import TextCoding

/// The files that pages upload in pieces, for commands that store them. Thread-safe.
///
/// A piece goes from memory through a pipe into the command. No plaintext is written to disk.
final class Uploads: Sendable {
    /// The maximum size of a piece, in bytes.
    static let largestPiece = 4 << 20
    /// An upload ends after this time without a piece, and the file is not stored.
    private static let timeLimit = Duration.seconds(60)
    /// The maximum number of simultaneous uploads.
    private static let maximumCount = 8

    private final class Upload: Sendable {
        struct State {
            var piece: RequestBody?
            var received = 0
            var isComplete = false
            var isCancelled = false
            var outcome: OperationOutcome?
            var hasEnded = false
            var used = MonotonicTime.now
        }

        let state = Monitor(State())

        /// Writes the pieces to a descriptor as they arrive. After an early end the command stores
        /// nothing.
        func write(to descriptor: Int32) throws {
            while true {
                let next = state.wait(until: .now + Uploads.timeLimit) { state -> RequestBody?? in
                    if state.isCancelled { return .some(nil) }
                    if let piece = state.piece { return .some(piece) }
                    return state.isComplete ? .some(nil) : nil
                }
                guard let piece = next ?? nil else { return }
                try piece.withBytes { try Descriptor.write($0, to: descriptor) }
                state.update { $0.piece = nil }
            }
        }

        func finish(_ outcome: OperationOutcome?) {
            state.update { state in
                state.outcome = outcome
                state.hasEnded = true
            }
        }
    }

    private let runner: any OperationRunner
    private let uploads = Monitor<[String: Upload]>([:])

    /// Makes an empty list.
    init(_ runner: any OperationRunner) {
        self.runner = runner
    }

    /// Starts a command that reads a file from standard input.
    ///
    /// - Returns: The id of the upload.
    /// - Throws: ``PageRequestError`` if there are too many uploads.
    func begin(_ words: [String], _ operands: [String]) throws -> String {
        try begin { [runner] upload in
            try? runner.run(
                words, operands: operands, asJSON: true,
                input: { try upload.write(to: $0) })
        }
    }

    /// Starts to write a file that must have a path: a backup, which is encrypted. It replaces the one that was there.
    ///
    /// - Parameter path: The path. It appears when the file is complete, with mode 0600.
    /// - Returns: The id of the upload.
    /// - Throws: As ``begin(_:_:)``.
    func begin(writing path: String) throws -> String {
        try begin { upload in
            do {
                let file = try NewFile(at: path, replacing: true)
                try upload.write(to: file.descriptor)
                guard upload.state.read({ $0.isComplete && !$0.isCancelled }) else { return nil }
                try file.publish()
                return OperationOutcome(exitCode: 0, output: Array("null".utf8), errors: [])
            } catch {
                let failure =
                    #"{"code":"cannot_write","message":"the backup cannot be written","hint":null}"#
                return OperationOutcome(exitCode: 1, output: [], errors: Array(failure.utf8))
            }
        }
    }

    private func begin(
        _ work: @escaping @Sendable (Upload) -> OperationOutcome?
    ) throws -> String {
        let id = Hexadecimal.text(RandomSource.system.bytes(count: 16))
        let upload = Upload()
        let isTaken = uploads.update { uploads in
            uploads = uploads.filter {
                $0.value.state.read { !$0.hasEnded || $0.used + Self.timeLimit > .now }
            }
            guard uploads.count < Self.maximumCount else { return false }
            uploads[id] = upload
            return true
        }
        let isStarted =
            isTaken
            && DetachedThread.start { upload.finish(work(upload)) }
        guard isStarted else {
            uploads.update { $0[id] = nil }
            throw PageRequestError("too many uploads", status: 503, code: "busy")
        }
        return id
    }

    /// Passes the next piece to the command, and waits until it is written.
    ///
    /// - Parameters:
    ///   - piece: The bytes.
    ///   - id: The id of the upload.
    ///   - offset: The number of bytes before this piece.
    /// - Returns: The number of bytes so far; nil if the upload does not exist.
    /// - Throws: ``PageRequestError`` for a wrong offset.
    func add(_ piece: RequestBody, to id: String, at offset: Int) throws -> Int? {
        guard let upload = uploads.read({ $0[id] }) else { return nil }
        let isNext = upload.state.update { state in
            guard state.received == offset, state.piece == nil, !state.isComplete else {
                return false
            }
            state.received += piece.count
            state.used = .now
            // After the command has ended, the piece has no reader. ``finish(_:)`` reports the
            // reason.
            if piece.count > 0, !state.hasEnded { state.piece = piece }
            return true
        }
        guard isNext else { throw PageRequestError("this is not the next piece") }
        _ = upload.state.wait { $0.piece == nil || $0.hasEnded ? true : nil }
        return offset + piece.count
    }

    /// Waits for the end of the command; nil if the upload does not exist.
    func finish(_ id: String) -> OperationOutcome? {
        guard let upload = uploads.read({ $0[id] }) else { return nil }
        upload.state.update { $0.isComplete = true }
        let outcome = upload.state.wait { state -> OperationOutcome?? in
            state.hasEnded ? .some(state.outcome) : nil
        }
        uploads.update { $0[id] = nil }
        return outcome ?? nil
    }

    /// Cancels an upload. The file is not stored.
    func cancel(_ id: String) {
        let upload = uploads.update { $0.removeValue(forKey: id) }
        upload?.state.update { $0.isCancelled = true }
    }
}
