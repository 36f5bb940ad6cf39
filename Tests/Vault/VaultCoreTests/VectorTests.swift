import CSodium
@testable import Sealing
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// The vectors that were made from `Docs/Format.md` by a program of its own.
@Suite("Vectors")
struct VectorTests {
    static let files =
        TestVectors.all { try VectorFile(name: $0, text: $1) }
        + TestVectors.all(in: "Chunks") { try VectorFile(name: $0, text: $1) }

    @Test("are all there, and name every failure")
    func complete() {
        #expect(Self.files.count >= 60)
        let expected = Set((Self.files + BackupVectorTests.files).map(\.expected))
        // `BackupTests` gives that of making a backup, `CheckTests` that of a file that is read all the same.
        let others: Set<FormatFailure> = [.backupKeyChanged, .fileDamaged]
        for failure in FormatFailure.allCases where !others.contains(failure) {
            #expect(expected.contains(failure.rawValue), "no vector for \(failure.rawValue)")
        }
        #expect(expected.contains("opens"))
    }

    @Test("give exactly the answer that they name", arguments: files)
    func vector(file: VectorFile) throws {
        #expect(Self.answer { try open(file) } == file.expected)
    }

    /// The result of `open`, or the name of the failure that it throws.
    static func answer(_ open: () throws -> String) -> String {
        do {
            return try open()
        } catch let error as SealingError {
            return name(of: error)
        } catch let error as VaultError {
            return name(of: error)
        } catch let error as DatabaseError {
            return name(of: error)
        } catch let error as SecureStoreError {
            switch error {
            case .damaged(let failure): return failure
            case .notFound: return "not_found"
            default: return "\(error)"
            }
        } catch {
            return "\(error)"
        }
    }

    private func open(_ file: VectorFile) throws -> String {
        try file.version.map(Self.openFile)
        let records = FixedRollbackRecords(file: file)
        let environment = VaultEnvironment(
            rollbackRecords: records, limits: file.isTesting ? .testing : .standard(), now: { 0 })
        let locked = try LockedVault(FixedRecords(file), environment)
        let secret = try Self.secret(file, file.header)
        if file.action == .rekey { try Self.beginRekey(of: locked, secret) }
        let vault = try LockedVault(FixedRecords(file), environment).unlock(with: secret)
        if file.action == .links, let problem = try vault.check().problems.first {
            return problem.failure.rawValue
        }
        var found: [VectorFile.Content] = []
        var past: [VectorFile.Past] = []
        var contents: [VectorFile.File] = []
        if file.action == .earlier {
            past = try Self.past(of: vault)
        } else if let read = file.read {
            let name = try SecretName(
                service: String(decoding: read[0], as: UTF8.self),
                account: String(decoding: read[1], as: UTF8.self),
                field: String(decoding: read[2], as: UTF8.self))
            found = [try content(name, of: vault)]
        } else {
            // Values are read by tag, as the order of the checks says.
            let listed = try vault.list()
            let order = try vault.use { session in
                listed.map { (session.tag(of: $0.name), $0.name) }
                    .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
            }
            found = try order.map { try content($0, of: vault) }
            if file.action == .files {
                contents = try order.filter(\.isFile).map { try Self.file($0, of: vault) }
            }
        }
        if file.expected == "opens" {
            let settings = try #require(vault.settings)
            let state = try #require(try vault.use { session in session.newest?.state })
            let numbers =
                ["\(state.counter)", "\(state.restoredFrom)", "\(state.restoredAt)"]
                + VaultSetting.all.sorted { $0.number < $1.number }.map { "\(settings[$0])" }
            #expect(numbers.joined(separator: " ") == file.settings)
            #expect(found == file.content)
            #expect(past == file.past)
            #expect(contents == file.files)
        }
        return "opens"
    }

