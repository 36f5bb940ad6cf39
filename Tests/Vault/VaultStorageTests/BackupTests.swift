import Platform
import Synchronization
import Testing
import TestSupport
import VaultStorage

@Suite("A backup")
struct BackupTests {
    @Test(
        "is a vault file with the same records, and stands alone", arguments: StorageKind.allCases)
    func content(kind: StorageKind) throws {
        try withTemporaryFolder { folder in
            try kind.withStorage { storage in
                try storage.write { writer in
                    try writer.putHeader([1, 2])
                    try writer.insertState([3, 4])
                    try writer.putBucket(5, bytes: [5])
                    for number in UInt8.min...UInt8.max {
                        try writer.insertItem(.sample(number, number))
                    }
                }
                let path = folder + "/backup.db"
                try storage.backup(to: path)
                #expect(TestFile.names(in: folder) == ["backup.db"])
                #expect(TestFile.mode(path) == 0o600)
                let expected = try storage.everything()
                // The backup does not change with the vault.
                try storage.write { try $0.removeAllItems() }
                let copy = try VaultDatabase.openFile(at: path, mode: .readWrite)
                let found = try copy.everything()
                #expect(found == expected)
                try copy.put([ItemRecord.sample(7, 99)])
                copy.close()
                #expect(TestFile.names(in: folder) == ["backup.db"])
            }
        }
    }

    @Test("holds what is in the log only")
    func log() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            #expect(try storage.eraseOldBytes() == true)
            let before = try TestFile.read(folder + "/vault.db")
            try storage.put([.sample(1)])
            let after = try TestFile.read(folder + "/vault.db")
            try #require(before == after)
            try storage.backup(to: folder + "/backup.db")
            let copy = try VaultDatabase.openFile(at: folder + "/backup.db", mode: .readOnly)
            let items = try copy.items()
            copy.close()
            #expect(items == [.sample(1)])
        }
    }

    @Test("replaces nothing, and leaves nothing", arguments: StorageKind.allCases)
    func existing(kind: StorageKind) throws {
        try withTemporaryFolder { folder in
            try kind.withStorage { storage in
                try TestFile.write([1, 2, 3], to: folder + "/file")
                try #require(unsafe symlink("nowhere", folder + "/link") == 0)
                try #require(unsafe mkdir(folder + "/folder", 0o700) == 0)
                for name in ["/file", "/link", "/folder"] {
                    #expect(
                        storageError { try storage.backup(to: folder + name) } == .alreadyExists)
                }
                let bytes = try TestFile.read(folder + "/file")
                #expect(bytes == [1, 2, 3])
                #expect(storageError { try storage.backup(to: folder + "/none/a") } == .notFound)
                #expect(
                    storageError { try storage.backup(to: folder + "/") }
                        == .unsafeLocation(path: folder + "/", reason: "not the name of a file"))
                #expect(TestFile.names(in: folder) == ["file", "folder", "link"])
            }
        }
    }

    /// The schema, which is read at the opening, is on the first pages; the items are on later ones.
    @Test("of a damaged vault is refused, and leaves nothing", arguments: [1_000, 9, 7])
    func damagedVault(keptPages: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let writer = try VaultDatabase.createFile(at: path)
            try writer.put((0..<200).map { ItemRecord.sample($0) })
            writer.close()
            let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
            defer { storage.close() }
            let size = try #require(TestFile.size(path))
            let isWhole = keptPages * 4_096 > size
            try #require(unsafe truncate(path, off_t(min(size, keptPages * 4_096))) == 0)
            let error = storageError { try storage.backup(to: folder + "/backup.db") }
            if isWhole {
                #expect(error == nil)
                #expect(TestFile.exists(folder + "/backup.db"))
            } else {
                #expect(error == .damaged(reason: "SQLite found a malformed page"))
                #expect(TestFile.names(in: folder) == ["vault.db", "vault.db-shm", "vault.db-wal"])
            }
        }
    }

    @Test("with a page that SQLite copies but could not read is refused")
    func damagedPage() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let writer = try VaultDatabase.createFile(at: path)
            try writer.put((0..<200).map { ItemRecord.sample($0) })
            writer.close()
            var bytes = try TestFile.read(path)
            try #require(bytes.count > 8 * 4_096)
            // The beginning of the last page, which tells what is where on it.
            for index in 0..<100 { bytes[bytes.count - 4_096 + index] = 0xff }
            try TestFile.write(bytes, to: path)
            let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
            let error = storageError { try storage.backup(to: folder + "/backup.db") }
            storage.close()
            #expect(error == .damaged(reason: "SQLite found a malformed page"))
            #expect(TestFile.names(in: folder) == ["vault.db"])
        }
    }

    @Test("is one state while another process's writer goes on")
    func whileWriting() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            try storage.write { writer in
                try writer.insertState([0])
                try writer.putHeader([0])
            }
            let writer = try VaultDatabase.openFile(at: path, mode: .readWrite)
            let isDone = Atomic(false)
            let failures = Mutex<[String]>([])
            await onThreads(2) { number in
                do {
                    guard number == 1 else {
                        defer { isDone.store(true, ordering: .sequentiallyConsistent) }
                        for copy in 0..<20 { try storage.backup(to: folder + "/\(copy).db") }
                        return
                    }
                    var value: UInt8 = 0
                    while !isDone.load(ordering: .sequentiallyConsistent) {
                        try writer.write { writer in
                            _ = try writer.replaceState([value], with: [value &+ 1])
                            try writer.putBucket(
                                Int(value % 32), bytes: [UInt8](repeating: value, count: 9_000))
                            try writer.putHeader([value &+ 1])
                        }
                        value &+= 1
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            var states: Set<[UInt8]> = []
            for copy in 0..<20 {
                let backup = try VaultDatabase.openFile(at: folder + "/\(copy).db", mode: .readOnly)
                let content = try backup.everything()
                backup.close()
                let state = try #require(content.state)
                #expect(content.header == state)
                states.insert(state)
            }
            #expect(!states.isEmpty)
            storage.close()
            writer.close()
        }
    }
}
