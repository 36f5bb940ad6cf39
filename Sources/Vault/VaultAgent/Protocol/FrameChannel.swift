internal import Platform
internal import SecretMemory
internal import Synchronization
internal import VaultCore

/// Sends and receives frames (`Docs/AgentProtocol.md`, section 2) over a connected socket; secrets stay in guarded memory.
///
/// Closes the socket at the end of its lifetime. Not thread-safe, except for ``hangUp()``.
final class FrameChannel: @unchecked Sendable {
    /// The largest payload that is received without waiting for a turn, in bytes: a chunk of a file
    /// fits.
    private static let smallFrame = 65 * 1_024
    /// The smallest payload that is received in a buffer for a chunk, in bytes.
    private static let firstChunk = 8 * 1_024 + 1
    /// Buffers for chunks of files: a guarded allocation for each chunk would dominate the transfer
    /// time.
    private static let chunks = SecretBufferPool(bufferSize: smallFrame, limit: 4)

    let descriptor: Int32
    private let turns: LargeFrameTurns?
    /// Whether the peer has sent a frame. Until then a timeout is ``AgentError/silent(process:)``, later a lost connection.
    private var hasReceived = false

    /// Takes ownership of a connected socket; `turns` bounds the memory for large frames of all connections together.
    init(_ descriptor: Int32, _ turns: LargeFrameTurns? = nil) {
        self.descriptor = descriptor
        self.turns = turns
    }

    deinit {
        close(descriptor)
    }

