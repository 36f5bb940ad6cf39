internal import Platform
internal import SyncMembers
internal import VaultCore

/// Puts parts of a content at a remote, over several connections: while a server stores a part, the next ones are read and sent.
///
/// The caller's connection puts parts to the end. Helpers, each with a connection and a thread of its own, take part as long as nothing fails for
/// them: what a helper could not put it gives back, and then the caller's connection has the error, or a new token, or goes on alone. So a part
/// counts as put only once the remote said so, and errors are those of one connection. In memory is one part for each connection.
final class SendingParts: Sendable {
    /// How it ended.
    enum Outcome: Equatable {
        case whole
        /// The time is over, and so many parts are left.
        case interrupted(Int)
        /// The vault lacks a chunk.
        case damaged
    }

    /// The largest number of helpers. Each has a part in memory.
    private static let mostHelpers = 2
    /// How long the first part may take for helpers to begin. Over a connection that is slower, all would share it, and each part could reach the
    /// limit of time of its exchange.
    private static let quick: Duration = .milliseconds(250)

    private struct State {
        var waiting: [Int]
        var helpers = 0
        var hasBegun = false
        var hasFailed = false
    }

    private let content: FileContent
    private let parts: SealedFileParts
    private let end: MonotonicTime
    private let now: @Sendable () -> MonotonicTime
    private let state: Monitor<State>

    /// - Parameters:
    ///   - numbers: The numbers of the parts, in the order in which they are begun.
    ///   - content: Their content.
    ///   - parts: What the vault has.
    ///   - end: When no further part is begun. One is always put, so that each round comes further.
    ///   - now: The clock.
    init(
        _ numbers: [Int], of content: FileContent, from parts: SealedFileParts,
        until end: MonotonicTime, now: @escaping @Sendable () -> MonotonicTime = { .now }
    ) {
        self.content = content
        self.parts = parts
        self.end = end
        self.now = now
        state = Monitor(State(waiting: numbers.reversed()))
    }

    /// Puts the parts, and returns once no helper is at work any more.
    ///
    /// - Parameters:
    ///   - remote: The caller's connection.
    ///   - further: Makes the connections of helpers; nil for none.
    /// - Returns: What became of the parts.
    /// - Throws: `RemoteFailure`, the errors of the vault.
    func put(
        over remote: any GroupRemote, _ further: (@Sendable () -> any GroupRemote)?
    ) throws -> Outcome {
        let begin = now()
        var part: [UInt8] = []
        var isFirst = true
        do {
            while let number = nextOrGivenBack() {
                guard try put(number, over: remote, &part) else {
                    finish(failed: true)
                    return .damaged
                }
                if isFirst, let further, now() < begin + Self.quick {
                    startHelpers(further)
                }
                isFirst = false
            }
        } catch {
            finish(failed: true)
            throw error
        }
        finish(failed: false)
        let left = state.read { $0.waiting.count }
        return left == 0 ? .whole : .interrupted(left)
    }

    /// Puts a part.
    ///
    /// - Returns: Whether the vault has all of it.
    private func put(
        _ number: Int, over remote: any GroupRemote, _ part: inout [UInt8]
    ) throws -> Bool {
        guard try parts.read(number, of: content, into: &part) else { return false }
        let name = FilePartName(content.version, number)
        // Another device may have put the same part, with other random bytes at its end.
        _ = try remote.put(part, as: name.text, in: .files)
        return true
    }

    /// Takes the next part. Without one, waits whether a helper gives one back.
    private func nextOrGivenBack() -> Int? {
        state.wait { state -> Int?? in
            if let number = self.next(&state) { return number }
            return state.helpers == 0 || !state.waiting.isEmpty ? .some(nil) : nil
        } ?? nil
    }

    /// Takes the next part; nil without one, and at the end of the time.
    private func next(_ state: inout State) -> Int? {
        if state.hasFailed || (state.hasBegun && now() >= end) { return nil }
        state.hasBegun = true
        return state.waiting.popLast()
    }

    private func startHelpers(_ further: @escaping @Sendable () -> any GroupRemote) {
        for _ in 0..<min(Self.mostHelpers, state.read { $0.waiting.count }) {
            state.update { $0.helpers += 1 }
            let isStarted = DetachedThread.start { [self] in
                help(over: further())
                state.update { $0.helpers -= 1 }
            }
            if !isStarted { state.update { $0.helpers -= 1 } }
        }
    }

    private func help(over remote: any GroupRemote) {
        var part: [UInt8] = []
        while let number = state.update({ next(&$0) }) {
            guard let isPut = try? put(number, over: remote, &part), isPut else {
                state.update { $0.waiting.append(number) }
                return
            }
        }
    }

    /// Waits for the helpers, which use the vault.
    private func finish(failed hasFailed: Bool) {
        state.update { if hasFailed { $0.hasFailed = true } }
        _ = state.wait { $0.helpers == 0 ? true : nil }
    }
}
