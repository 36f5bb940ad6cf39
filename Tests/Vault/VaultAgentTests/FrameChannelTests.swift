import Foundation
import Platform
import SecretMemory
import Testing
import TestSupport
@testable import VaultAgent

@Suite("A channel")
struct FrameChannelTests {
    private func receive(
        _ channel: FrameChannel, beginning: Duration? = nil, rest: Duration = .seconds(60)
    ) throws -> [UInt8] {
        try channel.receive(largest: 100_000, beginning: beginning, rest: rest) { payload in
            Samples.bytes(payload)
        }
    }

    @Test(
        "times out if the peer never begins or never ends a frame",
        arguments: [0, 1, 3, 4, 5, 90_000])
    func timeouts(size: Int) throws {
        try withConnection { channel, other in
            other.send(
                bytes: (RawClient.length(100_000) + [UInt8](repeating: 1, count: 100_000)).prefix(
                    size) + [])
            let limit = Duration.milliseconds(30)
            #expect(throws: AgentError.silent(process: getpid())) {
                _ = try receive(channel, beginning: limit, rest: limit)
            }
        }
    }

    @Test("times out if the peer never receives")
    func fullBuffer() throws {
        try withConnection { channel, _ in
            #expect(throws: AgentError.silent(process: getpid())) {
                try channel.send(
                    [UInt8](repeating: 1, count: 10 << 20), within: .milliseconds(30))
            }
        }
    }

    @Test("refuses lengths that no frame has", arguments: [0, 100_001, 1 << 31, 0xFFFF_FFFF])
    func lengths(size: Int) throws {
        try withConnection { channel, other in
            other.send(bytes: RawClient.length(size))
            #expect(throws: AgentError.malformed) { _ = try receive(channel) }
        }
    }

    @Test("knows the end of the other side at any moment", arguments: [0, 2, 4, 10])
    func ends(size: Int) throws {
        try withConnection { channel, other in
            other.send(
                bytes: (RawClient.length(20) + [UInt8](repeating: 1, count: 20)).prefix(size) + [])
            shutdown(other.descriptor, Int32(SHUT_RDWR))
            #expect(channel.isStale)
            #expect(throws: AgentError.connectionLost) { _ = try receive(channel) }
            #expect(throws: AgentError.connectionLost) {
                try channel.send([1], within: .seconds(60))
            }
        }
    }

    @Test("is ended from another thread during any wait")
    func hangUp() throws {
        try withConnection { channel, _ in
            let waiting = Worker {
                try channel.receive(largest: 1, beginning: nil, rest: .seconds(60)) { _ in }
            }
            channel.hangUp()
            #expect(throws: AgentError.connectionLost) { try waiting.get() }
        }
    }

    @Test(
        "brings frames of every size through unchanged",
        arguments: [1, 2, 8_192, 65_536, 65_537, 100_000])
    func sizes(size: Int) throws {
        try withConnection { channel, other in
            let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let sender = Worker { other.send(payload: payload) }
            #expect(try receive(channel) == payload)
            try sender.get()
        }
    }
}
