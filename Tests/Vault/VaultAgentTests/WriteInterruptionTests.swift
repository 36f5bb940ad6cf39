import Dispatch
import Foundation
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore
import VaultStorage

/// The end of a session while its vault file is in use.
@Suite("A write that a lock interrupts")
struct WriteInterruptionTests {
    enum Cause: CaseIterable {
        case request, idleLimit, end
    }

    private static let early = named("early")

    private static func named(_ service: String) -> SecretName {
        do {
            return try SecretName(service: service, account: "ada")
        } catch {
            preconditionFailure("a plain name is acceptable")
        }
    }

    /// Runs `body` with an agent whose writes wait for another process, and a semaphore that tells of each.
    private func withBusyAgent(
        _ body: (TestAgent, DispatchSemaphore) throws -> Void
    ) throws {
        let began = DispatchSemaphore(value: 0)
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let agent = try TestAgent(in: folder) {
                // Longer than the idle limit of the session.
                $0.longestIdleTime = .seconds(9_000)
                $0.openStorage = { try BusyStorage(path, $0, began: began) }
            }
            defer { try? agent.stop() }
            try body(agent, began)
        }
    }

    @Test(
        "does not hold up the end of the session, whose keys are wiped before the file is free",
        arguments: Cause.allCases)
    func held(cause: Cause) throws {
        try withBusyAgent { agent, began in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Self.early, SecretAttributes())
            began.wait()
            let other = try VaultDatabase.open(.file(agent.place.vault.path), mode: .readWrite)
            defer { other.close() }
            try other.write { _ in
                let use = Worker {
                    try client.save(Samples.two(), as: Samples.name, SecretAttributes())
                }
                began.wait()
                switch cause {
                case .idleLimit:
                    agent.clock.advance(by: .seconds(900))
                    try agent.letLookAround()
                case .end: try AgentClient.end(agent.place, programVersion: "test")
                case .request: #expect(try !agent.client().lock().isUnlocked)
                }
                // The other process still has the lock. An agent that ends may hang up before it has answered.
                let error = #expect(throws: SecureStoreError.self) { _ = try use.get() }
                #expect(error == .locked || cause == .end)
            }
            guard cause != .end else { return try agent.waitForEnd() }
            #expect(try !agent.client().status().isUnlocked)
            let items = try agent.unlockedClient().list()
            #expect(items.map(\.name) == [Self.early])
        }
    }

    @Test("is there if it was acknowledged, and otherwise not")
    func acknowledged() throws {
        try withAgent { agent in
            var acknowledged: Set<SecretName> = []
            for round in 0..<40 {
                let client = try agent.unlockedClient()
                let count = Mutex(0)
                let writer = Worker { () throws -> Int in
                    for number in 0... {
                        do {
                            try client.save(
                                Samples.one(), as: Self.named("\(round) \(number)"),
                                SecretAttributes())
                        } catch SecureStoreError.locked {
                            return number
                        }
                        count.withLock { $0 += 1 }
                    }
                    return .max
                }
                let first = round % 4
                try eventually("some are saved") { count.withLock { $0 >= first } }
                usleep(UInt32.random(in: 0...2_000))
                try agent.client().lock()
                for number in 0..<(try writer.get()) {
                    acknowledged.insert(Self.named("\(round) \(number)"))
                }
                let items = try agent.unlockedClient().list()
                #expect(Set(items.map(\.name)) == acknowledged)
            }
            #expect(acknowledged.count >= 60)
        }
    }
}
