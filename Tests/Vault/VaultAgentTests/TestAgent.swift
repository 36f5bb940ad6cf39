import Foundation
import SecureStorage
import Synchronization
import Testing
import TestSupport
import VaultAgent
import VaultCore

/// An agent in this process, over a vault with ``TestVault/passphraseText``.
final class TestAgent: Sendable {
    let place: AgentPlace
    let clock: ManualClock
    private let isEnded = Mutex(false)

    /// Makes a vault in `folder` and starts its agent.
    init(
        in folder: String, clock: ManualClock = ManualClock(),
        _ change: (inout Agent.Options) -> Void = { _ in }
    ) throws {
        let file = folder + "/vault.db"
        if !FileManager.default.fileExists(atPath: file) {
            _ = try VaultFile.create(
                at: file, TestVault.environment(), passphrase: TestVault.passphrase(),
                cost: TestVault.cost)
        }
        var options = Agent.Options(
            vaultFile: file, runtimeFolder: nil, environment: TestVault.environment(),
            programVersion: "test")
        options.clock = clock
        options.handlesSignals = false
        options.followsLogin = false
        options.isMemoryLocked = { true }
        change(&options)
        self.clock = clock
        let agent = Running(try Agent(options))
        place = try AgentPlace(vaultFile: file, runtimeFolder: options.runtimeFolder)
        Thread.detachNewThread { [self] in
            try? agent.agent.run()
            isEnded.withLock { $0 = true }
        }
    }

    /// A new client.
    func client() throws -> AgentClient { try AgentClient(place, programVersion: "test") }

    /// A new client of the unlocked vault.
    func unlockedClient() throws -> AgentClient {
        let client = try client()
        try client.unlock(with: TestVault.secret())
        // The agent erases expired values after its answer, before the next request.
        _ = try client.status()
        return client
    }

    /// Ends the agent and waits for it.
    func stop() throws {
        try AgentClient.end(place, programVersion: "test")
        try waitForEnd()
    }

    /// Returns when the agent has looked at its clock and its folder once more.
    ///
    /// It does so before it lets a client in; the second one comes after the clock was moved. To connect counts for nothing.
    func letLookAround() throws {
        for _ in 0..<2 { _ = try client() }
    }

    /// Whether the agent has ended.
    var hasEnded: Bool { isEnded.withLock { $0 } }

    /// Waits until the agent has ended by itself.
    func waitForEnd() throws {
        try eventually("the agent has ended") { hasEnded }
    }

    /// Handed to the one thread that runs it.
    private struct Running: @unchecked Sendable {
        let agent: Agent

        init(_ agent: Agent) {
            self.agent = agent
        }
    }
}

/// Runs `body` with the agent of a new vault, which is ended afterwards.
func withAgent<Result>(
    _ change: (inout Agent.Options) -> Void = { _ in }, _ body: (TestAgent) throws -> Result
) throws -> Result {
    try withTemporaryFolder { folder in
        let agent = try TestAgent(in: folder, change)
        defer { try? agent.stop() }
        return try body(agent)
    }
}
