import Accounts
import AccountStorage
import Platform
import Sealing
import Testing
import TestSupport
import VaultStorage

@Suite("A file of accounts")
struct AccountFileTests {
    @Test("is made for its owner alone, keeps what it was given, and leaves nothing beside it")
    func create() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            #expect(try SQLiteAccountRepository.open(at: path, mode: .readWrite) == nil)
            #expect(try SQLiteAccountRepository.open(at: path, mode: .readOnly) == nil)
            #expect(TestFile.names(in: folder) == [])
            let noFolder = AccountRepositoryError.failed(detail: "there is no such folder")
            #expect(
                accountError {
                    try SQLiteAccountRepository.openOrCreate(at: folder + "/x/y").close()
                }
                    == noFolder)
            let repository = try SQLiteAccountRepository.openOrCreate(at: path)
            try repository.fill(3)
            let everything = try Everything(repository)
            #expect(
                TestFile.names(in: folder) == ["accounts.db", "accounts.db-shm", "accounts.db-wal"])
            for name in TestFile.names(in: folder) {
                #expect(TestFile.mode(folder + "/" + name) == 0o600)
            }
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
            let again = try SQLiteAccountRepository.openOrCreate(at: path)
            #expect(try Everything(again) == everything)
            again.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test("of version 1 is brought to version 2, with its counts")
    func older() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let added = AccountSamples.account(2).email.text
            let password = AccountSamples.password(passes: 12).text
            try HostileAccountFile.make(
                at: path,
                script: HostileAccountFile.schema + HostileAccountFile.rows
                    + """
                    INSERT INTO accounts VALUES ('\(AccountSamples.accountID(2).text)',
                        '\(added)', '\(password)', 1, 1, 0);
                    """ + HostileAccountFile.olderSchema)
            let repository = try SQLiteAccountRepository.openOrCreate(at: path)
            defer { repository.close() }
            #expect(try repository.hasToken())
            let counts = try repository.write { try $0.passwordCosts() }
            #expect(
                Set(counts)
                    == Set([
                        AccountSamples.count(passes: 3, 1), AccountSamples.count(passes: 12, 1),
                    ]))
        }
    }

    @Test("is not changed by reading, and refuses changes when it is open for that only")
    func reading() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let writer = try SQLiteAccountRepository.openOrCreate(at: path)
            try writer.fill(2)
            let everything = try Everything(writer)
            writer.close()
            let before = try TestFile.read(path)
            let reader = try #require(try SQLiteAccountRepository.open(at: path, mode: .readOnly))
            #expect(try Everything(reader) == everything)
            try reader.check()
            #expect(throws: AccountRepositoryError.readOnly) { try reader.fill(3) }
            reader.close()
            #expect(try TestFile.read(path) == before)
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test("that somebody else is writing is busy after the time that was set, and readable")
    func busy() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let first = try SQLiteAccountRepository.openOrCreate(at: path)
            let second = try #require(
                try SQLiteAccountRepository.open(
                    at: path, mode: .readWrite, busyTimeout: .milliseconds(20)))
            defer {
                first.close()
                second.close()
            }
            try first.write { writer in
                try writer.insert(AccountSamples.account(1))
                #expect(throws: AccountRepositoryError.busy) { try second.fill(1) }
                #expect(try Everything(second).accounts == [])
            }
            try second.write { try $0.insert(AccountSamples.account(2)) }
            #expect(try Everything(first).accounts.count == 2)
        }
    }

    @Test("is read while it is written, as it was before", arguments: [1, 3])
    func readers(count: Int) throws {
        try withTemporaryFolder { folder in
            let repository = try SQLiteAccountRepository.openOrCreate(
                at: folder + "/accounts.db", readers: count)
            defer { repository.close() }
            try repository.fill(1)
            let before = try Everything(repository)
            try repository.write { writer in
                try writer.remove(AccountSamples.accountID(1))
                // By the same thread: a reader that waited for the writer would wait for ever.
                #expect(try Everything(repository) == before)
                try repository.check()
            }
            #expect(try repository.hasToken() == false)
        }
    }

    @Test("can be made by several at once, none of which loses anything")
    func createAtOnce() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { @concurrent in
                        let repository = try SQLiteAccountRepository.openOrCreate(at: path)
                        try repository.write { try $0.insert(AccountSamples.account(number)) }
                        #expect(try repository.account(AccountSamples.accountID(number)) != nil)
                        repository.close()
                    }
                }
                try await group.waitForAll()
            }
            let repository = try #require(
                try SQLiteAccountRepository.open(at: path, mode: .readOnly))
            #expect(try repository.accounts(after: nil, limit: 99).count == 8)
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test("loses nothing when processes make it and write it at once")
    func processes() async throws {
        try await withTemporaryFolder { folder in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask { await Self.countUp(in: folder, number) }
                }
            }
            let repository = try #require(
                try SQLiteAccountRepository.open(at: folder + "/accounts.db", mode: .readOnly))
            defer { repository.close() }
            #expect(try repository.attempts(AccountSamples.key(0))?.failures == 60)
            #expect(try repository.accounts(after: nil, limit: 99).count == 60)
        }
    }

    /// A process that adds 20 accounts and counts each of them in a row that all processes share.
    private static func countUp(in folder: String, _ number: Int) async {
        await #expect(processExitsWith: .success) {
            [folder = folder as String, number = number as Int] in
            // As long as all others need on a slow machine.
            let repository = try SQLiteAccountRepository.openOrCreate(
                at: folder + "/accounts.db", busyTimeout: .seconds(60))
            for round in 0..<20 {
                try repository.write { writer in
                    let count = try writer.attempts(AccountSamples.key(0))?.failures ?? 0
                    try writer.put(AccountSamples.attempts(0, failures: count + 1, last: 1))
                    try writer.insert(AccountSamples.account(number * 100 + round))
                }
            }
            repository.close()
        }
    }

    @Test("keeps what was committed, and nothing else, when its process is killed")
    func killed() async throws {
        try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
                let repository = try SQLiteAccountRepository.openOrCreate(
                    at: folder + "/accounts.db")
                try repository.fill(2)
                try repository.write { writer in
                    try writer.insert(AccountSamples.account(3))
                    try writer.remove(AccountSamples.accountID(1))
                    kill(getpid(), SIGKILL)
                }
            }
            #expect(TestFile.exists(folder + "/accounts.db-wal"), "the process cleaned up")
            let repository = try SQLiteAccountRepository.openOrCreate(at: folder + "/accounts.db")
            #expect(
                try Everything(repository).accounts == [1, 2].map { AccountSamples.account($0) })
            #expect(try repository.hasToken())
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }
}
