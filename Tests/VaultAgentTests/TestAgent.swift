import Foundation
import SecureStorage
import Synchronization
import TestSupport
import VaultAgent
import VaultCore

/// A clock that goes when the test says so.
final class ManualClock: SessionClock {
    private let time = Mutex(Duration.seconds(1_000))
    private let moved = NSCondition()

    var now: Duration { time.withLock { $0 } }

    func advance(by step: Duration) {
        time.withLock { $0 += step }
        moved.lock()
        moved.broadcast()
        moved.unlock()
    }

    func sleep(until time: Duration) {
        moved.lock()
        while now < time { moved.wait() }
        moved.unlock()
    }
}

/// An agent in this process, over a vault with ``TestVault/passphraseText``.
final class TestAgent: Sendable {
    let place: AgentPlace
    let clock: ManualClock
    private let ended = DispatchSemaphore(value: 0)

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
        options.isMemoryLocked = { true }
        change(&options)
        self.clock = clock
        place = try AgentPlace(vaultFile: file, runtimeFolder: options.runtimeFolder)
        let agent = Running(try Agent(options))
        let ended = ended
        Thread.detachNewThread {
            try? agent.agent.run()
            ended.signal()
        }
    }

    deinit {
        try? stop()
    }

    /// A new client.
    func client() throws -> AgentClient { try AgentClient(place, programVersion: "test") }

    /// A new client of the unlocked vault.
    func unlockedClient() throws -> AgentClient {
        let client = try client()
        try client.unlock(with: TestVault.secret())
        return client
    }

    /// Ends the agent and waits for it.
    func stop() throws {
        if try AgentClient.end(place, programVersion: "test") { ended.wait() }
    }

    /// Handed to the one thread that runs it.
    private struct Running: @unchecked Sendable {
        let agent: Agent

        init(_ agent: Agent) {
            self.agent = agent
        }
    }
}
