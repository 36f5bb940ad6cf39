import Foundation
import Platform
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("A client that does not keep to the protocol")
struct HostileClientTests {
    private static let hello = HelloRequest(protocolVersion: 1, programVersion: "x").head
    private static let malformed = WireFailure.malformed.head

    /// A payload of a hostile client, and whether it says hello before.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let greets: Bool
        let bytes: [UInt8]

        init(_ name: String, greets: Bool = true, _ bytes: [UInt8]) {
            testDescription = name
            self.greets = greets
            self.bytes = bytes
        }

        init(_ name: String, greets: Bool = true, payload: [UInt8]) {
            self.init(name, greets: greets, RawClient.length(payload.count) + payload)
        }
    }

    private static let attacks: [Attack] = [
        Attack("garbage for a hello", greets: false, payload: Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        Attack("no frame at all", greets: false, Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        Attack("a request before the hello", greets: false, payload: StatusRequest().head),
        Attack("an end before the hello", greets: false, payload: EndRequest().head),
        Attack("a hello of 4,097 bytes", greets: false, RawClient.length(4_097)),
        Attack("a hello with a byte too many", greets: false, payload: hello + [0]),
        Attack("a second hello", payload: hello),
        Attack("an empty frame", RawClient.length(0)),
        Attack("a frame of 2 MiB and a byte", RawClient.length(2 << 20 + 1)),
        Attack("a frame of 4 GiB", [0xFF, 0xFF, 0xFF, 0xFF]),
        Attack("an unknown request", payload: [0x77]),
        Attack("an answer", payload: DoneAnswer().head),
        Attack("a request with a byte too many", payload: StatusRequest().head + [0]),
        Attack("a name without an end", payload: [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0x41]),
        Attack("a name that is not UTF-8", payload: [0x20, 1, 0, 0, 0, 0xFF, 1, 0, 0, 0, 0x41]),
        Attack("a secret longer than the frame", payload: [0x12, 1, 0xFF, 0, 0, 0, 0x41]),
        Attack("2 MiB of nothing", payload: [UInt8](repeating: 0, count: 2 << 20)),
    ]

    @Test("is disconnected, and other clients are not disturbed", arguments: attacks)
    func attack(_ attack: Attack) throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            let raw = try RawClient(agent.place)
            if attack.greets { try raw.greet() }
            raw.send(bytes: attack.bytes)
            let answer = raw.everything()
            #expect(
                answer.isEmpty
                    || answer == RawClient.length(Self.malformed.count) + Self.malformed)
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
            #expect(try agent.client().status().isVerified)
        }
    }

    @Test("but is slow, byte by byte, is served, too")
    func slow() throws {
        try withAgent { agent in
            _ = try agent.unlockedClient()
            let raw = try RawClient(agent.place)
            for payload in [Self.hello, StatusRequest().head] {
                for byte in RawClient.length(payload.count) + payload {
                    raw.send(bytes: [byte])
                    try eventually("the byte is read") { raw.unread == 0 }
                }
                #expect(raw.payload() != nil)
            }
        }
    }

    @Test("and stops in the middle does not stop others")
    func half() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            // Half a hello, half a length, and as many large frames as the agent has turns for, of which only the first byte comes.
            let halves = try (0..<24).map { number in
                let raw = try RawClient(agent.place)
                if number % 3 == 0 {
                    raw.send(bytes: RawClient.length(Self.hello.count) + Self.hello.prefix(5))
                } else {
                    try raw.greet()
                    raw.send(bytes: number % 3 == 1 ? [1, 0] : RawClient.length(1 << 20) + [0x21])
                }
                return raw
            }
            let large = [UInt8](repeating: 5, count: 300_000)
            for round in 0..<20 {
                let name = try TestVault.name(round)
                try client.save(Samples.secret("\(round)"), as: name, SecretAttributes())
                #expect(try Samples.bytes(client.value(of: name)) == Array("\(round)".utf8))
            }
            // A large frame of another client comes through as well, if one turn of large frames is free.
            shutdown(halves[2].descriptor, Int32(SHUT_RDWR))
            try client.save(Samples.secret(large), as: Samples.name, SecretAttributes())
            #expect(try Samples.bytes(client.value(of: Samples.name)) == large)
            #expect(halves.count == 24)
        }
    }

    @Test("and holds up one large frame does not hold up another's")
    func largeFrame() throws {
        // The slow clients are not given up before the others are served.
        try withAgent({ $0.limits.frame = .seconds(120) }) { agent in
            let client = try agent.unlockedClient()
            let slow = try (0..<7).map { _ in
                let raw = try RawClient(agent.place)
                try raw.greet()
                raw.send(bytes: RawClient.length(1 << 20) + [0x21])
                return raw
            }
            // Each has begun before the large frames of the good clients come.
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            try eventually("each has its turn") { slow.allSatisfy { $0.unread == 0 } }
            let value = [UInt8](repeating: 9, count: 200_000)
            let good = try (0..<9).map { _ in try agent.client() }
            for (number, client) in good.enumerated() {
                try client.save(
                    Samples.secret(value), as: TestVault.name(number), SecretAttributes())
            }
            for raw in slow { #expect(try !raw.hasAnswer()) }
        }
    }

    @Test("and hangs up in the middle of a request or an answer leaves nothing behind")
    func gone() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let value = [UInt8](repeating: 5, count: SecretLimits.maximumValueSize)
            try client.save(Samples.secret(value), as: Samples.name, SecretAttributes())
            for round in 0..<30 {
                let raw = try RawClient(agent.place)
                try raw.greet()
                if round.isMultiple(of: 2) {
                    try raw.send(ReadRequest(name: Samples.name))
                    if round % 4 == 0 { _ = raw.bytes(1_000) }
                } else {
                    let save = SaveRequest(
                        name: try TestVault.name(round), attributes: SecretAttributes())
                    let payload = save.head + RawClient.length(5_000) + [1, 2, 3]
                    raw.send(bytes: RawClient.length(payload.count + 4_997) + payload)
                }
            }
            #expect(try Samples.bytes(client.value(of: Samples.name)) == value)
            #expect(try client.list().count == 1)
        }
    }
}
