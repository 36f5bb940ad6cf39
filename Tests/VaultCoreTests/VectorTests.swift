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
    static let files = TestVectors.all { try VectorFile(name: $0, text: $1) }

    @Test("are all there, and name every failure")
    func complete() {
        #expect(Self.files.count >= 60)
        let expected = Set(Self.files.map(\.expected))
        for failure in FormatFailure.allCases {
            #expect(expected.contains(failure.rawValue), "no vector for \(failure.rawValue)")
        }
        #expect(expected.contains("opens"))
    }

    @Test("give exactly the answer that they name", arguments: files)
    func vector(file: VectorFile) throws {
        #expect(answer(to: file) == file.expected)
    }

    private func answer(to file: VectorFile) -> String {
        do {
            return try open(file)
        } catch let error as SealingError {
            return Self.name(of: error)
        } catch let error as VaultError {
            return Self.name(of: error)
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
        let marks = FixedMarks(bytes: file.mark)
        let environment = VaultEnvironment(
            marks: marks, limits: file.isTesting ? .testing : .standard(), now: { 0 })
        let locked = try LockedVault(FixedRecords(file), environment)
        let typed = try Samples.secret(file.secret)
        let secret: VaultSecret =
            file.secretKind == "recovery"
            ? .recoveryCode(try RecoveryCode(typed: typed))
            : .passphrase(try Passphrase(typed: typed))
        let vault = try locked.unlock(with: secret)
        var found: [VectorFile.Content] = []
        if let read = file.read {
            let name = try SecretName(
                service: String(decoding: read[0], as: UTF8.self),
                account: String(decoding: read[1], as: UTF8.self))
            found = [try content(name, of: vault)]
        } else {
            // Values are read by tag, as the order of the checks says.
            let listed = try vault.list()
            let order = try vault.use { session in
                listed.map { (session.tag(of: $0.name), $0.name) }
                    .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
            }
            found = try order.map { try content($0, of: vault) }
        }
        if file.expected == "opens" {
            let settings = try #require(vault.settings)
            let counter = try vault.use { session in
                session.newest?.state.counter ?? 0
            }
            let line =
                "\(settings.verificationWindow) \(settings.idleLimit) \(settings.absoluteLimit) "
                + "\(settings.requiresLockedMemory ? 1 : 0) \(counter)"
            #expect(line == file.settings)
            #expect(found == file.content)
        }
        return "opens"
    }

    private func content(
        _ name: SecretName, of vault: UnlockedVault
    ) throws -> VectorFile.Content {
        try vault.read(name) { (item, value) throws(SecureStoreError) in
            VectorFile.Content(
                service: Array(item.name.service.utf8), account: Array(item.name.account.utf8),
                label: Array(item.attributes.label.utf8),
                accessClass: item.attributes.accessClass.rawValue, revision: item.revision,
                created: item.created, modified: item.modified, value: Samples.bytes(value),
                extra: item.attributes.extra.map { [Array($0.key.utf8), Array($0.text.utf8)] })
        }
    }

    private static func name(of error: VaultError) -> String {
        switch error {
        case .damaged(let failure): failure.rawValue
        case .rolledBack: FormatFailure.rolledBack.rawValue
        case .wrongPassphrase: "wrong_passphrase"
        case .wrongRecoveryCode: "wrong_recovery_code"
        case .unusable(let error): name(of: error)
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

/// A mark that is given as bytes, which may be wrong.
private struct FixedMarks: RollbackMarks {
    let bytes: [UInt8]?

    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        guard let bytes else { return nil }
        do {
            return try RollbackMark(bytes, of: vaultID)
        } catch {
            throw .damaged
        }
    }

    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {}
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
    func eraseOldBytes() throws -> Bool? { true }
    func backup(to path: String) throws {}
    func close() {}
}
