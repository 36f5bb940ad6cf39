import Platform
import Testing
import TestSupport
import VaultStorage

@Suite("A vault that is only read")
struct ReadOnlyTests {
    @Test("refuses every change")
    func refuses() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let writer = try VaultDatabase.createFile(at: path)
            try writer.put([.sample(1)])
            writer.close()
            let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
            #expect(storageError { try storage.write { _ in } } == .readOnly)
            #expect(storageError { _ = try storage.eraseOldBytes() } == .readOnly)
            let items = try storage.items()
            #expect(items == [.sample(1)])
            storage.close()
            #expect(TestFile.names(in: folder) == ["vault.db"])
        }
    }

    @Test("has what a writer that crashed left in its log")
    func crashedWriter() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let writer = try VaultDatabase.createFile(at: path)
            try writer.put([.sample(1)])
            for suffix in ["", "-wal"] {
                try TestFile.write(
                    try TestFile.read(path + suffix), to: folder + "/copy.db" + suffix)
            }
            writer.close()
            let storage = try VaultDatabase.openFile(at: folder + "/copy.db", mode: .readOnly)
            let items = try storage.items()
            #expect(items == [.sample(1)])
            storage.close()
            #expect(TestFile.names(in: folder) == ["copy.db", "vault.db"])
        }
    }

    /// Runs `body` as somebody to whom permissions apply, in a process of its own; the administrator may write everything.
    private static func loseSuperpowers(owning folder: String) {
        guard geteuid() == 0 else { return }
        let nobody: uid_t = 65_534
        for name in TestFile.names(in: folder) {
            unsafe chown(folder + "/" + name, nobody, nobody)
        }
        unsafe chown(folder, nobody, nobody)
        precondition(setgid(nobody) == 0 && setuid(nobody) == 0)
    }

    @Test(
        "because the system says so is read all the same, with nothing beside it", .endsProcess,
        arguments: [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)])
    func permissions(file: Int, folder: Int) async {
        await #expect(processExitsWith: .success) { [file, folder] in
            try withTemporaryFolder { home in
                let path = home + "/vault.db"
                let writer = try VaultDatabase.createFile(at: path)
                try writer.put([.sample(1)])
                writer.close()
                ReadOnlyTests.loseSuperpowers(owning: home)
                try #require(unsafe chmod(path, mode_t(file)) == 0)
                try #require(unsafe chmod(home, mode_t(folder)) == 0)
                #expect(
                    storageError {
                        try VaultDatabase.openFile(at: path, mode: .readWrite).close()
                    }
                        == .readOnly)
                let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
                let items = try storage.items()
                #expect(items == [.sample(1)])
                #expect(TestFile.names(in: home) == ["vault.db"])
                storage.close()
            }
        }
    }

    @Test("with a log that only a writer could use says that it cannot be written", .endsProcess)
    func pendingLog() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryFolder { home in
                let path = home + "/vault.db"
                let writer = try VaultDatabase.createFile(at: path)
                try writer.put([.sample(1)])
                try TestFile.write(try TestFile.read(path), to: home + "/copy.db")
                try TestFile.write(try TestFile.read(path + "-wal"), to: home + "/copy.db-wal")
                writer.close()
                ReadOnlyTests.loseSuperpowers(owning: home)
                try #require(unsafe chmod(home, 0o500) == 0)
                #expect(
                    storageError {
                        try VaultDatabase.openFile(at: home + "/copy.db", mode: .readOnly).close()
                    } == .readOnly)
                try #require(unsafe chmod(home, 0o700) == 0)
                let storage = try VaultDatabase.openFile(at: home + "/copy.db", mode: .readOnly)
                let items = try storage.items()
                #expect(items == [.sample(1)])
                storage.close()
            }
        }
    }

    @Test("in a folder that cannot be written is not made or backed up there", .endsProcess)
    func noPlace() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryFolder { home in
                ReadOnlyTests.loseSuperpowers(owning: home)
                try #require(unsafe mkdir(home + "/closed", 0o500) == 0)
                let path = home + "/closed/vault.db"
                #expect(
                    storageError { try VaultDatabase.createFile(at: path).close() } == .readOnly)
                #expect(storageError { try VaultDatabase.inMemory().backup(to: path) } == .readOnly)
                #expect(
                    storageError { try VaultLocation.prepareFolder(at: home + "/closed/in") }
                        == .readOnly)
            }
        }
    }
}
