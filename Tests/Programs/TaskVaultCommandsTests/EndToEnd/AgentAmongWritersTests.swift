import Foundation
import SecureStorage
import Synchronization
import Testing
import TestSupport
import VaultAgent

/// Ten processes that write to the file themselves, an agent with several clients, and commands with and without it, all at one vault.
@Suite(.waitsForProcesses) struct AgentAmongWritersTests {
    /// Of each process and each client.
    private static let times = Attack.amount("TASKVAULT_RAISES", ordinary: 8)
    private static let writers = 10
    private static let clients = 4

    @Test func loseNoUpdateAndNeverSeeTimeGoBack() async throws {
        let home = try TestHome(withVault: false)
        let made = try home.run(["init"] + TestHome.cheap)
        let code = try TestHome.recoveryCode(in: made.outputText)
        try home.save("0", "counter", "shared")
        try home.unlock()
        let place = try AgentPlace(vaultFile: home.vault, runtimeFolder: nil)
        let processes = try (0..<Self.writers).map { _ in try Self.startWriter(home, code) }

        let models = Mutex<[SecretName: [UInt8]]>([:])
        let failures = Mutex<[String]>([])
        await onThreads(Self.clients) { thread in
            do {
                let model = try Self.work(as: thread, place)
                models.withLock { $0.merge(model) { $1 } }
            } catch {
                failures.withLock { $0.append("client \(thread): \(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        // Commands see what was there, or something newer.
        var last = 0
        repeat {
            for options in [[], ["--no-agent", "--passphrase-file", home.passphraseFile]] {
                let found = try home.runBare(["secret", "get", "counter", "shared"] + options)
                let number = try #require(Int(found.outputText), "\(found.errorText)")
                #expect(number >= last)
                last = number
            }
        } while processes.contains(where: \.isRunning)
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        var expected = models.withLock { $0 }
        let raises = (Self.writers + Self.clients) * Self.times
        expected[try SecretName(service: "counter", account: "shared")] = Array("\(raises)".utf8)
        let client = try AgentClient(place, programVersion: "test")
        // On a loaded machine the verification has ended. Reading adds the log's own items.
        try home.unlock()
        let found = try TestVault.contents(of: client).filter { !$0.key.name.isReserved }
        #expect(
            Dictionary(uniqueKeysWithValues: found.map { ($0.key.name, $0.value) }) == expected)
        #expect(try home.run("doctor").exitCode == 0)
        Attack.report([
            "processes": Self.writers, "agents": 1, "clients": Self.clients, "raised": raises,
            "lost-updates": 0,
        ])
    }

    /// Raises the number that all share, changes items of its own, and reads both.
    ///
    /// - Returns: Its own items.
    private static func work(as thread: Int, _ place: AgentPlace) throws -> [SecretName: [UInt8]] {
        let client = try AgentClient(place, programVersion: "test")
        let shared = try SecretName(service: "counter", account: "shared")
        var model: [SecretName: [UInt8]] = [:]
        var last = 0
        for step in 0..<times {
            var isRaised = false
            while !isRaised {
                let (revision, number) = try client.read(shared) {
                    (item, value) throws(SecureStoreError) in
                    (
                        item.revision,
                        Int(String(decoding: Samples.bytes(value), as: UTF8.self)) ?? -1
                    )
                }
                #expect(number >= last)
                last = number
                do {
                    try client.update(
                        shared, to: Samples.secret("\(number + 1)"), expecting: revision)
                    isRaised = true
                } catch SecureStoreError.conflict {
                    continue
                }
            }
            let name = try SecretName(service: "client \(thread)", account: "\(step % 4)")
            let value = Array("\(thread) \(step)".utf8)
            if model[name] == nil {
                try client.save(Samples.secret(value), as: name, SecretAttributes())
                model[name] = value
            } else if step.isMultiple(of: 3) {
                try client.remove(name)
                model[name] = nil
            } else {
                try client.update(name, to: Samples.secret(value))
                model[name] = value
            }
            for (name, value) in model {
                #expect(try Samples.bytes(client.value(of: name)) == value)
            }
        }
        return model
    }

    private static func startWriter(_ home: TestHome, _ code: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: BuiltExecutable.path(of: "TestTools"))
        process.arguments = ["write", "count", home.vault, "\(times)"]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data((code + "\n").utf8))
        try input.fileHandleForWriting.close()
        return process
    }
}