    static func secret(_ file: VectorFile, _ header: [UInt8]?) throws -> VaultSecret {
        var typed = file.secret
        switch file.secretKind {
        case "recovery": return try VaultSecret(.recoveryCode, typed: Samples.secret(typed))
        case "passphrase": return try VaultSecret(.passphrase, typed: Samples.secret(typed))
        default:
            let slots = try VaultHeader(header, limits: .testing).slots
            if !slots.contains(where: { $0.record.map(salt) == file.salt }) {
                typed = [UInt8](repeating: 0, count: 32)
            }
            return try VaultSecret(.authenticator, typed: Samples.secret(typed))
        }
    }

    /// The question to an authenticator for a slot (`Docs/Format.md`, section 4).
    private static func salt(_ record: SlotRecord) -> [UInt8] {
        let message = Array("WebAuthn PRF".utf8) + [0] + record.input
        var salt = [UInt8](repeating: 0, count: 32)
        _ = unsafe crypto_hash_sha256(&salt, message, UInt64(message.count))
        return salt
    }

    /// Opens an empty vault file of a storage version.
    private static func openFile(version: Int32) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try VaultDatabase.createFile(at: path).close()
            var bytes = try TestFile.read(path)
            for index in 0..<4 {
                bytes[60 + index] = UInt8(truncatingIfNeeded: version >> (24 - 8 * Int32(index)))
            }
            try TestFile.write(bytes, to: path)
            try VaultDatabase.openFile(at: path, mode: .readWrite).close()
        }
    }

    private static func beginRekey(
        of vault: consuming LockedVault, _ secret: borrowing VaultSecret
    ) throws {
        do {
            _ = try vault.authenticate(with: secret).rekey()
        } catch VaultError.storage(.readOnly) {
            // It would begin now.
        }
    }

    private func content(
        _ name: SecretName, of vault: UnlockedVault
    ) throws -> VectorFile.Content {
        try vault.read(name) { (item, value) throws(SecureStoreError) in
            VectorFile.Content(item, value)
        }
    }

    /// All earlier rows, by item id and revision.
    private static func past(of vault: UnlockedVault) throws -> [VectorFile.Past] {
        try vault.use { session in
            try session.read { reader in
                var listed: [(secret: EarlierSecret, isRemoval: Bool)] = []
                try session.forEachEarlier(reader) { row, move in
                    listed.append((try session.describe(row, move), move.isRemoval))
                }
                return try listed.map { secret, isRemoval in
                    let revision = secret.item.revision
                    let row = try #require(
                        try reader.earlier(itemID: secret.id, revision: revision))
                    let content = try session.withValue(of: row) {
                        VectorFile.Content(secret.item, $0)
                    }
                    return VectorFile.Past(
                        id: secret.id, time: secret.moved, isRemoval: isRemoval, content: content)
                }
            }
        }
    }

    /// Reads a file in the order of the checks: a `FileReader` counts the chunks first.
    private static func file(
        _ name: SecretName, of vault: UnlockedVault
    ) throws -> VectorFile.File {
        try vault.use { session in
            let row = try #require(try session.row(of: session.tag(of: name)))
            let value = try session.fileValue(of: row)
            var opener = try ChunkOpener(value)
            var content: [UInt8] = []
            while !opener.isAtEnd {
                try session.storage.read { try opener.openNext($0) }
                content += Samples.bytes(opener.buffer)
            }
            return VectorFile.File(
                version: value.chunks.version, size: value.size,
                hash: Blake2b.hash(size: 32) { $0.feed(content) })
        }
    }

    private static func name(of error: VaultError) -> String {
        switch error {
        case .damaged(let failure): failure.rawValue
        case .rolledBack: FormatFailure.rolledBack.rawValue
        case .forked: FormatFailure.forked.rawValue
        case .otherVault: FormatFailure.otherVault.rawValue
        case .wrongPassphrase: "wrong_passphrase"
        case .wrongRecoveryCode: "wrong_recovery_code"
        case .wrongKey: "wrong_key"
        case .storage(let error): name(of: error)
        case .unusable(let error): name(of: error)
        default: "\(error)"
        }
    }

    private static func name(of error: DatabaseError) -> String {
        switch error {
        case .newerVersion: "newer_version"
        case .earlierBuild: "earlier_build"
        case .foreign: "file_foreign"
        default: "\(error)"
        }
    }

    private static func name(of error: SealingError) -> String {
        switch error {
        case .passphraseLength: "passphrase_length"
        case .passphraseEncoding: "passphrase_encoding"
        case .recoveryCodeMalformed: "recovery_code_malformed"
        case .recoveryCodeCheck: "recovery_code_check"
        default: "\(error)"
        }
    }
}

