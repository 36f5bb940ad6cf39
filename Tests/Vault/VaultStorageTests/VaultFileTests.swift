@testable import Database
import Platform
import Testing
import TestSupport
@testable import VaultStorage

@Suite("A vault file")
struct VaultFileTests {
    @Test("has nothing beside it after the last close", arguments: [false, true])
    func noLeftovers(closesWriterFirst: Bool) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let writer = try VaultDatabase.createFile(at: path)
            let reader = try VaultDatabase.openFile(at: path, mode: .readOnly)
            try writer.put([.sample(1)])
            let items = try reader.items()
            #expect(items == [.sample(1)])
            (closesWriterFirst ? writer : reader).close()
            #expect(TestFile.exists(path + "-wal"))
            (closesWriterFirst ? reader : writer).close()
            #expect(TestFile.names(in: folder) == ["vault.db"])
        }
    }

    @Test("is closed when the object goes")
    func deinitialisation() throws {
        try withTemporaryFolder { folder in
            do {
                let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
                try storage.put([.sample(1)])
            }
            #expect(TestFile.names(in: folder) == ["vault.db"])
        }
    }

    @Test("and what lies beside it is for its owner only, whatever the umask", .endsProcess)
    func permissions() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            try withTemporaryFolder { folder in
                let home = folder + "/home"
                try VaultLocation.prepareFolder(at: home)
                let storage = try VaultDatabase.createFile(at: home + "/vault.db")
                try storage.put([.sample(1)])
                try storage.backup(to: home + "/backup.db")
                #expect(TestFile.mode(home) == 0o700)
                #expect(
                    TestFile.names(in: home)
                        == ["backup.db", "vault.db", "vault.db-shm", "vault.db-wal"])
                for name in TestFile.names(in: home) {
                    #expect(TestFile.mode(home + "/" + name) == 0o600, "\(name)")
                }
                storage.close()
            }
        }
    }

    @Test("forgets what was overwritten and removed, once told to")
    func eraseOldBytes() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            let canary = Array("a canary of 24 bytes....".utf8)
            let large = [[UInt8]](repeating: canary, count: 2_000).flatMap { $0 }
            try storage.write { writer in
                try writer.putHeader(canary)
                try writer.insertState(canary)
                try writer.putBucket(1, bytes: canary)
                try writer.insertItem(.sample(1, value: large))
                try writer.insertItem(.sample(2, value: large))
                try writer.insertItem(.sample(3, value: canary))
            }
            #expect(try storage.eraseOldBytes() == true)
            #expect(try TestFile.read(path).contains(canary))
            try storage.write { writer in
                try writer.putHeader([0])
                #expect(try writer.replaceState(canary, with: [0]))
                try writer.putBucket(1, bytes: nil)
                try writer.replaceItem(.sample(1, value: [0]))
                try writer.removeItem(tag: ItemRecord.sample(2).tag)
                try writer.removeAllItems()
            }
            #expect(try storage.eraseOldBytes() == true)
            #expect(TestFile.size(path + "-wal") == 0)
            #expect(try !TestFile.read(path).contains(canary))
        }
    }

    @Test("keeps old bytes while a reader needs them, and says so")
    func eraseWhileReading() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            let reader = try VaultDatabase.openFile(at: path, mode: .readOnly)
            defer {
                storage.close()
                reader.close()
            }
            try storage.put([.sample(1)])
            try reader.read { view in
                _ = try view.state()
                try storage.put([.sample(2)])
                #expect(try storage.eraseOldBytes(attempts: 2, lockTimeout: .zero) == false)
            }
            #expect(try storage.eraseOldBytes(attempts: 1, lockTimeout: .zero) == true)
            #expect(TestFile.size(path + "-wal") == 0)
        }
    }

    @Test("that another connection is writing is busy, after the time that was set")
    func busy() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let first = try VaultDatabase.createFile(at: path)
            let second = try VaultDatabase.openFile(
                at: path, mode: .readWrite, lockTimeout: .milliseconds(20))
            defer {
                first.close()
                second.close()
            }
            try first.write { writer in
                try writer.insertState([1])
                #expect(storageError { try second.put([.sample(1)]) } == .busy)
                let state = try second.read { try $0.state() }
                #expect(state == nil)
            }
            try second.put([.sample(1)])
        }
    }

    @Test("stays locked against other processes when one of two objects closes it", .endsProcess)
    func locksSurviveClose() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try VaultDatabase.createFile(at: path).close()
            let holder = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            defer { holder.close() }
            try holder.begin(.immediate)
            try VaultDatabase.openFile(at: path, mode: .readWrite).close()
            try VaultDatabase.openFile(at: path, mode: .readOnly).close()
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try VaultDatabase.openFile(
                    at: path, mode: .readWrite, lockTimeout: .zero)
                #expect(storageError { try other.put([.sample(1)]) } == .busy)
                other.close()
            }
            try holder.rollback()
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try VaultDatabase.openFile(
                    at: path, mode: .readWrite, lockTimeout: .zero)
                try other.put([.sample(1)])
                other.close()
            }
        }
    }

    @Test("that was replaced is the new one at the next write")
    func replaced() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try storage.put([.sample(1)])
            #expect(try storage.eraseOldBytes() == true)
            let other = try VaultDatabase.createFile(at: folder + "/other.db")
            try other.put([.sample(2)])
            other.close()
            try #require(unsafe rename(folder + "/other.db", path) == 0)
            try storage.put([.sample(3)])
            let items = try storage.items()
            #expect(items == [.sample(2), .sample(3)])
        }
    }

    @Test("that was removed is not found at the next write, and not made again")
    func removed() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try #require(unsafe unlink(path) == 0)
            #expect(storageError { try storage.put([.sample(1)]) } == .notFound)
            #expect(storageError { _ = try storage.items() } == .notFound)
            #expect(!TestFile.exists(path))
        }
    }

    @Test("without space left is as before, and can be made smaller")
    func full() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try storage.put([.sample(1), .sample(2)])
            try storage.pool.single { _ = try $0.rows("PRAGMA max_page_count = 12") { _ in } }
            let large = ItemRecord.sample(3, value: [UInt8](repeating: 1, count: 100_000))
            #expect(storageError { try storage.put([.sample(4), large]) } == .full)
            // A function that keeps the failure to itself does not get half of its work committed.
            let hidden = storageError {
                try storage.write { writer in
                    try writer.insertItem(.sample(5))
                    try? writer.insertItem(large)
                    try? writer.insertItem(.sample(6))
                }
            }
            #expect(hidden == .full)
            let items = try storage.items()
            #expect(items == [.sample(1), .sample(2)])
            try storage.write { try $0.removeItem(tag: ItemRecord.sample(1).tag) }
        }
    }

    @Test("that could not be written is opened again for the next call", .endsProcess)
    func failedWrite() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryFolder { folder in
                let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
                try storage.put([.sample(1)])
                let before = try storage.connection
                // A limit on the size of files makes write(2) fail with EFBIG.
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit()
                unsafe getrlimit(fileSizeLimit, &limit)
                var small = rlimit(rlim_cur: 40_000, rlim_max: limit.rlim_max)
                unsafe setrlimit(fileSizeLimit, &small)
                let large = ItemRecord.sample(2, value: [UInt8](repeating: 1, count: 200_000))
                let error = storageError { try storage.put([large]) }
                guard case .inputOutput = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                unsafe setrlimit(fileSizeLimit, &limit)
                try storage.put([.sample(3)])
                #expect(try storage.connection != before)
                let items = try storage.items()
                #expect(items == [.sample(1), .sample(3)])
                storage.close()
                #expect(TestFile.names(in: folder) == ["vault.db"])
            }
        }
    }
}

#if os(Linux)
    private var fileSizeLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
#else
    private var fileSizeLimit: Int32 { RLIMIT_FSIZE }
#endif

extension VaultDatabase {
    /// The connection, to tell it from the next.
    fileprivate var connection: UInt64? {
        get throws { try pool.single { try $0.dataVersion()?.connection } }
    }
}
