import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Two machines, each with a session of its own, at one vault on a server.
@Suite(
    "Two machines at one vault",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct TwoMachineTests {
    @Test("lose nothing when eight threads write at once")
    func writers() async throws {
        try await withPostgreSQLDatabase { address in
            let storages = [
                try VaultDatabase.createServer(at: address, lockTimeout: .seconds(60)),
                try VaultDatabase.createServer(at: address, lockTimeout: .seconds(60)),
            ]
            defer { for storage in storages { storage.close() } }
            try TestVault.create(in: storages[0])
            let sessions = try storages.map { try TestVault.unlock($0) }
            let shared = try SecretName(service: "shared", account: "counter")
            try sessions[0].save(Samples.secret("0"), as: shared, SecretAttributes())
            // What each thread did with names of its own, and how often it raised the counter that all share.
            let models = Mutex<[[SecretName: [UInt8]]]>(Array(repeating: [:], count: 8))
            let raised = Count()
            let conflicts = Count()
            let failures = Mutex<[String]>([])
            await onThreads(8) { thread in
                do {
                    let session = sessions[thread % 2]
                    var random = SeededGenerator()
                    var model: [SecretName: [UInt8]] = [:]
                    for step in 0..<25 {
                        try Self.change(session, thread, step, &model, &random)
                        let isRaised = try Self.raise(shared, session)
                        (isRaised ? raised : conflicts).add()
                    }
                    let done = model
                    models.withLock { $0[thread] = done }
                } catch {
                    failures.withLock { $0.append("\(thread): \(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            var expected = models.withLock { $0 }.reduce(into: [:]) { $0.merge($1) { $1 } }
            let count = raised.value
            expected[shared] = Array("\(count)".utf8)
            for session in sessions + [try TestVault.unlock(storages[1])] {
                let found = try TestVault.contents(of: session)
                let values = Dictionary(uniqueKeysWithValues: found.map { ($0.key.name, $0.value) })
                #expect(values == expected)
                let problems = try session.check().problems
                #expect(problems.isEmpty)
            }
            #expect(count > 0)
            #expect(count + conflicts.value == 200)
        }
    }

    private static func change(
        _ session: UnlockedVault, _ thread: Int, _ step: Int, _ model: inout [SecretName: [UInt8]],
        _ random: inout SeededGenerator
    ) throws {
        let name = try SecretName(
            service: "thread \(thread)", account: "\(random.next() % 4)")
        let value = Array("\(thread) \(step)".utf8)
        if model[name] == nil {
            try session.save(Samples.secret(value), as: name, SecretAttributes())
            model[name] = value
        } else if random.next().isMultiple(of: 3) {
            try session.remove(name)
            model[name] = nil
        } else {
            try session.update(name, to: Samples.secret(value))
            model[name] = value
        }
    }

    /// Reads a number and writes the next one, unless somebody else was faster.
    private static func raise(_ name: SecretName, _ session: UnlockedVault) throws -> Bool {
        let (revision, number) = try session.read(name) { (item, value) throws(SecureStoreError) in
            (item.revision, Int(String(decoding: Samples.bytes(value), as: UTF8.self)) ?? -1)
        }
        do {
            try session.update(
                name, to: Samples.secret("\(number + 1)"), expecting: revision)
            return true
        } catch SecureStoreError.conflict {
            return false
        }
    }
}

/// A number that threads count up.
private final class Count: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    func add() { number.add(1, ordering: .sequentiallyConsistent) }
}
