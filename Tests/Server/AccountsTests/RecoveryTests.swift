import Accounts
import Database
import Platform
import Testing
import TestSupport

/// Changes to the file of a running server, and recovery from them.
@Suite("A file of accounts that is open")
struct RecoveryTests {
    private func withFile(
        _ body: (_ path: String, AccountRepository) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let repository = try AccountRepository.openOrCreate(.file(path))
            defer { repository.close() }
            try repository.fill(1)
            try body(path, repository)
        }
    }

    @Test("and replaced is the new file for the next reader", arguments: [true, false])
    func replaced(byReader: Bool) throws {
        try withFile { path, repository in
            #expect(try repository.hasToken())
            // Otherwise the log of the old file would be taken for that of the new one.
            try Self.emptyLog(path)
            let other = try AccountRepository.openOrCreate(.file(path + ".other"))
            try other.change { try $0.insert(AccountSamples.account(2)) }
            other.close()
            try #require(unsafe rename(path + ".other", path) == 0)
            // Both the first reader and the first writer notice.
            if byReader { #expect(try repository.hasToken() == false) }
            try repository.change { try $0.insert(AccountSamples.account(3)) }
            #expect(try repository.hasToken() == false)
            #expect(
                try Everything(repository).accounts.map(\.id)
                    == [2, 3].map(AccountSamples.accountID))
        }
    }

    @Test("and removed is an error, is not made again, and is used when it is back")
    func removed() throws {
        try withFile { path, repository in
            #expect(try repository.hasToken())
            try Self.emptyLog(path)
            try #require(unsafe rename(path, path + ".moved") == 0)
            let gone = DatabaseError.notFound
            #expect(databaseError { _ = try repository.hasToken() } == gone)
            #expect(databaseError { try repository.check() } == gone)
            #expect(databaseError { try repository.change { _ in } } == gone)
            #expect(!TestFile.exists(path))
            try #require(unsafe rename(path + ".moved", path) == 0)
            #expect(try repository.hasToken())
            try repository.change { try $0.insert(AccountSamples.account(2)) }
            #expect(try Everything(repository).accounts.count == 2)
        }
    }

    @Test("and damaged is an error, and is used again when it is repaired")
    func damaged() throws {
        try withFile { path, repository in
            try Self.emptyLog(path)
            let whole = try TestFile.read(path)
            try TestFile.write(
                whole[..<4_096] + [UInt8](repeating: 0xff, count: whole.count - 4_096), to: path)
            let error = databaseError { _ = try repository.hasToken() }
            #expect(error == .damaged(reason: "SQLite found a malformed page"))
            let write = databaseError {
                try repository.change { try $0.insert(AccountSamples.account(2)) }
            }
            #expect(write == .damaged(reason: "SQLite found a malformed page"))
            try TestFile.write(whole, to: path)
            #expect(try repository.hasToken())
            try repository.change { try $0.insert(AccountSamples.account(2)) }
            #expect(try repository.read { try $0.accounts(after: nil, limit: 9) }.count == 2)
        }
    }

    @Test("and migrated by a newer program is refused at the next write")
    func newer() throws {
        try withFile { path, repository in
            let other = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try other.run(script: "PRAGMA user_version = 12; CREATE TABLE zzz (a)")
            other.close()
            #expect(databaseError { try repository.change { _ in } } == .newerVersion(12))
            #expect(openErrors(path) == [.newerVersion(12), .newerVersion(12), .newerVersion(12)])
        }
    }

    #if os(Linux)
        @Test(
            "on a full disk is unchanged and readable, and writable when there is space",
            .endsProcess,
            .enabled(if: PrivateMounts.arePossible, "needs root and mount namespaces"))
        func full() async throws {
            await #expect(processExitsWith: .success) {
                try PrivateMounts.begin()
                try withTemporaryFolder { folder in
                    try PrivateMounts.withMemory(on: folder, size: 4_000_000) {
                        let path = folder + "/accounts.db"
                        try #require(unsafe chmod(folder, 0o700) == 0)
                        let repository = try AccountRepository.openOrCreate(.file(path))
                        try repository.fill(1)
                        let ballast = folder + "/ballast"
                        try TestFile.write([UInt8](repeating: 1, count: 1_000_000), to: ballast)
                        var number = 0
                        let error = databaseError {
                            while number < 10_000 {
                                try repository.change { writer in
                                    for _ in 0..<50 {
                                        number += 1
                                        try writer.put(AccountSamples.attempts(number, last: 1))
                                    }
                                }
                            }
                        }
                        #expect(error == .full)
                        #expect(try repository.hasToken())
                        let kept = try repository.read {
                            try $0.attempts(AccountSamples.key(number))
                        }
                        #expect(kept == nil)
                        try #require(unsafe unlink(ballast) == 0)
                        try repository.change { writer in
                            try writer.put(AccountSamples.attempts(number, last: 1))
                        }
                        #expect(
                            try repository.read { try $0.attempts(AccountSamples.key(number)) }
                                != nil)
                        repository.close()
                    }
                }
            }
        }
    #endif

    /// Moves the log into the file.
    private static func emptyLog(_ path: String) throws {
        let connection = try SQLiteConnection(path: path, options: .init(access: .readWrite))
        defer { connection.close() }
        #expect(try connection.truncateLog())
    }
}
