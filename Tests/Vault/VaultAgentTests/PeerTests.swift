import Foundation
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultStorage

#if os(Linux)
    import Glibc

    /// Calls as another user of the machine, by one thread: the bare system call changes that thread only.
    private enum OtherUser {
        static let id: uid_t = 65_534

        /// syscall(2) is variadic, which Swift cannot call; all its arguments are words.
        private static func setEffectiveUser(_ user: uid_t) {
            typealias Function = @convention(c) (Int, Int, Int, Int) -> Int
            let setResolvedUsers = 117
            guard let symbol = unsafe dlsym(nil, "syscall") else { return }
            _ = unsafe unsafeBitCast(symbol, to: Function.self)(setResolvedUsers, -1, Int(user), -1)
        }

        static func run<Result: Sendable>(
            _ body: @escaping @Sendable () throws -> Result
        ) throws -> Result {
            try Worker {
                setEffectiveUser(id)
                defer { setEffectiveUser(0) }
                return try body()
            }.get()
        }
    }

    @Suite("The user at the other end")
    struct PeerTests {
        /// Whether this is root, and another user reaches the folders of tests.
        private static let canActAsOther: Bool = {
            guard geteuid() == 0 else { return false }
            let base = TemporaryFolder.base
            let isReached = try? OtherUser.run {
                var status = stat()
                return unsafe lstat(base + "/.", &status) == 0
            }
            return isReached == true
        }()

        @Test(
            "is hung up on without an answer if it is another user",
            .enabled(
                if: canActAsOther,
                "acts as another user, which only root can, in a folder that others reach"))
        func otherClient() throws {
            try withAgent { agent in
                _ = try agent.unlockedClient()
                // The folder is open to others: the agent itself must refuse.
                unsafe chmod(agent.place.socket.folder, 0o755)
                unsafe chmod(agent.place.socket.path, 0o777)
                let raw = try OtherUser.run { try RawClient(agent.place) }
                raw.send(payload: HelloRequest(protocolVersion: 1, programVersion: "x").head)
                #expect(raw.everything().isEmpty)
                // A connection that this user made gets an answer.
                let own = try RawClient(agent.place)
                try own.greet()
                unsafe chmod(agent.place.socket.folder, 0o700)
                #expect(try agent.client().status().isUnlocked)
            }
        }

        @Test(
            "is told nothing if it is another user's agent",
            .enabled(
                if: canActAsOther,
                "acts as another user, which only root can, in a folder that others reach"),
            arguments: [false, true])
        func otherAgent(isSocketOurs: Bool) throws {
            try withPlace { place in
                unsafe chmod(place.socket.folder, 0o777)
                let fake = try OtherUser.run {
                    try FakeAgent(at: place) { client, note in note(client.everything()) }
                }
                defer { fake.stop() }
                if isSocketOurs { unsafe chown(place.socket.path, 0, 0) }
                unsafe chmod(place.socket.folder, 0o700)
                do {
                    _ = try AgentClient(place, programVersion: "test")
                    Issue.record("the client trusts it")
                } catch AgentError.notTrusted {
                }
                do {
                    try AgentClient.end(place, programVersion: "test")
                    Issue.record("the client trusts it")
                } catch AgentError.notTrusted {
                }
                #expect(fake.received.isEmpty)
            }
        }

        @Test("must be reached through a socket", arguments: ["file", "link", "folder", "pipe"])
        func noSocket(kind: String) throws {
            try withTemporaryFolder { folder in
                let home = folder + "/home"
                try VaultLocation.prepareFolder(at: home)
                let agent = try TestAgent(in: home)
                let path = agent.place.socket.path
                try FileManager.default.moveItem(atPath: path, toPath: folder + "/real.sock")
                switch kind {
                case "file": try Data().write(to: URL(filePath: path))
                case "link":
                    // Even one to the real socket.
                    #expect(unsafe symlink(folder + "/real.sock", path) == 0)
                case "folder": #expect(unsafe mkdir(path, 0o700) == 0)
                default: #expect(unsafe mkfifo(path, 0o600) == 0)
                }
                do {
                    _ = try agent.client()
                    Issue.record("the client trusts it")
                } catch AgentError.notTrusted {
                }
                try agent.waitForEnd()
            }
        }

        @Test("is not looked for where others could have put it")
        func unsafeFolder() throws {
            try withPlace { place in
                unsafe chmod(place.socket.folder, 0o777)
                defer { unsafe chmod(place.socket.folder, 0o700) }
                do {
                    _ = try AgentPlace(vaultFile: place.vault.path, runtimeFolder: nil)
                    Issue.record("the folder is trusted")
                } catch DatabaseError.unsafeLocation {
                }
            }
        }
    }
#endif
