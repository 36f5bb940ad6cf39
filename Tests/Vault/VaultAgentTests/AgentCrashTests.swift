import Foundation
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("An agent that dies in the middle of a request")
struct AgentCrashTests {
    private static let lost = SecureStoreError(AgentError.connectionLost)

    /// Greets, takes so many bytes of a request, answers with some bytes and hangs up.
    private func withDyingAgent(
        afterBytes count: Int, answering answer: [UInt8] = [],
        _ body: (AgentClient, FakeAgent) throws -> Void
    ) throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, _ in
                FakeAgent.greet(client) { _ in }
                _ = client.bytes(count)
                client.send(bytes: answer)
            }
            defer { fake.stop() }
            try body(AgentClient(place, programVersion: "test"), fake)
        }
    }

    @Test("is told from one that refuses", arguments: [0, 1, 5])
    func noAnswer(bytes: Int) throws {
        try withDyingAgent(afterBytes: bytes) { client, _ in
            #expect(throws: Self.lost) {
                try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            }
            #expect(throws: AgentError.connectionLost) { _ = try client.status() }
        }
    }

    @Test("is none before its hello, when nothing was asked", arguments: [0, 1, 9])
    func noHello(bytes: Int) throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, _ in _ = client.bytes(bytes) }
            defer { fake.stop() }
            #expect(throws: AgentError.notRunning) {
                _ = try AgentClient(place, programVersion: "test")
            }
        }
    }

    @Test("may have begun its answer", arguments: [1, 4, 5, 36])
    func halfAnAnswer(size: Int) throws {
        let status = AgentStatus(
            isUnlocked: true, isVerified: true, isMemoryLocked: true, isRollbackRecordKept: true,
            verificationLeft: 1, idleTimeLeft: 1, absoluteTimeLeft: 1, processID: 1)
        let payload = status.head
        let frame = RawClient.length(payload.count) + payload
        #expect(frame.count > size)
        try withDyingAgent(afterBytes: 5, answering: Array(frame.prefix(size))) { client, _ in
            #expect(throws: AgentError.connectionLost) { _ = try client.status() }
        }
    }

    @Test("and is there again is found by the next call")
    func comesBack() throws {
        try withTemporaryFolder { folder in
            let agent = try TestAgent(in: folder)
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            try agent.stop()
            #expect(throws: SecureStoreError.locked) { _ = try client.value(of: Samples.name) }
            let next = try TestAgent(in: folder)
            try client.unlock(with: TestVault.secret())
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
            try next.stop()
        }
    }

    @Test(
        "or answers something else than it was asked for is not believed",
        arguments: [
            DoneAnswer().head, [0x77], DoneAnswer().head + [0], [],
            WireFailure.malformed.head, WireFailure("news").head,
        ])
    func wrongAnswer(payload: [UInt8]) throws {
        let frame = RawClient.length(payload.count) + payload
        try withDyingAgent(afterBytes: 5, answering: frame) { client, _ in
            #expect(throws: AgentError.malformed) { _ = try client.status() }
        }
    }

    @Test("or says nothing at all is named by its process")
    func silence() throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, _ in _ = client.everything() }
            defer { fake.stop() }
            let limits = AgentTimeLimits(hello: .milliseconds(20), frame: .seconds(10))
            #expect(throws: AgentError.silent(process: getpid())) {
                _ = try AgentConnection(place, programVersion: "test", limits)
            }
        }
    }

    @Test(
        "or falls silent after it was asked is not waited for without end",
        arguments: [false, true])
    func silenceAfterHello(isProof: Bool) throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, _ in
                FakeAgent.greet(client) { _ in }
                _ = client.everything()
            }
            defer { fake.stop() }
            var limits = AgentTimeLimits(hello: .seconds(10), frame: .seconds(10))
            limits.answer = .milliseconds(20)
            limits.proof = .milliseconds(20)
            let connection = try AgentConnection(place, programVersion: "test", limits)
            let secret = try Samples.secret("secret")
            #expect(throws: AgentError.connectionLost) {
                _ = try secret.withBytes { bytes in
                    try isProof
                        ? connection.ask(VerifyRequest(kind: .passphrase), bytes)
                        : connection.ask(StatusRequest())
                }
            }
        }
    }

    @Test("cannot make a client take memory before they have said hello")
    func hugeHello() throws {
        try withPlace { place in
            let fake = try FakeAgent(at: place) { client, _ in
                _ = client.payload()
                client.send(bytes: RawClient.length(4_097))
                _ = client.everything()
            }
            defer { fake.stop() }
            #expect(throws: AgentError.malformed) {
                _ = try AgentClient(place, programVersion: "test")
            }
        }
    }
}
