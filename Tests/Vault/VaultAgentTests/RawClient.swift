import CTestPlatform
import Foundation
import Platform
import TestSupport
@testable import VaultAgent
import VaultStorage

/// A client that sends any bytes.
final class RawClient: @unchecked Sendable {
    let descriptor: Int32

    init(_ place: AgentPlace) throws {
        descriptor = try Self.connect(place.socket.path)
    }

    /// Takes over a connected socket.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The error of a call of the system.
    struct Failure: Error {
        let code: Int32
    }

    private static func connect(_ path: String) throws -> Int32 {
        let descriptor = unsafe platform_connect(path)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        return descriptor
    }

    /// Sends bytes as they are, as far as the other end takes them.
    func send(bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe platform_send(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard waits(POLLOUT) else { return }
            } else {
                return
            }
        }
    }

    /// Sends a frame.
    func send(payload: [UInt8]) {
        send(bytes: Self.length(payload.count) + payload)
    }

    /// Sends a request without a secret.
    func send(_ request: any AgentRequest) throws { send(payload: request.head) }

    static func length(_ count: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }

    /// Exchanges hellos.
    func greet(version: UInt32 = AgentProtocol.version) throws {
        try send(HelloRequest(protocolVersion: version, programVersion: "raw"))
        guard let answer = payload(), answer.first == 0x80 else { throw Failure(code: 0) }
    }

    /// Waits until something can be read or written, long enough that it never will be if it is not then.
    private func waits(_ events: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe poll(&request, 1, 120_000) > 0
    }

    /// Whether something can be read now.
    func hasAnswer() throws -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) > 0
    }

    /// Ends the connection; returns when the other end has done all that it does for it.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
        _ = everything()
    }

    /// The number of sent bytes that the other end has not read.
    var unread: Int { Int(test_platform_unread(descriptor)) }

    /// So many bytes, or fewer where the other end hung up.
    func bytes(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count, waits(POLLIN) {
            var part = [UInt8](repeating: 0, count: min(count - all.count, 65_536))
            let size = unsafe platform_receive(descriptor, &part, part.count)
            if size <= 0 { break }
            all += part.prefix(size)
        }
        return all
    }

    /// All bytes until the other end hangs up.
    func everything() -> [UInt8] { bytes(.max >> 32) }

    /// The payload of the next frame; nil where the other end hung up instead.
    func payload() -> [UInt8]? {
        let length = bytes(4)
        guard length.count == 4 else { return nil }
        let size = length.reversed().reduce(0) { $0 << 8 | Int($1) }
        let payload = bytes(size)
        return payload.count == size ? payload : nil
    }
}

/// Both ends of a connection: one sends frames, the other any bytes.
func withConnection(_ body: (FrameChannel, RawClient) throws -> Void) throws {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue)
    #else
        let kind = SOCK_STREAM
    #endif
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
        throw RawClient.Failure(code: errno)
    }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    try body(FrameChannel(ends[0], LargeFrameTurns()), RawClient(descriptor: ends[1]))
}
