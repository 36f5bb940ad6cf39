import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Files of a vault, on each kind of storage.
@Suite("Files of a vault")
struct FileTests {
    /// Runs `body` with a vault whose clock can be set.
    private func withVault(
        _ kind: StorageKind = .sqlite,
        _ body: (UnlockedVault, VaultFiles, any RecordStorage, TestClock) throws -> Void
    ) throws {
        let clock = TestClock()
        let environment = TestVault.environment(now: { clock.now })
        try kind.withStorage { storage in
            try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            try body(vault, VaultFiles(vault), storage, clock)
            // The test may have locked its session, or replaced the keys.
            let seen = try TestVault.unlock(storage, environment)
            #expect(try seen.check().problems.isEmpty)
        }
    }

    private func refused(_ error: SecureStoreError, _ body: () throws -> Void) {
        #expect(throws: VaultError.store(error)) { try body() }
    }

    private func chunks(_ storage: any RecordStorage) throws -> Int {
        try storage.read { try $0.chunkCount(of: nil) }
    }

    @Test("come back byte by byte, whatever their size", arguments: StorageKind.allCases)
    func contents(kind: StorageKind) throws {
        try withVault(kind) { vault, files, storage, _ in
            for (number, size) in TestFiles.sizes.enumerated() {
                let content = TestFiles.content(number, size: size)
                let file = try TestFiles.write(
                    content, to: files.add("\(size)"), pieces: 1 + 70_001 * number)
                #expect(file.size == UInt64(size) && file.name == "\(size)" && !file.isProtected)
                #expect(try TestFiles.content(of: file.id, in: vault) == content)
            }
            #expect(try files.list().count == TestFiles.sizes.count)
            // One chunk even of an empty file.
            #expect(
                try chunks(storage)
                    == TestFiles.sizes.reduce(0) { $0 + max(1, ($1 + 65_535) / 65_536) })
            #expect(try vault.check().orphanedChunks == 0)
        }
    }

    @Test("are hidden until their writer finishes, and leave nothing if it is abandoned")
    func unfinished() throws {
        try withVault { vault, files, storage, _ in
            let writer = try files.add("a")
            let content = TestFiles.content(1, size: 3_000_000)
            try writer.write(unsafe content.span.bytes)
            #expect(try files.list().isEmpty)
            #expect(try chunks(storage) > 0)
            #expect(try vault.check().problems.isEmpty)
            writer.abandon()
            #expect(try chunks(storage) == 0)
            #expect(throws: VaultError.self) { try writer.write(unsafe content.span.bytes) }
            #expect(throws: VaultError.self) { _ = try writer.finish() }
            #expect(try files.list().isEmpty)
        }
    }

    @Test(
        "have names of 1 to 255 bytes without slashes and control characters",
        arguments: [
            ("", InvalidNameReason.empty),
            (String(repeating: "n", count: 256), .tooLong(maximum: 255)),
            (String(repeating: "\u{E9}", count: 128), .tooLong(maximum: 255)),
            (String(repeating: "n", count: 1_024), .tooLong(maximum: 255)), ("a/b", .notAFileName),
            ("/", .notAFileName), (".", .notAFileName), ("..", .notAFileName),
            ("a\nb", .controlCharacter), ("a\u{0}", .controlCharacter),
            ("\u{9F}", .controlCharacter),
        ])
    func names(name: String, reason: InvalidNameReason) throws {
        try withVault { vault, files, _, _ in
            let failure = SecureStoreError.invalidName(field: "name", reason)
            refused(failure) { _ = try files.add(name) }
            let longest = String(repeating: "n", count: 255)
            let file = try TestFiles.add([1], as: longest, to: vault)
            refused(failure) { try files.edit(file.id, FileEdit(name: name)) }
            try files.remove(file.id)
            refused(failure) { try files.restore(removed: file.id, as: name) }
            #expect(try files.restore(removed: file.id).name == longest)
        }
    }

    @Test("have distinct names, also if two writers finish one after the other")
    func duplicates() throws {
        try withVault { vault, files, storage, _ in
            let (first, second) = (try files.add("a"), try files.add("a"))
            let file = try TestFiles.write([1], to: first)
            refused(.duplicate) { try TestFiles.write([2], to: second) }
            refused(.duplicate) { _ = try files.add("a") }
            // Names are bytes.
            try TestFiles.add([3], as: "A", to: vault)
            let other = try TestFiles.add([4], as: "b", to: vault)
            refused(.duplicate) { try files.edit(other.id, FileEdit(name: "a")) }
            #expect(try files.edit(other.id, FileEdit(name: "b", task: "t1")).task == "t1")
            try files.remove(file.id)
            #expect(try files.edit(other.id, FileEdit(name: "a")).name == "a")
            refused(.duplicate) { try files.restore(removed: file.id) }
            #expect(try files.restore(removed: file.id, as: "c").name == "c")
            #expect(try TestFiles.contents(of: vault) == ["a": [4], "A": [3], "c": [1]])
            #expect(try files.file(named: "c").id == file.id)
            refused(.notFound) { _ = try files.file(named: "C") }
            refused(.notFound) { _ = try files.file(id: "0") }
            // The chunk of the writer that was refused is gone.
            #expect(try chunks(storage) == 3)
        }
    }

    @Test("end at 4 GiB")
    func largest() throws {
        #expect(VaultFiles.largestSize == 4 * 1_024 * 1_024 * 1_024)
        try withVault { vault, files, storage, _ in
            var files = files
            for limit in [100_000, 131_072] {
                files.limit = UInt64(limit)
                let content = TestFiles.content(1, size: limit)
                let file = try TestFiles.write(content, to: files.add("\(limit)"))
                #expect(try TestFiles.content(of: file.id, in: vault) == content)
                for pieces in [1_000_000, 65_536] {
                    refused(.tooLarge(maximum: limit)) {
                        try TestFiles.write(content + [1], to: files.add("b"), pieces: pieces)
                    }
                }
            }
            #expect(try files.list().map(\.name) == ["100000", "131072"])
            #expect(try chunks(storage) == 4)
        }
    }

    @Test("that are protected need verification to the last chunk; a lock ends all")
    func protection() throws {
        try withVault { vault, files, storage, _ in
            let content = TestFiles.content(3, size: 300_000)
            let file = try TestFiles.add(content, as: "p", to: vault, isProtected: true)
            let plain = try TestFiles.add(content, as: "q", to: vault)
            let reader = try files.read(file.id)
            #expect(try reader.next { $0.byteCount } == 65_536)
            let writer = try files.add("w", isProtected: true)
            let replacement = try files.replace(file.id)
            vault.endVerification()
            refused(.notVerified) { _ = try reader.next { _ in } }
            refused(.notVerified) { try TestFiles.write(content, to: writer) }
            refused(.notVerified) { try TestFiles.write(content, to: replacement) }
            refused(.notVerified) { _ = try files.read(file.id) }
            refused(.notVerified) { _ = try files.replace(file.id) }
            refused(.notVerified) { _ = try files.add("x", isProtected: true) }
            refused(.notVerified) { try files.edit(file.id, FileEdit(isProtected: false)) }
            // Names and sizes stay visible, and other files readable.
            #expect(try files.list().map(\.size) == [300_000, 300_000])
            #expect(try TestFiles.content(of: plain.id, in: vault) == content)
            try vault.verify(with: TestVault.secret())
            #expect(try TestFiles.content(of: file.id, in: vault) == content)
            #expect(try vault.check().orphanedChunks == 0)
            let (open, late) = (try files.read(plain.id), try files.add("late"))
            #expect(try open.next { $0.byteCount } == 65_536)
            vault.lock()
            refused(.locked) { _ = try open.next { _ in } }
            refused(.locked) { try TestFiles.write(content, to: late) }
        }
    }

    @Test("become protected with their earlier versions")
    func raised() throws {
        try withVault { vault, files, _, _ in
            let file = try TestFiles.add([1], as: "a", to: vault)
            try TestFiles.write([2, 2], to: files.replace(file.id))
            #expect(try files.edit(file.id, FileEdit(isProtected: true)).isProtected)
            let history = try files.history(of: file.id)
            #expect(history.map(\.file.isProtected) == [true])
            vault.endVerification()
            refused(.notVerified) { _ = try files.read(file.id) }
            refused(.notVerified) {
                _ = try files.read(file.id, revision: history[0].file.revision)
            }
        }
    }

    @Test("keep three earlier versions, which can be read and made present again")
    func history() throws {
        try withVault { vault, files, storage, _ in
            let file = try TestFiles.add([0], as: "a", to: vault)
            for number in 1...4 {
                try TestFiles.write(
                    [UInt8](repeating: UInt8(number), count: number), to: files.replace(file.id))
            }
            let history = try files.history(of: file.id)
            #expect(history.map(\.file.size) == [3, 2, 1])
            #expect(try chunks(storage) == 4)
            #expect(
                try TestFiles.content(of: file.id, history[1].file.revision, in: vault) == [2, 2])
            let restored = try files.restore(file.id, toRevision: history[1].file.revision)
            #expect(restored.size == 2)
            #expect(try TestFiles.content(of: file.id, in: vault) == [2, 2])
            // The present content and an earlier version are the same chunks.
            #expect(try files.history(of: file.id).map(\.file.size) == [4, 3, 2])
            #expect(try chunks(storage) == 3)
            // A new name or task makes no version.
            try files.edit(file.id, FileEdit(name: "b", task: "t"))
            #expect(try files.history(of: file.id).count == 3)
            #expect(try files.files(ofTask: "t").map(\.name) == ["b"])
            #expect(try files.edit(file.id, FileEdit(task: .some(nil))).task == nil)
            refused(.notFound) { try files.restore(file.id, toRevision: 99) }
            refused(.notFound) { _ = try files.read(file.id, revision: 99) }
        }
    }

    @Test("keep at most 1 GiB of earlier versions")
    func largeHistory() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        var version: UInt8 = 0
        // Without chunks: nothing here reads them.
        func described(_ mebibytes: UInt64) -> SecretEdit {
            version += 1
            let description = FileDescription(
                version: [UInt8](repeating: version, count: 16), size: mebibytes << 20,
                mediaType: "image/gif", pixels: nil)
            return SecretEdit(extra: [ExtraAttribute(key: "content", text: description.text)])
        }
        func history(after mebibytes: UInt64) throws -> [UInt64] {
            try vault.update(
                Samples.fileName, to: Samples.secret([version]), described(mebibytes),
                expecting: nil)
            return try VaultFiles(vault).history(of: Samples.fileName.account)
                .map { $0.file.size >> 20 }
        }
        try vault.save(
            Samples.two(), as: Samples.fileName,
            SecretAttributes(label: "a", extra: #require(described(1).extra)))
        #expect(try history(after: 1_023) == [1])
        // Exactly 1 GiB.
        #expect(try history(after: 1) == [1_023, 1])
        #expect(try history(after: 1) == [1, 1_023])
        #expect(try history(after: 1_025) == [1, 1])
        // One that is too large displaces none before it.
        #expect(try history(after: 2) == [1, 1])
        #expect(try history(after: 3) == [2, 1, 1])
    }

    @Test("go to the trash and come back, or are erased at once")
    func trash() throws {
        try withVault { vault, files, storage, clock in
            let file = try TestFiles.add([1], as: "a", to: vault)
            try TestFiles.write([2, 2], to: files.replace(file.id))
            let secret = try SecretName(service: "s", account: "a")
            try vault.save(Samples.one(), as: secret, SecretAttributes())
            try vault.remove(secret)
            try files.remove(file.id)
            #expect(try files.list().isEmpty)
            let removed = try files.removed()
            #expect(removed.map(\.file.name) == ["a"])
            refused(.notFound) { _ = try files.read(file.id) }
            refused(.notFound) { try files.remove(file.id) }
            #expect(
                try TestFiles.content(of: file.id, removed[0].file.revision, in: vault) == [2, 2])
            #expect(try files.restore(removed: file.id).name == "a")
            #expect(try TestFiles.content(of: file.id, in: vault) == [2, 2])
            #expect(try files.history(of: file.id).map(\.file.size) == [1])
            try files.remove(file.id)
            try files.remove(file.id, permanently: true)
            #expect(try files.removed().isEmpty)
            #expect(try chunks(storage) == 0)
            refused(.notFound) { try files.restore(removed: file.id) }
            let other = try TestFiles.add([3], as: "a", to: vault)
            try files.remove(other.id, permanently: true)
            #expect(try chunks(storage) == 0)
            // A transaction that first erases an expired row of another file is no damage.
            let expired = try TestFiles.add([5], as: "expired", to: vault)
            try files.remove(expired.id)
            clock.advance(days: 20)
            let (again, erased) = (
                try TestFiles.add([6], as: "again", to: vault),
                try TestFiles.add([7], as: "erased", to: vault)
            )
            for file in [again, erased] { try files.remove(file.id) }
            clock.advance(days: 10)
            try TestVault.fillOne(vault, 1)
            clock.advance(days: 1)
            #expect(try files.restore(removed: again.id).name == "again")
            clock.advance(days: 1)
            try files.remove(erased.id, permanently: true)
            try files.remove(again.id, permanently: true)
            try files.sweep()
            #expect(try chunks(storage) == 0)
            // After the time of the trash.
            let last = try TestFiles.add([4], as: "b", to: vault)
            try files.remove(last.id)
            clock.advance(days: 29)
            try vault.eraseExpired()
            #expect(try chunks(storage) == 1)
            clock.advance(days: 1)
            try TestVault.fillOne(vault, 2)
            clock.advance(days: 1)
            try vault.eraseExpired()
            #expect(try chunks(storage) == 0)
            #expect(try vault.removed().isEmpty)
        }
    }

    @Test("leave chunks without a name for 24 hours", arguments: StorageKind.allCases)
    func sweep(kind: StorageKind) throws {
        try withVault(kind) { vault, files, storage, clock in
            let content = TestFiles.content(1, size: 5_000_000)
            let kept = try TestFiles.add(content, as: "kept", to: vault, isProtected: true)
            let gone = try TestFiles.add(content, as: "gone", to: vault)
            try files.remove(gone.id)
            try TestFiles.write([1], to: files.replace(kept.id))
            let named = try chunks(storage)
            let forgotten = try files.add("forgotten")
            try forgotten.write(unsafe content.span.bytes)
            let late = try files.add("late")
            try late.write(unsafe content.span.bytes)
            vault.endVerification()
            clock.advance(hours: 23)
            #expect(try files.sweep() == 0)
            try late.write(unsafe content.span.bytes)
            clock.advance(hours: 2)
            // A program still writes the other one.
            #expect(try files.sweep() == 64)
            try vault.verify(with: TestVault.secret())
            #expect(try TestFiles.content(of: kept.id, in: vault) == [1])
            #expect(try vault.check().orphanedChunks == chunks(storage) - named)
            _ = try late.finish()
            #expect(try TestFiles.contents(of: vault)["late"] == content + content)
            // Its first chunks are gone.
            let reason = "the file took more than a day and must be added again"
            #expect(throws: VaultError.store(.unavailable(.failed, detail: reason))) {
                try TestFiles.write(content, to: forgotten)
            }
            #expect(try vault.check().orphanedChunks == 0)
        }
    }

    @Test("give the space of what was removed back to the disk")
    func space() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try TestVault.create(in: storage)
            let vault = try TestVault.unlock(storage)
            let files = VaultFiles(vault)
            try TestFiles.add([1], as: "small", to: vault)
            let large = try TestFiles.add(
                TestFiles.content(1, size: 10_000_000), as: "large", to: vault)
            try TestFiles.add([2], as: "later", to: vault)
            _ = try storage.eraseOldBytes()
            let full = try TestFile.read(path).count
            #expect(full > 10_000_000)
            try files.remove(large.id, permanently: true)
            #expect(try TestFile.read(path).count < full - 9_500_000)
            #expect(try TestFile.read(path + "-wal").count < 1_000_000)
            #expect(try TestFiles.contents(of: vault) == ["small": [1], "later": [2]])
            #expect(try vault.check().problems.isEmpty)
            let use = try #require(try storage.diskUse())
            #expect(use.total > use.free && use.free > 0)
        }
        #expect(DiskUse(total: 100, free: 19).isNearlyFull)
        #expect(!DiskUse(total: 100, free: 20).isNearlyFull)
        try withVault(.memory) { _, _, storage, _ in
            let use = try storage.diskUse()
            #expect(use == nil)
        }
    }

    @Test("are read after a rekey, whose chunks stay as they are")
    func rekey() throws {
        try withVault { vault, files, storage, _ in
            let content = TestFiles.content(1, size: 200_000)
            let file = try TestFiles.add(content, as: "a", to: vault, isProtected: true)
            try TestFiles.write([1], to: files.replace(file.id))
            func stored() throws -> [ChunkRecord] {
                var found: [ChunkRecord] = []
                try storage.read { try $0.forEachChunk { found.append($0) } }
                return found
            }
            let before = try stored()
            let open = try files.add("b")
            _ = try TestVault.authenticate(storage).rekey()
            #expect(try stored() == before)
            #expect(throws: VaultError.store(.keysReplaced)) { try TestFiles.write([1], to: open) }
            let again = try TestVault.unlock(storage)
            #expect(try TestFiles.content(of: file.id, in: again) == [1])
            let earlier = try #require(try VaultFiles(again).history(of: file.id).first)
            #expect(
                try TestFiles.content(of: file.id, earlier.file.revision, in: again) == content)
            #expect(try again.check().problems.isEmpty)
        }
    }

    @Test("that are damaged are refused before a wrong byte is given out, and doctor tells")
    func damage() throws {
        try withVault { vault, files, storage, _ in
            let content = TestFiles.content(1, size: 150_000)
            let file = try TestFiles.add(content, as: "a", to: vault)
            var all: [ChunkRecord] = []
            try storage.read { try $0.forEachChunk { all.append($0) } }
            func expect(
                _ failure: FormatFailure, given count: Int, _ changed: [ChunkRecord]
            ) throws {
                try storage.write { writer in
                    try writer.removeAllChunks()
                    for chunk in changed { try writer.putChunk(chunk) }
                }
                var given: [UInt8] = []
                #expect(throws: VaultError.damaged(failure)) {
                    let reader = try files.read(file.id)
                    while let piece = try reader.next({ bytes in
                        unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
                    }) {
                        given += piece
                    }
                }
                #expect(given == Array(content.prefix(count)))
                #expect(throws: VaultError.damaged(failure)) {
                    _ = try TestFiles.content(of: file.id, in: vault)
                }
                let problems = try vault.check().problems
                #expect(problems.map(\.failure) == [failure])
                #expect(problems.first?.item?.account == file.id)
            }
            func altered(_ number: Int, _ change: (inout ChunkRecord) -> Void) -> [ChunkRecord] {
                var changed = all
                change(&changed[number])
                return changed
            }
            // The count is checked first.
            try expect(.chunkMissing, given: 0, [all[0], all[1]])
            try expect(.chunkMissing, given: 0, [all[1], all[2]])
            try expect(.chunkSeal, given: 65_536, altered(1) { $0.bytes[70] ^= 1 })
            try expect(.chunkSeal, given: 131_072, altered(2) { $0.bytes.append(0) })
            try expect(.chunkSeal, given: 0, altered(0) { $0.bytes = all[1].bytes })
            try expect(.chunkSeal, given: 65_536, altered(1) { $0.bytes = all[0].bytes })
            try storage.write { writer in for chunk in all { try writer.putChunk(chunk) } }
            #expect(try TestFiles.content(of: file.id, in: vault) == content)
        }
    }

    @Test("that are erased while they are read are missing, not damaged")
    func erasedMeanwhile() throws {
        try withVault { vault, files, _, _ in
            let file = try TestFiles.add(
                TestFiles.content(1, size: 150_000), as: "a", to: vault)
            let reader = try files.read(file.id)
            _ = try reader.next { _ in }
            try files.remove(file.id)
            _ = try reader.next { _ in }
            try files.remove(file.id, permanently: true)
            refused(.notFound) { _ = try reader.next { _ in } }
            let writer = try files.add("b")
            try TestFiles.write([1], to: writer)
            let replacement = try files.replace(files.file(named: "b").id)
            try files.remove(files.file(named: "b").id)
            refused(.notFound) { try TestFiles.write([2], to: replacement) }
        }
    }

    @Test("keep the owner's settings for lists in the vault")
    func settings() throws {
        try withVault { vault, files, storage, _ in
            #expect(try files.settings() == FileSettings(order: .name, showsSizes: true))
            for order in FileOrder.allCases {
                let settings = FileSettings(order: order, showsSizes: order == .size)
                #expect(try files.changeSettings { $0 = settings } == settings)
                #expect(try VaultFiles(TestVault.unlock(storage)).settings() == settings)
            }
            // A change of one by another program is kept.
            let other = VaultFiles(try TestVault.unlock(storage))
            try other.changeSettings { $0.order = .name }
            #expect(
                try files.changeSettings { $0.showsSizes = true }
                    == FileSettings(order: .name, showsSizes: true))
            #expect(try files.list().isEmpty)
            #expect(try vault.list().allSatisfy { $0.name.isReserved })
        }
    }

    @Test("are listed by name with numbers in order, and by size and age")
    func order() throws {
        try withVault { vault, files, _, clock in
            let names = [
                "IMG_2.jpg", "img_10.jpg", "a", "B", "IMG_010.jpg", "IMG_2", "\u{E9}t\u{E9}",
                "10", "9", "IMG_99999999999999999999999.jpg",
            ]
            for (number, name) in names.enumerated() {
                clock.advance(hours: 1)
                try TestFiles.add([UInt8](repeating: 1, count: number % 3), as: name, to: vault)
            }
            let ordered = [
                "9", "10", "a", "B", "IMG_2", "IMG_2.jpg", "IMG_010.jpg", "img_10.jpg",
                "IMG_99999999999999999999999.jpg", "\u{E9}t\u{E9}",
            ]
            #expect(try files.list().map(\.name) == ordered)
            #expect(try files.list(.nameReversed).map(\.name) == ordered.reversed())
            #expect(try files.list(.added).map(\.name) == names.reversed())
            let sizes = try files.list(.size).map(\.size)
            #expect(sizes == sizes.sorted(by: >))
            #expect(try files.list(.size).prefix(3).map(\.name) == ["9", "a", "IMG_2"])
        }
    }

    @Test("are in a backup, and a restore heals a damaged content")
    func restore() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try TestVault.create(in: storage)
            let environment = TestVault.environment()
            let vault = try TestVault.unlock(storage)
            let files = VaultFiles(vault)
            let content = TestFiles.content(1, size: 200_000)
            let file = try TestFiles.add(content, as: "a", to: vault)
            let removed = try TestFiles.add(content.reversed(), as: "b", to: vault)
            let backup = folder + "/backup"
            try TestBackup.write(
                storage, to: backup, authenticatedBy: TestBackup.key(), environment)
            try files.remove(removed.id, permanently: true)
            var damaged: ChunkRecord?
            try storage.read { reader in try reader.forEachChunk { damaged = $0 } }
            damaged?.bytes[20] ^= 1
            try storage.write { try $0.putChunk(#require(damaged)) }
            #expect(throws: VaultError.damaged(.chunkSeal)) {
                _ = try TestFiles.content(of: file.id, in: vault)
            }
            try TestBackup.open(backup, in: folder, with: TestVault.secret(), environment) {
                backup in
                _ = try VaultFile.restore(
                    backup, over: TestVault.authenticate(storage), keepingOldBesides: path)
            }
            let restored = try TestVault.unlock(storage)
            #expect(
                try TestFiles.contents(of: restored) == ["a": content, "b": content.reversed()])
            #expect(try restored.check().problems.isEmpty)
        }
    }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let time = Mutex<Int64>(1_700_000_000_000)
    var now: Int64 { time.withLock { $0 } }
    func advance(hours: Int64 = 0, days: Int64 = 0) {
        time.withLock { $0 += (days * 24 + hours) * 3_600_000 }
    }
}
