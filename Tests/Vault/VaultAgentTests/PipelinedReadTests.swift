import SecretMemory
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("Reads of many secrets")
struct PipelinedReadTests {
    private static let names = (0..<3).compactMap {
        try? SecretName(service: "many", account: "\($0)")
    }

    @Test(
        "travel together; all answers are taken before a refusal is told, and the connection is used on"
    )
    func refusal() throws {
        try withPlace { place in
            let connections = Atomic(0)
            let fake = try FakeAgent(at: place) { client, _ in
                connections.add(1, ordering: .relaxed)
                FakeAgent.greet(client) { _ in }
                // A client that waited for the first answer would never send the third request.
                for name in Self.names {
                    guard client.payload() == ReadRequest(name: name).head else { return }
                }
                client.send(
                    payload: WireFailure(SecureStoreError.notVerified).head
                )
                for _ in 1...2 {
                    client.send(
                        payload: WireFailure(SecureStoreError.notFound).head)
                }
                guard client.payload() == LockRequest().head else { return }
                client.send(payload: Self.locked.head)
            }
            defer { fake.stop() }
            let client = try AgentClient(place, programVersion: "test")
            #expect(throws: SecureStoreError.notVerified) {
                try client.readEach(Self.names) { _, _, _ in }
            }
            #expect(try client.lock() == Self.locked)
            #expect(connections.load(ordering: .relaxed) == 1)
        }
    }

    private static let locked = AgentStatus(
        isUnlocked: false, isVerified: false, isMemoryLocked: true, isRollbackRecordKept: true,
        verificationLeft: 0, idleTimeLeft: 0, absoluteTimeLeft: 0, processID: 7)
}
