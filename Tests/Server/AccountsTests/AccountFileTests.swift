import Accounts
import Database
import Platform
import Testing
import TestSupport

@Suite("A file of accounts")
struct AccountFileTests {
    @Test("is readable by its owner only, keeps its rows, and leaves no file beside it")
    func create() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            for options in [AccountRepository.standardOptions, readOnly] {
                #expect(throws: DatabaseError.notFound) {
                    try AccountRepository.open(.file(path), options)
                }
            }
            #expect(TestFile.names(in: folder) == [])
            #expect(throws: DatabaseError.notFound) {
                try AccountRepository.openOrCreate(.file(folder + "/x/y"))
            }
            let repository = try AccountRepository.openOrCreate(.file(path))
            try repository.fill(3)
            let everything = try Everything(repository)
            #expect(
                TestFile.names(in: folder) == ["accounts.db", "accounts.db-shm", "accounts.db-wal"])
            for name in TestFile.names(in: folder) {
                #expect(TestFile.mode(folder + "/" + name) == 0o600)
            }
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
            let again = try AccountRepository.openOrCreate(.file(path))
            #expect(try Everything(again) == everything)
            again.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test(
        "of an earlier version gets tables and columns, and keeps its rows",
        arguments: [7, 8, 9, 10])
    func earlierVersion(_ version: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try HostileAccountFile.make(at: path, script: HostileAccountFile.earlier(version))
            let repository = try AccountRepository.open(.file(path))
            if version == 10 {
                let place = SyncSamples.place("1")
                let owner = AccountSamples.accountID(1)
                #expect(try repository.read { try $0.blob(owner, place) } == [1, 2])
                try repository.change { try $0.removeBlob(owner, place) }
            }
            let made = try AccountRepository.openOrCreate(.memory)
            try made.fill(1)
            #expect(try Everything(repository) == Everything(made))
            let found = try repository.read { try $0.accessToken(TokenHash(of: "access 1")) }
            #expect(found?.token.grant == .account && found?.session.grant == .account)
            let factor = AccountSamples.factor(1, of: 1, created: 1)
            try repository.change {
                try $0.insert(factor)
                try $0.insert(AccountSamples.account(2))
            }
            repository.close()
            #expect(openErrors(path) == [nil, nil, nil])
        }
    }

    @Test("has large pages, and one of an earlier build keeps its own", arguments: [nil, 10, 11])
    func pages(_ earlier: Int?) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            if let earlier {
                let script =
                    earlier == 11
                    ? HostileAccountFile.schema + HostileAccountFile.rows
                    : HostileAccountFile.earlier(earlier)
                try HostileAccountFile.make(at: path, script: script)
            }
            let size = earlier == nil ? 16_384 : 4_096
            let owner = AccountSamples.accountID(1)
            let place = SyncSamples.place("2")
            let content = [UInt8](repeating: 7, count: 1_114_112)
            let repository = try AccountRepository.openOrCreate(.file(path))
            if earlier == nil { try repository.fill(1) }
            try repository.change { try $0.insertBlob(content, owner, place) }
            repository.close()
            for _ in 0..<2 {
                let head = try TestFile.read(path)[16..<18]
                #expect(head.reduce(0) { $0 << 8 | Int($1) } == size)
                let again = try AccountRepository.openOrCreate(.file(path))
                #expect(try again.read { try $0.blob(owner, place) } == content)
                try again.check()
                again.close()
            }
        }
    }

    @Test("is not changed by reading, and refuses changes if it is open for reading only")
    func reading() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let writer = try AccountRepository.openOrCreate(.file(path))
            try writer.fill(2)
            let everything = try Everything(writer)
            writer.close()
            let before = try TestFile.read(path)
            let reader = try AccountRepository.open(
                .file(path), readOnly)
            #expect(try Everything(reader) == everything)
            try reader.check()
            #expect(throws: DatabaseError.readOnly) { try reader.fill(3) }
            reader.close()
            #expect(try TestFile.read(path) == before)
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test("is busy for a second writer after its timeout, and readable")
    func busy() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let first = try AccountRepository.openOrCreate(.file(path))
            let second = try AccountRepository.open(
                .file(path), DatabaseOptions(lockTimeout: .milliseconds(20), connections: 2))
            defer {
                first.close()
                second.close()
            }
            try first.change { writer in
                try writer.insert(AccountSamples.account(1))
                #expect(throws: DatabaseError.busy) { try second.fill(1) }
                #expect(try Everything(second).accounts == [])
            }
            try second.change { try $0.insert(AccountSamples.account(2)) }
            #expect(try Everything(first).accounts.count == 2)
        }
    }

    @Test("can be read inside a change, in the state before it", arguments: [1, 2, 4])
    func readers(connections: Int) throws {
        try withTemporaryFolder { folder in
            let repository = try AccountRepository.openOrCreate(
                .file(folder + "/accounts.db"), DatabaseOptions(connections: connections))
            defer { repository.close() }
            try repository.fill(1)
            let before = try Everything(repository)
            try repository.change { writer in
                try writer.remove(AccountSamples.accountID(1))
                // On the same thread: a reader that waited for the writer would never return.
                #expect(try Everything(repository) == before)
                try repository.check()
            }
            #expect(try repository.hasToken() == false)
        }
    }

    @Test("can be made by several connections at once, without a loss")
    func createAtOnce() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { @concurrent in
                        let repository = try AccountRepository.openOrCreate(.file(path))
                        try repository.change { try $0.insert(AccountSamples.account(number)) }
                        #expect(
                            try repository.read { try $0.account(AccountSamples.accountID(number)) }
                                != nil)
                        repository.close()
                    }
                }
                try await group.waitForAll()
            }
            let repository = try AccountRepository.open(
                .file(path), readOnly)
            #expect(try repository.read { try $0.accounts(after: nil, limit: 99) }.count == 8)
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test("loses no change of concurrent processes", .endsProcess)
    func processes() async throws {
        try await withTemporaryFolder { folder in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask { await Self.countUp(in: folder, number) }
                }
            }
            let repository = try AccountRepository.open(
                .file(folder + "/accounts.db"), readOnly)
            defer { repository.close() }
            #expect(try repository.read { try $0.attempts(AccountSamples.key(0)) }?.failures == 60)
            #expect(try repository.read { try $0.accounts(after: nil, limit: 99) }.count == 60)
        }
    }

    /// Starts a process that adds 20 accounts and counts each of them in a shared row.
    private static func countUp(in folder: String, _ number: Int) async {
        await #expect(processExitsWith: .success) {
            [folder = folder as String, number = number as Int] in
            // Enough for the other processes on a slow machine.
            let repository = try AccountRepository.openOrCreate(
                .file(folder + "/accounts.db"), DatabaseOptions(lockTimeout: .seconds(60)))
            for round in 0..<20 {
                try repository.change { writer in
                    let count = try writer.attempts(AccountSamples.key(0))?.failures ?? 0
                    try writer.put(AccountSamples.attempts(0, failures: count + 1, last: 1))
                    try writer.insert(AccountSamples.account(number * 100 + round))
                }
            }
            repository.close()
        }
    }

    @Test("keeps committed changes only if its process is killed", .endsProcess)
    func killed() async throws {
        try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
                let repository = try AccountRepository.openOrCreate(.file(folder + "/accounts.db"))
                try repository.fill(2)
                try repository.change { writer in
                    try writer.insert(AccountSamples.account(3))
                    try writer.remove(AccountSamples.accountID(1))
                    kill(getpid(), SIGKILL)
                }
            }
            #expect(TestFile.exists(folder + "/accounts.db-wal"), "the process cleaned up")
            let repository = try AccountRepository.openOrCreate(.file(folder + "/accounts.db"))
            #expect(
                try Everything(repository).accounts == [1, 2].map { AccountSamples.account($0) })
            #expect(try repository.hasToken())
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }
}
