import Platform
import Testing
import TestSupport
import VaultStorage

@Suite("A vault's location")
struct VaultLocationTests {
    /// Makes `vault.db` in a safe folder, lets `change` spoil something, and gives the errors of both ways to open it.
    private func errors(after change: (_ folder: String, _ file: String) -> Int32) throws -> Set<
        DatabaseError
    > {
        try withTemporaryFolder { outer in
            let folder = outer + "/home"
            try VaultLocation.prepareFolder(at: folder)
            let file = folder + "/vault.db"
            try VaultDatabase.createFile(at: file).close()
            try #require(change(folder, file) == 0)
            let modes: [StorageMode] = [.readWrite, .readOnly]
            return Set(
                modes.compactMap { mode in
                    storageError { try VaultDatabase.openFile(at: file, mode: mode).close() }
                }.map { $0.withoutFolder(outer) })
        }
    }

    @Test("that is safe is no error")
    func control() throws {
        let found = try errors { _, _ in 0 }
        #expect(found == [])
    }

    @Test("refuses a file that others may use", arguments: [0o640, 0o604, 0o620, 0o602, 0o610])
    func fileMode(mode: Int) throws {
        let found = try errors { _, file in unsafe chmod(file, mode_t(mode)) }
        #expect(
            found == [
                .unsafeLocation(path: "/home/vault.db", reason: "accessible to other users")
            ])
    }

    @Test("refuses a folder that others may use", arguments: [0o750, 0o705, 0o720, 0o701, 0o1777])
    func folderMode(mode: Int) throws {
        let found = try errors { folder, _ in unsafe chmod(folder, mode_t(mode)) }
        #expect(found == [.unsafeLocation(path: "/home", reason: "accessible to other users")])
    }

    @Test("refuses a folder above that others may change, unless it is sticky")
    func ancestorMode() throws {
        for (mode, isSafe) in [
            (0o770, false), (0o707, false), (0o755, true), (0o1777, true), (0o711, true),
        ] {
            let found = try errors { folder, _ in
                unsafe chmod(String(folder.dropLast(5)), mode_t(mode))
            }
            #expect(
                found
                    == (isSafe
                        ? [] : [.unsafeLocation(path: "", reason: "writable by other users")]))
        }
    }

    @Test("refuses a symbolic link in place of the file")
    func symbolicLink() throws {
        let found = try errors { _, file in
            unsafe rename(file, file + ".real") | symlink("vault.db.real", file)
        }
        #expect(found == [.unsafeLocation(path: "/home/vault.db", reason: "a symbolic link")])
    }

    @Test("refuses a dangling symbolic link, and makes nothing where it points")
    func danglingLink() throws {
        try withTemporaryFolder { folder in
            let file = folder + "/vault.db"
            try #require(unsafe symlink(folder + "/elsewhere.db", file) == 0)
            #expect(
                storageError { try VaultDatabase.createFile(at: file).close() } == .alreadyExists)
            #expect(TestFile.names(in: folder) == ["vault.db"])
        }
    }

    @Test("refuses a second name of the file")
    func hardLink() throws {
        let found = try errors { _, file in unsafe link(file, file + ".second") }
        #expect(
            found == [
                .unsafeLocation(path: "/home/vault.db", reason: "has more than one hard link")
            ])
    }

    @Test("refuses a pipe, and does not wait for its other end")
    func pipe() throws {
        let found = try errors { _, file in unsafe unlink(file) | mkfifo(file, 0o600) }
        #expect(found == [.unsafeLocation(path: "/home/vault.db", reason: "not a regular file")])
    }

    @Test("refuses a folder in place of the file")
    func folderAsFile() throws {
        let found = try errors { _, file in unsafe unlink(file) | mkdir(file, 0o700) }
        #expect(found == [.unsafeLocation(path: "/home/vault.db", reason: "not a regular file")])
    }

    @Test(
        "refuses what is wrong with a file beside the vault",
        arguments: ["-wal", "-shm", "-journal"])
    func companions(suffix: String) throws {
        let path = "/home/vault.db" + suffix
        let linked = try errors { _, file in unsafe symlink("/etc/passwd", file + suffix) }
        #expect(linked == [.unsafeLocation(path: path, reason: "a symbolic link")])
        let pipe = try errors { _, file in unsafe mkfifo(file + suffix, 0o600) }
        #expect(pipe == [.unsafeLocation(path: path, reason: "not a regular file")])
        let open = try errors { _, file in
            do {
                try TestFile.write([], to: file + suffix)
            } catch {
                return -1
            }
            return unsafe chmod(file + suffix, 0o644)
        }
        #expect(open == [.unsafeLocation(path: path, reason: "accessible to other users")])
        let second = try errors { folder, file in
            do {
                try TestFile.write([], to: folder + "/other")
            } catch {
                return -1
            }
            return unsafe link(folder + "/other", file + suffix)
        }
        #expect(second == [.unsafeLocation(path: path, reason: "has more than one hard link")])
    }

    @Test("refuses what belongs to somebody else", .enabled(if: geteuid() == 0))
    func owner() throws {
        let other: uid_t = 65_534
        let file = try errors { _, file in unsafe chown(file, other, other) }
        #expect(
            file == [.unsafeLocation(path: "/home/vault.db", reason: "owned by another user")])
        let folder = try errors { folder, _ in unsafe chown(folder, other, other) }
        #expect(folder == [.unsafeLocation(path: "/home", reason: "owned by another user")])
        let above = try errors { folder, _ in
            unsafe chown(String(folder.dropLast(5)), other, other)
        }
        #expect(above == [.unsafeLocation(path: "", reason: "owned by another user")])
        let log = try errors { _, file in
            do {
                try TestFile.write([], to: file + "-wal")
            } catch {
                return -1
            }
            return unsafe chown(file + "-wal", other, other)
        }
        #expect(
            log == [.unsafeLocation(path: "/home/vault.db-wal", reason: "owned by another user")])
    }

    @Test("resolves symbolic links to its folder, and checks where they lead")
    func linkedFolder() throws {
        try withTemporaryFolder { folder in
            try VaultLocation.prepareFolder(at: folder + "/real")
            try #require(unsafe symlink("real", folder + "/link") == 0)
            let storage = try VaultDatabase.createFile(at: folder + "/link/vault.db")
            defer { storage.close() }
            #expect(
                try VaultLocation(path: folder + "/link/vault.db").path == folder + "/real/vault.db"
            )
            try #require(unsafe chmod(folder + "/real", 0o755) == 0)
            #expect(
                storageError {
                    try VaultDatabase.openFile(at: folder + "/link/vault.db", mode: .readOnly)
                        .close()
                }
                    == .unsafeLocation(
                        path: folder + "/real", reason: "accessible to other users"))
        }
    }

    @Test("that is missing is not found", arguments: ["/none/vault.db", "/vault.db", "/", "/a/"])
    func missing(path: String) throws {
        try withTemporaryFolder { folder in
            for mode in [.readWrite, .readOnly] as [StorageMode] {
                let error = storageError {
                    try VaultDatabase.openFile(at: folder + path, mode: mode).close()
                }
                #expect(error == .notFound)
            }
            #expect(TestFile.names(in: folder) == [])
        }
    }

    @Test("is the name of a file", arguments: ["/.", "/..", "/a\0b", "\0/vault.db"])
    func oddNames(name: String) throws {
        try withTemporaryFolder { folder in
            let error = storageError { _ = try VaultLocation(path: folder + name) }
            #expect(
                error
                    == .unsafeLocation(path: folder + name, reason: "not the name of a file"))
        }
    }

    @Test("may have signs in it that Swift joins to the slash before them")
    func combiningSigns() throws {
        try withTemporaryFolder { folder in
            let safe = folder + "/\u{301}outer/\u{301}inner"
            try VaultLocation.prepareFolder(at: safe)
            try VaultDatabase.createFile(at: safe + "/\u{301}vault.db").close()
            try #require(unsafe chmod(folder + "/\u{301}outer", 0o777) == 0)
            let error = storageError {
                try VaultDatabase.openFile(at: safe + "/\u{301}vault.db", mode: .readOnly).close()
            }
            #expect(
                error
                    == .unsafeLocation(
                        path: folder + "/\u{301}outer", reason: "writable by other users"))
        }
    }

    @Test("prepares its folder with all above, and again, and refuses a wide one")
    func prepare() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a/b/c"
            try VaultLocation.prepareFolder(at: path)
            try VaultLocation.prepareFolder(at: path + "/")
            for made in ["/a", "/a/b", "/a/b/c"] { #expect(TestFile.mode(folder + made) == 0o700) }
            try #require(unsafe chmod(path, 0o750) == 0)
            #expect(
                storageError { try VaultLocation.prepareFolder(at: path) }
                    == .unsafeLocation(path: path, reason: "accessible to other users"))
            #expect(TestFile.mode(path) == 0o750)
            try TestFile.write([], to: folder + "/file")
            #expect(
                storageError { try VaultLocation.prepareFolder(at: folder + "/file") }
                    == .unsafeLocation(path: folder + "/file", reason: "not a folder"))
        }
    }

    @Test("is taken where there is a file, and leaves it alone")
    func createOverFile() throws {
        try withTemporaryFolder { folder in
            try TestFile.write([1, 2, 3], to: folder + "/vault.db")
            let error = storageError {
                try VaultDatabase.createFile(at: folder + "/vault.db").close()
            }
            #expect(error == .alreadyExists)
            let bytes = try TestFile.read(folder + "/vault.db")
            #expect(bytes == [1, 2, 3])
        }
    }

    @Test("with a log of another file is not used", arguments: ["-wal", "-shm", "-journal"])
    func createBesideLeftovers(suffix: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try TestFile.write([1], to: path + suffix)
            #expect(
                storageError { try VaultDatabase.createFile(at: path).close() }
                    == .unsafeLocation(path: path + suffix, reason: "left over from another file"))
            #expect(TestFile.names(in: folder) == ["vault.db" + suffix])
        }
    }
}

extension DatabaseError {
    /// With the path as seen from a test's folder.
    fileprivate func withoutFolder(_ folder: String) -> DatabaseError {
        guard case .unsafeLocation(let path, let reason) = self else { return self }
        return .unsafeLocation(path: path.replacing(folder, with: ""), reason: reason)
    }
}
