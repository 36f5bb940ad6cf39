import Foundation
import Platform
import Sealing
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Backup files, byte for byte.
@Suite("A backup")
struct BackupTests {
    private let environment = TestVault.environment()

    /// A vault of several chunks, and the folder of a backup of it.
    private func withBackup(
        tasks: [UInt8]? = Array("tasks".utf8), settings: [UInt8]? = Array("a = b\n".utf8),
        knowsKey: Bool = true, _ body: (String, any RecordStorage) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 3)
            for index in 0..<3 {
                try vault.save(
                    Samples.secret(String(repeating: "x", count: 60_000)),
                    as: SecretName(service: "large", account: "\(index)"), SecretAttributes())
            }
            if knowsKey { try saveKey(in: vault) }
            vault.lock()
            try TestBackup.write(
                storage, to: folder + "/backup", tasks: tasks, settings: settings,
                authenticatedBy: TestBackup.key(), environment)
            try body(folder, storage)
        }
    }

    private func saveKey(in vault: UnlockedVault) throws {
        try vault.save(
            Samples.secret(String(repeating: "\u{7}", count: 32)),
            as: BackupKey.item(of: [UInt8](repeating: 1, count: 16)), SecretAttributes())
    }

    private func open<Result>(
        _ folder: String, _ passphrase: String = TestVault.passphraseText,
        _ body: (borrowing OpenedBackup) throws -> Result
    ) throws -> Result {
        try TestBackup.open(
            folder + "/backup", in: folder, with: TestVault.secret(passphrase), environment, body)
    }

    private func refusal(_ folder: String) -> VaultError? {
        #expect(throws: VaultError.self) { try open(folder) { _ in } }
        do {
            try open(folder) { _ in }
            return nil
        } catch {
            return error as? VaultError
        }
    }

    @Test("is a file for its owner, made without a secret, and holds all parts")
    func whole() throws {
        try withBackup { folder, storage in
            #expect(Files.mode(folder + "/backup") == 0o600)
            let parts = try open(folder) { backup in
                #expect(backup.time == 1_000)
                #expect(try UnlockedVault(backup.vault.session).list().count == 7)
                return try backup.authenticatedParts()?.mapValues { try TestFile.read($0) }
            }
            #expect(parts == [.tasks: Array("tasks".utf8), .settings: Array("a = b\n".utf8)])
            #expect(Files.names(in: folder) == ["backup", "vault.db"])
            // Nothing of the tasks is readable in it.
            let bytes = try TestFile.read(folder + "/backup")
            #expect(Data(bytes).range(of: Data("tasks".utf8)) == nil)
            #expect(throws: VaultError.storage(.alreadyExists)) {
                try TestBackup.write(
                    storage, to: folder + "/backup", authenticatedBy: TestBackup.key(), environment)
            }
            #expect(try TestFile.read(folder + "/backup") == bytes)
        }
    }

    @Test("has the layout of the specification")
    func layout() throws {
        try withBackup { folder, storage in
            let bytes = try TestFile.read(folder + "/backup")
            let header = try #require(try storage.read { try $0.header() })
            var expected = Array("TVBU".utf8) + [2, 0, 0, 0, 0xE8, 3, 0, 0, 0, 0, 0, 0]
            var size = ByteWriter()
            size.integer(UInt32(header.count))
            expected += size.bytes
            #expect(bytes.starts(with: expected + header))
            let head = expected.count + header.count + 80 + 16 + 24
            #expect(
                bytes[(head - 40)..<(head - 24)].elementsEqual([UInt8](repeating: 1, count: 16)))
            var key = try SecretBytes(count: 32)
            key.withMutableBytes { bytes in
                for index in 0..<32 { bytes.storeBytes(of: 7, toByteOffset: index, as: UInt8.self) }
            }
            let mac = key.withBytes { key in
                Blake2b.hash(size: 32, keyBytes: key) { $0.feed(Array(bytes.dropLast(32))) }
            }
            #expect(Array(bytes.suffix(32)) == mac)
            // The parts need 9 bytes each beside their content.
            let vault = try Int(#require(FileSystem.size(folder + "/vault.db")))
            let rest = bytes.count - 32 - head
            #expect(rest > vault)
        }
    }

    @Test("is refused when it is cut anywhere, or goes on")
    func truncated() throws {
        try withBackup { folder, _ in
            let bytes = try TestFile.read(folder + "/backup")
            let head = try BackupHead(bytes, fileSize: Int64(bytes.count)).bytes.count
            let chunk = BackupHead.chunkSize + SecretStream.overhead
            var sizes = [0, 3, 4, 7, 8, 15, 19, 100, head - 1]
            for start in stride(from: head, to: bytes.count, by: chunk) {
                sizes += [0, 1, 16, 17, 18, 32, 33, 49, chunk - 1].map { start + $0 }
            }
            sizes += [33, 32, 31, 1].map { bytes.count - $0 }
            for size in sizes where size < bytes.count {
                try TestFile.write(Array(bytes.prefix(size)), to: folder + "/backup")
                switch refusal(folder) {
                case .damaged(.backupTruncated), .damaged(.backupChunk): #expect(size > 3)
                case .damaged(.headerTruncated), .damaged(.headerMagic): Issue.record("\(size)")
                case .storage(.foreign): #expect(size < 4)
                case let other: Issue.record("\(size): \(String(describing: other))")
                }
            }
            for end in [[0], Array(bytes.suffix(32)), Array(bytes.dropFirst(head))] as [[UInt8]] {
                try TestFile.write(bytes + end, to: folder + "/backup")
                #expect(refusal(folder) != nil)
            }
            #expect(Files.names(in: folder) == ["backup", "vault.db"])
        }
    }

    @Test("is refused after any change but that of its MAC")
    func changed() throws {
        try withBackup { folder, _ in
            let bytes = try TestFile.read(folder + "/backup")
            let head = try BackupHead(bytes, fileSize: Int64(bytes.count))
            let size = head.bytes.count
            let chunk = BackupHead.chunkSize + SecretStream.overhead
            var places = [4, 8, 20, 64, bytes.count - 33]
            places += [120, 41, 40, 25, 1].map { size - $0 }
            for start in stride(from: size, to: bytes.count - 32, by: chunk) {
                places += [start, start + 1, start + 20]
            }
            for place in places {
                var changed = bytes
                changed[place] ^= 1
                try TestFile.write(changed, to: folder + "/backup")
                #expect(refusal(folder) != nil, "\(place)")
            }
            var newer = bytes
            newer[4] = 3
            try TestFile.write(newer, to: folder + "/backup")
            #expect(refusal(folder) == .storage(.newerVersion(3)))
            var box = bytes
            box[size - 100] ^= 1
            try TestFile.write(box, to: folder + "/backup")
            #expect(refusal(folder) == .damaged(.backupBox))
            var stream = bytes
            stream[size] ^= 1
            try TestFile.write(stream, to: folder + "/backup")
            #expect(refusal(folder) == .damaged(.backupChunk))
            // Only the MAC authenticates tasks and settings.
            var mac = bytes
            mac[bytes.count - 1] ^= 1
            try TestFile.write(mac, to: folder + "/backup")
            #expect(
                try open(folder) { try $0.authenticatedParts() == nil && $0.hasAuthenticatedParts })
        }
    }

    @Test("without a MAC of this machine gives its vault only")
    func withoutMAC() throws {
        try withBackup(knowsKey: false) { folder, storage in
            #expect(try open(folder) { try $0.authenticatedParts() == nil })
            // A vault into which it is restored may know the machine by now.
            let vault = try TestVault.unlock(storage, environment)
            try saveKey(in: vault)
            vault.lock()
            try open(folder) { backup in
                let current = try TestVault.authenticate(storage, environment)
                #expect(try backup.authenticatedParts(knownTo: current)?.count == 2)
            }
            let others: [(machine: UInt8, byte: UInt8)] = [(2, 7), (1, 8)]
            for key in others {
                #expect(unsafe unlink(folder + "/backup") == 0)
                try TestBackup.write(
                    storage, to: folder + "/backup", settings: [1],
                    authenticatedBy: TestBackup.key(key.machine, filled: key.byte), environment)
                #expect(try open(folder) { try $0.authenticatedParts() == nil })
            }
        }
    }

    @Test("has a MAC even if it holds the vault only")
    func macOfTheVaultOnly() throws {
        try withBackup(tasks: nil, settings: nil) { folder, storage in
            #expect(try open(folder) { try $0.authenticatedParts() == [:] && !$0.isVaultFile })
            let size = try TestFile.read(folder + "/backup").count
            var forged = try TestFile.read(folder + "/backup")
            forged[size - 1] ^= 1
            try TestFile.write(forged, to: folder + "/backup")
            #expect(try open(folder) { try $0.authenticatedParts() == nil && !$0.isVaultFile })
            #expect(unsafe unlink(folder + "/backup") == 0)
            try storage.backup(to: folder + "/backup")
            #expect(try open(folder) { try $0.authenticatedParts() == nil && $0.isVaultFile })
        }
    }

    @Test("has a time that can be shown")
    func times() throws {
        let last: Int64 = 253_402_300_799_999
        let cases: [(written: Int64, read: Int64)] = [
            (.min, 0), (-1, 0), (0, 0), (last, last), (last + 1, last), (.max, last),
        ]
        try withBackup { folder, storage in
            for (written, read) in cases {
                #expect(unsafe unlink(folder + "/backup") == 0)
                try TestBackup.write(
                    storage, to: folder + "/backup", at: written, authenticatedBy: TestBackup.key(),
                    environment)
                #expect(try open(folder) { $0.time } == read)
            }
        }
    }

    @Test(
        "is known by its own vault if the vault in its place is damaged", arguments: [true, false])
    func damagedKey(knowsKey: Bool) throws {
        try withBackup(knowsKey: knowsKey) { folder, storage in
            let vault = try TestVault.authenticate(storage, environment)
            try storage.write { writer in
                for bucket in try writer.buckets() {
                    try writer.putBucket(
                        Int(bucket.number), bytes: [UInt8](repeating: 0, count: 116))
                }
            }
            let count = try open(folder) { try $0.authenticatedParts(knownTo: vault)?.count }
            #expect(count == (knowsKey ? 2 : nil))
        }
    }

    @Test("opens with the secrets of its time, before and after other keys")
    func secrets() throws {
        try withBackup { folder, storage in
            _ = try TestVault.authenticate(storage, environment).changePassphrase(
                to: TestVault.passphrase("another one"), cost: TestVault.cost)
            #expect(try open(folder) { try UnlockedVault($0.vault.session).list().count } == 7)
            #expect(throws: VaultError.wrongPassphrase) { try open(folder, "another one") { _ in } }
            #expect(unsafe unlink(folder + "/backup") == 0)
            try TestBackup.write(
                storage, to: folder + "/backup", authenticatedBy: TestBackup.key(), environment)
            #expect(throws: VaultError.wrongPassphrase) { try open(folder) { _ in } }
            #expect(
                try open(folder, "another one") { try UnlockedVault($0.vault.session).list().count }
                    == 7)
        }
    }

    @Test("is not made for a public key that this machine has not seen")
    func otherPublicKey() throws {
        try withBackup { folder, storage in
            let records = MemoryRollbackRecords()
            let seen = TestVault.environment(rollbackRecords: records)
            _ = try TestVault.unlock(storage, seen)
            // Another machine replaces the keys.
            _ = try TestVault.authenticate(storage, environment).rekey()
            #expect(throws: VaultError.damaged(.backupKeyChanged)) {
                try TestBackup.write(
                    storage, to: folder + "/other", authenticatedBy: TestBackup.key(), seen)
            }
            #expect(!Files.names(in: folder).contains("other"))
            _ = try TestVault.unlock(storage, seen)
            try TestBackup.write(
                storage, to: folder + "/other", authenticatedBy: TestBackup.key(), seen)
        }
    }

    @Test("is of one moment, while other processes write")
    func concurrentWriter() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            let isOver = Mutex(false)
            let pairs = Mutex(0)
            let writer = Thread {
                guard
                    let own = try? VaultDatabase.openFile(
                        at: folder + "/vault.db", mode: .readWrite),
                    let vault = try? TestVault.unlock(own)
                else { return }
                defer { own.close() }
                var number = 0
                while !isOver.withLock({ $0 }) {
                    // Two at once: a snapshot has both or none.
                    _ = try? vault.saveAll { save throws(SecureStoreError) in
                        for half in 0..<2 {
                            do {
                                try save(
                                    Samples.secret("\(number)"),
                                    SecretName(service: "pair \(number)", account: "\(half)"),
                                    .init(), nil)
                            } catch {
                                throw SecureStoreError.locked
                            }
                        }
                    }
                    number += 1
                    pairs.withLock { $0 = number }
                }
            }
            writer.start()
            let isWriting = until { pairs.withLock { $0 > 0 } }
            #expect(isWriting)
            var counts: [Int] = []
            for _ in 0..<12 {
                _ = unsafe unlink(folder + "/backup")
                try TestBackup.write(
                    storage, to: folder + "/backup", authenticatedBy: TestBackup.key(), environment)
                counts.append(try open(folder) { try UnlockedVault($0.vault.session).list().count })
            }
            isOver.withLock { $0 = true }
            #expect(until { writer.isFinished })
            #expect(counts.allSatisfy { $0.isMultiple(of: 2) } && counts == counts.sorted())
            #expect(try #require(counts.last) > 0)
        }
    }

    @Test("takes little memory, however large it is", .endsProcess)
    func memory() async {
        // In a process of its own, whose memory no other test uses.
        await #expect(processExitsWith: .success) {
            let environment = TestVault.environment()
            try withTemporaryFolder { folder in
                let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
                defer { storage.close() }
                try TestVault.create(in: storage, environment)
                let chunk = [UInt8](repeating: 7, count: 65_553)
                try TestVault.unlock(storage, environment).save(
                    Samples.file(version: 1, chunks: 1_500), as: Samples.fileName,
                    SecretAttributes())
                try storage.write { writer in
                    for number in 0..<1_500 {
                        try writer.putChunk(
                            ChunkRecord(
                                version: [UInt8](repeating: 1, count: 16), number: Int64(number),
                                stored: 1, bytes: chunk))
                    }
                }
                let before = Self.peakMemory
                let path = folder + "/backup"
                try TestBackup.write(
                    storage, to: path, authenticatedBy: TestBackup.key(), environment)
                #expect(try #require(FileSystem.size(path)) > 98_000_000)
                try TestBackup.open(path, in: folder, with: TestVault.secret(), environment) {
                    backup in
                    #expect(try backup.authenticatedParts() == nil)
                    let vault = try TestVault.authenticate(storage, environment)
                    _ = try VaultFile.restore(
                        backup, over: vault, keepingOldBesides: folder + "/vault.db")
                }
                #expect(Self.peakMemory - before < 30_000_000)
            }
        }
    }

    /// The most memory that this process ever had, in bytes.
    private static var peakMemory: Int {
        var usage = rusage()
        #if os(Linux)
            _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss * 1_024
        #else
            _ = unsafe getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }

    @Test("with parts in another order, unknown ones, or another vault is refused")
    func otherParts() throws {
        try withBackup { folder, storage in
            try storage.backup(to: folder + "/copy.db")
            let vault = try TestFile.read(folder + "/copy.db")
            func part(_ kind: UInt8, _ bytes: [UInt8], size: Int? = nil) -> [UInt8] {
                var writer = ByteWriter()
                writer.integer(kind)
                writer.integer(UInt64(size ?? bytes.count))
                return writer.bytes + bytes
            }
            let cases: [[UInt8]] = [
                [1], part(2, [1]), part(2, [1]) + part(1, vault), part(0, []),
                part(1, vault) + part(4, []), part(1, vault) + part(1, vault),
                part(1, vault) + part(3, []) + part(2, []), part(1, vault) + [2],
                part(1, vault) + part(2, [1], size: 2), part(1, vault, size: .max),
                part(1, vault) + part(2, [1, 2], size: 1),
            ]
            for content in cases {
                try rewrite(folder, storage, content)
                #expect(refusal(folder) == .damaged(.backupContent), "\(content.prefix(12))")
            }
            // The header in the head is of this vault, the one inside of another.
            let other = try VaultDatabase.createFile(at: folder + "/other.db")
            try TestVault.create(in: other)
            other.close()
            try rewrite(folder, storage, part(1, TestFile.read(folder + "/other.db")))
            #expect(refusal(folder) == .damaged(.backupContent))
            try rewrite(folder, storage, part(1, vault))
            #expect(try open(folder) { try UnlockedVault($0.vault.session).list().count } == 7)
        }
    }

    @Test("that is exchanged after it was read has no valid MAC")
    func exchanged() throws {
        try withBackup(settings: nil) { folder, storage in
            let genuine = try TestFile.read(folder + "/backup")
            try storage.backup(to: folder + "/copy.db")
            var content = ByteWriter()
            for (kind, bytes) in [
                (UInt8(1), try TestFile.read(folder + "/copy.db")), (2, Array("TASKS".utf8)),
            ] {
                content.integer(kind)
                content.integer(UInt64(bytes.count))
                content.raw(bytes)
            }
            try rewrite(folder, storage, content.bytes)
            #expect(try TestFile.read(folder + "/backup").count == genuine.count)
            try open(folder) { backup in
                try TestFile.write(genuine, to: folder + "/backup")
                #expect(try backup.authenticatedParts() == nil)
            }
            // The control.
            #expect(try open(folder) { try $0.authenticatedParts()?.count } == 1)
        }
    }

    /// Writes a backup with this content, as anyone can who has the vault's file.
    private func rewrite(
        _ folder: String, _ storage: any RecordStorage, _ content: [UInt8]
    ) throws {
        let header = try #require(try storage.read { try $0.header() })
        let publicKey = try VaultHeader(header, limits: .testing).keys.backupPublicKey
        let key = try Samples.secret(String(repeating: "k", count: 32))
        var stream = try SecretStream.Writer(key: key)
        let box = try #require(key.withBytes { BoxKeyPair.seal($0, to: publicKey) })
        let head = BackupHead(
            time: 1, headerBytes: header, box: box, machineID: [UInt8](repeating: 1, count: 16),
            streamHeader: stream.header)
        var bytes = head.bytes
        var context = Blake2b.hash(size: 32) { $0.feed(head.bytes) }
        var rest = content[...]
        repeat {
            let chunk = Array(rest.prefix(BackupHead.chunkSize))
            rest = rest.dropFirst(chunk.count)
            bytes += unsafe stream.seal(chunk.span.bytes, context, isLast: rest.isEmpty)
            context = []
        } while !rest.isEmpty
        try TestFile.write(
            bytes + [UInt8](repeating: 0, count: 32), to: folder + "/backup")
    }
}

private enum Files {
    static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    static func names(in folder: String) -> [String] {
        ((try? FileSystem.names(in: folder)) ?? []).filter { !$0.hasPrefix("vault.db-") }
    }
}