    /// Ends the connection and any wait on it in another thread.
    ///
    /// The corresponding C function is `shutdown`.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Whether the peer has closed the connection, or sent unexpected data.
    var isStale: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) != 0
    }

    /// Sends no more. The peer's ``isStale`` becomes true; its answer can still be received.
    ///
    /// The corresponding C function is `shutdown`.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Waits for data from the peer, up to 50 ms.
    func waitBriefly() {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, 50)
    }

    /// Waits until the peer closes the connection, up to this time.
    func waitForEnd(within limit: Duration) {
        try? receive(largest: 1, beginning: limit, rest: limit) { _ in }
    }

    /// Sends a frame without a secret.
    func send(_ head: [UInt8], within limit: Duration) throws {
        try send([head], within: limit)
    }

    /// Sends frames without secrets in one call.
    func send(_ heads: [[UInt8]], within limit: Duration) throws {
        var writer = ByteWriter()
        for head in heads {
            writer.integer(UInt32(head.count))
            writer.raw(head)
        }
        let deadline = BootTime.now + limit
        try unsafe write(writer.bytes.span.bytes, before: deadline)
    }

    /// Sends a frame whose last field is a secret.
    func send(
        _ head: [UInt8], secret: RawSpan, within limit: Duration
    ) throws {
        var writer = ByteWriter()
        writer.integer(UInt32(head.count + 4 + secret.byteCount))
        writer.raw(head)
        writer.integer(UInt32(secret.byteCount))
        let deadline = BootTime.now + limit
        let begun = unsafe writer.bytes.span.bytes
        // In one call, so that the peer wakes once.
        let sent = unsafe begun.withUnsafeBytes { begun in
            unsafe secret.withUnsafeBytes { secret in
                unsafe platform_send_both(
                    descriptor, begun.baseAddress, begun.count, secret.baseAddress, secret.count)
            }
        }
        // What failed fails again.
        let count = max(sent, 0)
        try write(
            begun.extracting(min(count, begun.byteCount)..<begun.byteCount), before: deadline)
        try write(
            secret.extracting(max(count - begun.byteCount, 0)..<secret.byteCount),
            before: deadline)
    }

    /// Waits for a frame.
    ///
    /// - Parameters:
    ///   - largest: The largest payload that is accepted, in bytes.
    ///   - beginning: How long to wait for the first byte; nil for no limit.
    ///   - rest: The time limit of the whole frame, from its first byte on.
    ///   - begun: Called once the length of a frame was received; not called if the connection ends
    ///     first.
    ///   - body: Receives the payload, in guarded memory that is wiped afterwards.
    /// - Returns: The result of `body`.
    /// - Throws: ``AgentError``, `SecretMemoryError`, or the error of `body`.
    func receive<Result: ~Copyable>(
        largest: Int, beginning: Duration?, rest: Duration,
        begun: () -> Void = {},
        _ body: (inout SecretBytes) throws -> Result
    ) throws -> Result {
        try wait(Int16(POLLIN), before: beginning.map { .now + $0 })
        let deadline = BootTime.now + rest
        let size = try readLength(before: deadline)
        begun()
        guard (1...largest).contains(size) else { throw AgentError.malformed }
        guard size > Self.smallFrame, let turns else {
            return try receive(size, before: deadline, body)
        }
        return try turns.withTurn {
            // The wait for a turn does not count against the peer's time limit.
            try receive(size, before: BootTime.now + rest, body)
        }
    }

    private func receive<Result: ~Copyable>(
        _ size: Int, before deadline: BootTime,
        _ body: (inout SecretBytes) throws -> Result
    ) throws -> Result {
        try Self.pool(for: size).withBuffer(count: size) { payload in
            try payload.withMutableBytes { bytes in try read(&bytes, before: deadline) }
            hasReceived = true
            return try body(&payload)
        }
    }

    /// The buffers for payloads of a size.
    static func pool(for size: Int) -> SecretBufferPool {
        (firstChunk...smallFrame).contains(size) ? chunks : .shared
    }

    private func readLength(before deadline: BootTime) throws -> Int {
        var length: [UInt8] = [0, 0, 0, 0]
        var span = length.mutableSpan
        var bytes = unsafe span.mutableBytes
        try read(&bytes, before: deadline)
        return length.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The corresponding C function is `send`, without SIGPIPE.
    private func write(
        _ bytes: RawSpan, before deadline: BootTime
    ) throws {
        var done = 0
        while done < bytes.byteCount {
            let rest = bytes.extracting(done..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes {
                unsafe platform_send(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                done += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(Int16(POLLOUT), before: deadline)
            } else if errno != EINTR {
                if errno == EPIPE || errno == ECONNRESET { throw AgentError.connectionLost }
                throw AgentError.system("socket", errno)
            }
        }
    }

    /// Fills the buffer. The corresponding C function is `recv`.
    private func read(
        _ bytes: inout MutableRawSpan, before deadline: BootTime
    ) throws {
        var done = 0
        while done < bytes.byteCount {
            let start = done
            let count = unsafe bytes.withUnsafeMutableBytes {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[start...])
                return unsafe platform_receive(descriptor, rest.baseAddress, rest.count)
            }
            if count > 0 {
                done += count
            } else if count == 0 {
                throw AgentError.connectionLost
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(Int16(POLLIN), before: deadline)
            } else if errno != EINTR {
                throw errno == ECONNRESET
                    ? AgentError.connectionLost : AgentError.system("socket", errno)
            }
        }
    }

    /// The corresponding C function is `poll`.
    private func wait(
        _ events: Int16, before deadline: BootTime?
    ) throws {
        while true {
            var timeout: Int32 = -1
            if let deadline {
                let left = BootTime.now.duration(to: deadline)
                // Rounded up, to avoid a busy loop at the end of the wait.
                timeout = Int32(clamping: max(left, .zero).milliseconds + 1)
                if left <= .zero {
                    throw hasReceived
                        ? AgentError.connectionLost
                        : AgentError.silent(process: PeerUser.process(descriptor))
                }
            }
            var request = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&request, 1, timeout)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw AgentError.system("socket", errno) }
        }
    }
}

/// Limits the number of large frames that are received at the same time. This bounds the memory of
/// all clients. Thread-safe.
final class LargeFrameTurns: Sendable {
    private final class Turn: Sendable {
        let mutex = Mutex(())
    }

    private let turns = (0..<8).map { _ in Turn() }

    /// Runs `body` once a turn is free. A slow client holds a turn for at most the time limit of a
    /// frame.
    func withTurn<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        while true {
            for turn in turns {
                var result: Result?
                try turn.mutex.withLockIfAvailable { _ in result = try body() }
                if let result = result.take() { return result }
            }
            SystemSleep.sleep(.milliseconds(2))
        }
    }
}
