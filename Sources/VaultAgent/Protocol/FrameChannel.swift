internal import Platform
internal import SecretMemory
internal import VaultCore

/// Why frames cannot be exchanged any more.
enum ChannelError: Error, Sendable, Hashable {
    /// The other end hung up.
    case ended
    /// The other end was too slow.
    case timedOut
    /// A frame of no or too many bytes.
    case malformed
    /// No guarded memory is left.
    case outOfMemory
    /// The system refused a call, with this `errno`.
    case failed(Int32)
}

/// Sends and receives frames (`Docs/AgentProtocol.md`, section 2) over a connected socket; secrets pass through guarded memory only.
///
/// Closes the socket when it ends. Not thread-safe, except for ``hangUp()``.
final class FrameChannel: @unchecked Sendable {
    /// The largest payload that is received without waiting for a turn, in bytes.
    private static let smallFrame = 64 * 1_024

    let descriptor: Int32
    private let turns: LargeFrameTurns?

    /// Takes over a connected socket; `turns` bounds the memory for large frames of all connections together, where there are several.
    init(_ descriptor: Int32, _ turns: LargeFrameTurns? = nil) {
        self.descriptor = descriptor
        self.turns = turns
    }

    deinit {
        close(descriptor)
    }

    /// Ends the connection, and whatever waits on it in another thread.
    ///
    /// The corresponding C function is `shutdown`.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Whether the other end has hung up, or sent something that nobody asked for.
    var isStale: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) != 0
    }

    /// Waits until the other end hangs up, or for so long.
    func waitForEnd(within limit: Duration) {
        try? receive(largest: 1, beginning: limit, rest: limit) { _ in }
    }

    /// Sends a frame without a secret.
    func send(_ head: [UInt8], within limit: Duration) throws(ChannelError) {
        try send([head], within: limit)
    }

    /// Sends frames without secrets, all at once.
    func send(_ heads: [[UInt8]], within limit: Duration) throws(ChannelError) {
        var writer = ByteWriter()
        for head in heads {
            writer.integer(UInt32(head.count))
            writer.raw(head)
        }
        let deadline = ContinuousClock.now + limit
        try unsafe write(writer.bytes.span.bytes, before: deadline)
    }

    /// Sends a frame whose last field is a secret.
    func send(
        _ head: [UInt8], secret: RawSpan, within limit: Duration
    ) throws(ChannelError) {
        var writer = ByteWriter()
        writer.integer(UInt32(head.count + 4 + secret.byteCount))
        writer.raw(head)
        writer.integer(UInt32(secret.byteCount))
        let deadline = ContinuousClock.now + limit
        try unsafe write(writer.bytes.span.bytes, before: deadline)
        try write(secret, before: deadline)
    }

    /// Waits for a frame.
    ///
    /// - Parameters:
    ///   - largest: The largest payload that is accepted, in bytes.
    ///   - beginning: How long to wait for the first byte; nil for ever.
    ///   - rest: How long the whole may take, from the call on where `beginning` is given, from the first byte on otherwise.
    ///   - begun: Called once its length is there: not for an end of the connection, which can be read, too.
    ///   - body: Gets the payload, in guarded memory that is wiped afterwards.
    /// - Returns: What `body` returns.
    /// - Throws: Why there is no frame, or what `body` throws.
    func receive<Result: ~Copyable>(
        largest: Int, beginning: Duration?, rest: Duration,
        begun: () -> Void = {},
        _ body: (inout SecretBytes) throws(ChannelError) -> Result
    ) throws(ChannelError) -> Result {
        let start = ContinuousClock.now
        try wait(Int16(POLLIN), before: beginning.map { start + $0 })
        let deadline = (beginning == nil ? ContinuousClock.now : start) + rest
        let size = try readLength(before: deadline)
        begun()
        guard (1...largest).contains(size) else { throw .malformed }
        guard size > Self.smallFrame, let turns else {
            return try receive(size, before: deadline, body)
        }
        return try turns.withTurn { () throws(ChannelError) in
            // Waiting for the turn is no fault of the other end.
            try receive(size, before: ContinuousClock.now + rest, body)
        }
    }

    private func receive<Result: ~Copyable>(
        _ size: Int, before deadline: ContinuousClock.Instant,
        _ body: (inout SecretBytes) throws(ChannelError) -> Result
    ) throws(ChannelError) -> Result {
        try SecretBufferPool.shared.withBuffer(
            count: size, mapError: { _ in ChannelError.outOfMemory }
        ) { (payload) throws(ChannelError) in
            try payload.withMutableBytes { (bytes) throws(ChannelError) in
                try read(&bytes, before: deadline)
            }
            return try body(&payload)
        }
    }

    private func readLength(before deadline: ContinuousClock.Instant) throws(ChannelError) -> Int {
        var length: [UInt8] = [0, 0, 0, 0]
        var span = length.mutableSpan
        var bytes = unsafe span.mutableBytes
        try read(&bytes, before: deadline)
        return length.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The corresponding C function is `send`, without a signal for a connection that ended.
    private func write(
        _ bytes: RawSpan, before deadline: ContinuousClock.Instant
    ) throws(ChannelError) {
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
                throw errno == EPIPE || errno == ECONNRESET ? .ended : .failed(errno)
            }
        }
    }

    /// Fills the buffer. The corresponding C function is `recv`.
    private func read(
        _ bytes: inout MutableRawSpan, before deadline: ContinuousClock.Instant
    ) throws(ChannelError) {
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
                throw .ended
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(Int16(POLLIN), before: deadline)
            } else if errno != EINTR {
                throw errno == ECONNRESET ? .ended : .failed(errno)
            }
        }
    }

    /// The corresponding C function is `poll`.
    private func wait(
        _ events: Int16, before deadline: ContinuousClock.Instant?
    ) throws(ChannelError) {
        while true {
            var timeout: Int32 = -1
            if let deadline {
                let left = ContinuousClock.now.duration(to: deadline)
                // Rounded up, so that the last wait does not spin.
                timeout = Int32(clamping: max(left, .zero).milliseconds + 1)
                if left <= .zero { throw .timedOut }
            }
            var request = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&request, 1, timeout)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .failed(errno) }
        }
    }
}
