import Foundation
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("Another version of the protocol")
struct ProtocolVersionTests {
    @Test("of a client is answered, and may end the agent", arguments: [0, 2, UInt32.max])
    func clientEnds(version: UInt32) throws {
        try withTemporaryFolder { folder in
            let agent = try TestAgent(in: folder)
            _ = try agent.unlockedClient()
            let raw = try RawClient(agent.place)
            raw.send(
                payload: HelloRequest(protocolVersion: version, programVersion: "0.1").head)
            let answer = try #require(raw.payload())
            #expect(answer.starts(with: [0x80] + Array("TVAG".utf8) + [1, 0, 0, 0]))
            raw.send(payload: [0x01])
            #expect(raw.payload() == [0x81])
            try agent.waitForEnd()
        }
    }

    @Test("of a client gets nothing else")
    func clientAsks() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let requests: [any AgentRequest] = [
                StatusRequest(), ListRequest(), LockRequest(), SettingsRequest(),
                ReadRequest(name: Samples.name),
            ]
            for request in requests {
                let raw = try RawClient(agent.place)
                try raw.greet(version: 2)
                try raw.send(request)
                #expect(
                    raw.everything().dropFirst(4).starts(with: WireFailure.malformed.head)
                )
            }
            #expect(try client.status().isUnlocked)
        }
    }

    @Test("of an agent is named, and no request is sent")
    func agentIsNamed() throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, note in
                FakeAgent.greet(client, version: 2, note)
                note(client.everything())
            }
            defer { fake.stop() }
            #expect(throws: AgentError.otherVersion("9.9")) {
                _ = try AgentClient(place, programVersion: "test")
            }
            #expect(
                fake.received
                    == HelloRequest(protocolVersion: 1, programVersion: "test").head)
        }
    }

    @Test("of an agent ends on demand")
    func agentEnds() throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, note in
                FakeAgent.greet(client, version: 2) { _ in }
                note(client.payload() ?? [])
                client.send(payload: DoneAnswer().head)
            }
            defer { fake.stop() }
            try AgentClient.end(place, programVersion: "test")
            #expect(fake.received == [0x01])
        }
    }
}

/// Runs `body` with the place of a vault without an agent.
func withPlace<Result>(_ body: (AgentPlace) throws -> Result) throws -> Result {
    try withTemporaryFolder { folder in
        _ = try VaultFile.create(
            at: folder + "/vault.db", TestVault.environment(), passphrase: TestVault.passphrase(),
            cost: TestVault.cost)
        return try body(AgentPlace(vaultFile: folder + "/vault.db", runtimeFolder: nil))
    }
}