extension VectorFile.Content {
    fileprivate init(_ item: SecretItem, _ value: borrowing SecretBytes) {
        self.init(
            service: Array(item.name.service.utf8), account: Array(item.name.account.utf8),
            field: Array(item.name.field.utf8), label: Array(item.attributes.label.utf8),
            accessClass: item.attributes.accessClass.rawValue, revision: item.revision,
            created: item.created, modified: item.modified, value: Samples.bytes(value),
            extra: item.attributes.extra.map { [Array($0.key.utf8), Array($0.text.utf8)] })
    }
}

/// The rollback records of a vector, given as the bytes of their files, which may be wrong.
private struct FixedRollbackRecords: RollbackRecords {
    let file: VectorFile

    func read() throws(RollbackRecordError) -> RollbackRecord? {
        do {
            return try file.rollbackRecord.flatMap { try RollbackRecordFile.slot($0)?.record }
        } catch {
            throw .damaged
        }
    }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        file.elsewhere.compactMap { try? RollbackRecordFile.slot($0)?.record }
    }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool { true }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {}

    func sync() throws(RollbackRecordError) {}
}

/// Records as a vector has them, whatever they are; nothing can be written.
private struct FixedRecords: RecordStorage, RecordReader {
    let file: VectorFile

    init(_ file: VectorFile) { self.file = file }

    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result { try body(self) }

    func write<Result>(
        _ body: (any RecordWriter) throws -> Result
    ) throws -> Result { throw DatabaseError.readOnly }

    func header() throws -> [UInt8]? { file.header }
    func state() throws -> [UInt8]? { file.state }
    func buckets() throws -> [BucketRecord] { file.buckets }
    func forEachLink(
        _ range: ClosedRange<UInt64>, _ body: (LinkRecord) throws -> Void
    ) throws {
        for link in file.links where range.contains(link.counter) { try body(link) }
    }
    func item(tag: [UInt8]) throws -> ItemRecord? {
        file.items.first { $0.tag == tag }
    }
    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        (file.state, try item(tag: tag))
    }
    func forEachItem(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void
    ) throws {
        for item in file.items where (item.tag.first ?? 0) == bucket { try body(item) }
    }
    func forEachItem(
        _ body: (ItemRecord) throws -> Void
    ) throws {
        for item in file.items { try body(item) }
    }
    func earlier(itemID: [UInt8], revision: UInt64) throws -> EarlierRecord? {
        file.earlier.first { $0.itemID == itemID && $0.revision == revision }
    }
    func forEachEarlier(
        inBucket bucket: UInt8, _ body: (EarlierRecord) throws -> Void
    ) throws {
        for row in file.earlier where (row.itemID.first ?? 0) == bucket { try body(row) }
    }
    func forEachEarlier(
        _ body: (EarlierRecord) throws -> Void
    ) throws {
        for row in file.earlier { try body(row) }
    }
    func forEachChunk(_ body: (ChunkRecord) throws -> Void) throws {
        for chunk in file.chunks { try body(chunk) }
    }
    func chunk(version: [UInt8], number: Int64) throws -> ChunkRecord? {
        file.chunks.first { $0.version == version && $0.number == number }
    }
    func chunkCount(of part: (version: [UInt8], count: Int64)?) throws -> Int {
        guard let part else { return file.chunks.count }
        return file.chunks.count {
            $0.version == part.version && (0..<part.count).contains($0.number)
        }
    }
    func eraseOldBytes() throws -> Bool? { true }
    func backup(to path: String) throws {}
    func close() {}
}
