import Foundation
import Platform
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("Many clients")
struct ClientLimitTests {
    @Test("that count together lose nothing")
    func counter() throws {
        try withAgent { agent in
            let first = try agent.unlockedClient()
            try first.save(Samples.secret("0"), as: Samples.name, SecretAttributes())
            let clients = try (0..<64).map { _ in try agent.client() }
            let workers = clients.map { client in
                Worker {
                    for _ in 0..<4 { try Self.increment(client) }
                }
            }
            for worker in workers { try worker.get() }
            #expect(try Self.number(first) == 256)
        }
    }

    private static func number(_ client: AgentClient) throws -> Int? {
        Int(String(decoding: Samples.bytes(try client.value(of: Samples.name)), as: UTF8.self))
    }

    private static func increment(_ client: AgentClient) throws {
        while true {
            let (value, revision) = try client.read(Samples.name) {
                (item, value) throws(SecureStoreError) in
                (String(decoding: Samples.bytes(value), as: UTF8.self), item.revision)
            }
            do {
                try client.update(
                    Samples.name, to: Samples.secret("\((Int(value) ?? -1) + 1)"),
                    expecting: revision)
                return
            } catch SecureStoreError.conflict {
                continue
            }
        }
    }

    #if os(Linux)
        private static func count(_ folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder).count
        }

        @Test(
            "a thousand of them, idle, cost a bounded number of threads and descriptors, and others are served",
            .endsProcess,
            .enabled(if: hasRoom, "needs 4,000 descriptors"))
        func idle() async {
            // In a process of its own, whose threads and descriptors are those of this test.
            await #expect(processExitsWith: .success) {
                var limit = rlimit()
                unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = min(limit.rlim_max, 4_000)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let mostClients = 256
                try withAgent { agent in
                    let client = try agent.unlockedClient()
                    try client.save(Samples.one(), as: Samples.name, SecretAttributes())
                    let threads = try Self.count("/proc/self/task")
                    let descriptors = try Self.count("/proc/self/fd")
                    var idle: [RawClient] = []
                    for number in 0..<1_000 {
                        idle.append(try RawClient(agent.place))
                        if number.isMultiple(of: 2) { try? idle.last?.greet() }
                        if number.isMultiple(of: 10) {
                            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
                        }
                    }
                    try eventually("there are as many threads and descriptors as there may be") {
                        try Self.count("/proc/self/task") <= threads + mostClients
                            && Self.count("/proc/self/fd")
                                <= descriptors + 1_000 + mostClients
                    }
                    #expect(try agent.client().status().isVerified)
                    #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
                    #expect(try Self.count("/proc/self/task") > threads + 100, "they do connect")
                    idle = []
                    try eventually("all of it is given back") {
                        try Self.count("/proc/self/task") <= threads + 2
                            && Self.count("/proc/self/fd") <= descriptors + 2
                    }
                }
            }
        }

        private static var hasRoom: Bool {
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return limit.rlim_max >= 4_000
        }

        @Test("and the agent have no descriptor that another program would inherit", .endsProcess)
        func inheritance() async {
            await #expect(processExitsWith: .success) {
                let before = try Set(
                    FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))
                try withAgent({ $0.handlesSignals = true }) { agent in
                    let client = try agent.unlockedClient()
                    try client.save(Samples.one(), as: Samples.name, SecretAttributes())
                    var opened = 0
                    for name in try FileManager.default.contentsOfDirectory(
                        atPath: "/proc/self/fd")
                    where !before.contains(name) {
                        // The descriptor of the folder that was being read is gone by now.
                        guard
                            let flags = try? String(
                                contentsOfFile: "/proc/self/fdinfo/" + name, encoding: .utf8),
                            let line = flags.split(separator: "\n").first(where: {
                                $0.hasPrefix("flags:")
                            }), let bits = Int(line.dropFirst(7), radix: 8)
                        else { continue }
                        opened += 1
                        #expect(bits & 0o2000000 != 0, "\(name): \(line)")
                    }
                    // Lock, listener, two pipes, both ends of a connection, the vault.
                    #expect(opened >= 9, "only \(opened) were looked at")
                }
            }
        }
    #endif
}
