public import SecretMemory
public import SecureStorage
internal import TextCoding

/// A validated export of another password manager or of TaskVault.
///
/// The file is in guarded memory, and each value goes directly into its own guarded memory. Names
/// and attributes become ordinary strings. The content identifies the format (``ExchangeFormat``).
///
/// TaskVault's formats restore all data. For the others see ``ImportedRecord``; their secrets get
/// the class ``AccessClass/whileUnlocked``. CSV is RFC 4180 in UTF-8; JSON is RFC 8259; XML is XML
/// 1.0 without a document type.
public struct SecretImport: ~Copyable {
    /// The maximum size of a file in bytes (64 MiB), and of the content of an archive or a
    /// directory.
    public static let maximumFileSize = 67_108_864

    /// The report of an import in which the receiver accepts all secrets.
    public let report: ImportReport
    private let bytes: SecretBytes
    private let content: Content
    private let sketches: [ImportSketch]
    /// The key of the digests in the sketches.
    private let key: HeldSecret

    /// The kind of content.
    private enum Content {
        case file
        case archive(attachedFiles: Int)
        case passwordStore([PasswordStore.Entry])
    }

    /// Reads and validates a whole file, so that an invalid file fails before its first secret is
    /// delivered.
    ///
    /// - Parameter file: The whole file.
    /// - Throws: ``ExchangeError`` or `SecretMemoryError`.
    public init(_ file: consuming SecretBytes) throws {
        guard file.count <= Self.maximumFileSize else {
            throw ExchangeError.tooLarge(maximum: Self.maximumFileSize)
        }
        guard file.withBytes({ ZipArchive.isArchive($0) }) else {
            try self.init(file, .file)
            return
        }
        var attachedFiles = 0
        let data = try file.withBytes { (bytes) throws -> SecretBytes in
            let archive = try ZipArchive(bytes)
            attachedFiles = archive.count { !$0.hasPrefix("export.") && !$0.hasSuffix("/") }
            return try archive.content(of: "export.data", in: bytes)
        }
        try self.init(data, .archive(attachedFiles: attachedFiles))
    }

    /// Decrypts all entries of a `pass` directory with `gpg`, and validates them.
    ///
    /// - Parameters:
    ///   - folder: The path of the directory, without symbolic links.
    ///   - mayAsk: Whether `gpg` may ask for the key's passphrase.
    /// - Throws: ``ExchangeError`` or `SecretMemoryError`; an error of the system.
    public init(passwordStore folder: String, mayAsk: Bool) throws {
        let store = try PasswordStore.decrypt(folder, mayAsk: mayAsk)
        let entries = store.entries
        try self.init(store.content(), .passwordStore(entries))
    }

    private init(_ bytes: consuming SecretBytes, _ content: Content) throws {
        let key = HeldSecret(try RandomSource.system.secret(count: ImportSketch.keySize))
        let run = try bytes.withBytes { (bytes) throws in
            try Self.pass(over: bytes, content, .check(key)) { _, _ in }
        }
        report = run.report
        sketches = run.sketches
        self.key = key
        self.bytes = bytes
        self.content = content
    }

    /// Decides how to import each record into a store. Reads the values of entries with the same
    /// names.
    ///
    /// - Parameters:
    ///   - store: The store; nil for an empty one.
    ///   - isReplacing: Whether existing entries are replaced.
    ///   - named: The class of all imported secrets; nil for that of the existing entry or the
    ///     file.
    /// - Returns: The plan. It is valid while the secrets of these names do not change.
    /// - Throws: An error of the store.
    public borrowing func plan(
        for store: (any SecureStore)?, replacing isReplacing: Bool = false,
        as named: AccessClass? = nil
    ) throws -> ImportPlan {
        let isOwn = report.format == .taskVaultJSON || report.format == .taskVaultCSV
        let existing = try ExistingSecrets(store, of: sketches, asEntries: !isOwn, key)
        return try ImportPlan(sketches, existing, replacing: isReplacing, as: named)
    }

    /// Delivers the secrets one by one.
    ///
    /// - Parameters:
    ///   - plan: The decision about each record; nil to import all.
    ///   - receive: Gets a secret. The value is valid during the call. After
    ///     `SecureStoreError.duplicate`, `tooLarge` or `invalidName` the secret is reported as
    ///     skipped. Any other error ends the import, and keeps the secrets so far.
    /// - Returns: The report.
    /// - Throws: `SecretMemoryError`, or an error of `receive`.
    public borrowing func deliver(
        _ plan: ImportPlan? = nil,
        to receive: (ImportedSecret, borrowing SecretBytes) throws -> Void
    ) throws -> ImportReport {
        let content = content
        return try bytes.withBytes { (bytes) throws in
            try Self.pass(over: bytes, content, plan.map { .planned($0) } ?? .whole, receive)
        }.report
    }

    private static func pass(
        over bytes: RawSpan, _ content: Content, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        switch content {
        case .passwordStore(let entries):
            return try PasswordStoreText.read(entries, in: bytes, mode, receive)
        case .archive(let attachedFiles):
            guard JSONObject.isObject(bytes) else {
                throw ExchangeError.unknownFormat
            }
            var run = try readJSON(bytes, mode, receive)
            guard run.report.format == .onePUX else { throw ExchangeError.unknownFormat }
            run.report.attachedFiles = attachedFiles
            return run
        case .file:
            // The first half of the KeePass signature, versions 1 to 4.
            let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
            let isDatabase =
                bytes.byteCount >= 4 && signature.indices.allSatisfy { bytes[$0] == signature[$0] }
            if isDatabase { throw ExchangeError.keePassDatabase }
            if XMLReader.isMarkup(bytes) { return try KeePassXML.read(bytes, mode, receive) }
            if JSONObject.isObject(bytes) {
                return try readJSON(bytes, mode, receive)
            }
            return try readTable(bytes, mode, receive)
        }
    }

    private static func readJSON(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = JSONReader<ExchangeError>(bytes)
        switch try reader.nextKey(in: bytes, isFirst: true) {
        case "encrypted", "passwordProtected":
            return try BitwardenJSON.read(bytes, mode, receive)
        case "accounts": return try OnePasswordJSON.read(bytes, mode, receive)
        default: return try TaskVaultJSON.read(bytes, mode, receive)
        }
    }

    private static func readTable(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = CSVReader(bytes)
        guard let header = try reader.next(in: bytes) else { throw ExchangeError.empty }
        let columns = try columnNames(header, in: bytes)
        guard let format = format(of: columns) else { throw ExchangeError.unknownFormat }
        var run = ImportRun(format, mode)
        let logins = LoginCSV(format, columns: columns)
        let ownTable = TaskVaultTable(columns: columns)
        while let record = try reader.next(in: bytes) {
            guard record.fields.count == columns.count else {
                throw ExchangeError.wrongFieldCount(
                    line: record.line, expected: columns.count, found: record.fields.count)
            }
            if let ownTable {
                try ownTable.read(record, in: bytes, &run, receive)
            } else {
                try logins.read(record, in: bytes, &run, receive)
            }
        }
        return run
    }

    private static func columnNames(
        _ header: CSVRecord, in bytes: RawSpan
    ) throws -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for (index, field) in header.fields.enumerated() {
            let name = try field.text(in: bytes, line: header.line, column: index + 1)
            guard seen.insert(name.lowercased()).inserted else {
                throw ExchangeError.duplicateColumn(column: index + 1)
            }
            names.append(name.lowercased())
        }
        return names
    }

    private static func format(of columns: [String]) -> ExchangeFormat? {
        let present = Set(columns)
        return ExchangeFormat.allCases.first { format in
            format.requiredColumns?.allSatisfy(present.contains) ?? false
        }
    }
}

/// The receiver of the secrets of an import.
typealias SecretReceiver = (ImportedSecret, borrowing SecretBytes) throws -> Void

/// The purpose of a pass over a file.
enum ImportMode {
    /// Validates the file, and makes sketches with this key.
    case check(HeldSecret)
    /// Delivers all secrets.
    case whole
    /// Delivers the secrets according to a plan.
    case planned(ImportPlan)
}

/// A pass over a file: delivers secrets and makes the report.
struct ImportRun {
    var report: ImportReport
    /// The sketches of the records, in a validating pass.
    private(set) var sketches: [ImportSketch] = []
    private let mode: ImportMode
    private var names = NameRegistry()
    /// The number of records so far.
    private var count = 0

    init(_ format: ExchangeFormat, _ mode: ImportMode) {
        report = ImportReport(format: format)
        self.mode = mode
    }

    /// The name and class under which a record is saved.
    struct Claim {
        /// The name, with the field of its ``RecordName``.
        let name: SecretName
        let changes: [NameChange]
        let accessClass: AccessClass
        /// Whether the existing entry has a field for its URL.
        let hasAddressField: Bool
    }

    /// Claims a name for the next record.
    ///
    /// - Returns: nil for a skipped record, which is then in the report.
    /// - Throws: `SecureStoreError.invalidName`.
    mutating func claim(
        _ name: RecordName, _ line: Int, _ attributes: SecretAttributes
    ) throws -> Claim? {
        // An imported file must not change reserved secrets, for example trust settings or the text
        // of protected tasks.
        guard try !name.numbered(1).name.isReserved else {
            skip(line, .reserved)
            return nil
        }
        defer { count += 1 }
        var planned = ImportPlan.Record(accessClass: attributes.accessClass)
        switch mode {
        case .planned(let plan):
            planned = plan.records[count]
            if let existing = planned.existing, !plan.isReplacing {
                skip(line, .exists(existing))
                return nil
            }
        case .check, .whole:
            planned.number = try names.claim(name)
            if case .check = mode { sketches.append(ImportSketch(name, attributes)) }
        }
        let numbered = try name.numbered(planned.number)
        return Claim(
            name: numbered.name,
            changes: numbered.changes + (planned.number > 1 ? [.numbered] : []),
            accessClass: planned.accessClass, hasAddressField: planned.hasAddressField)
    }

    /// Delivers one secret of the claimed record. An error that does not concern this secret ends
    /// the import.
    ///
    /// - Returns: The reason why the secret was not imported; nil if it was.
    mutating func deliver(
        _ secret: ImportedSecret, _ value: borrowing SecretBytes, to receive: SecretReceiver
    ) throws -> SkipReason? {
        do {
            // A refused secret belongs to the record as well.
            if case .check(let key) = mode {
                sketches[count - 1].add(secret.name.field, value, key)
            }
            guard value.count <= SecretLimits.maximumValueSize else {
                throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
            }
            try receive(secret, value)
            report.imported += 1
            return nil
        } catch let error as SecureStoreError where error.concernsOneSecret {
            return .refused(error)
        }
    }

    mutating func skip(_ line: Int, _ reason: SkipReason) {
        report.skipped.append(.init(line: line, reason))
    }

    mutating func reportUnsupported(_ line: Int, _ parts: [UnsupportedPart]) {
        report.unsupported += Self.remarks(line, parts)
    }

    mutating func reportNameChanges(_ line: Int, _ changes: [NameChange]) {
        report.nameChanges += Self.remarks(line, changes)
    }

    /// One remark for each distinct subject.
    private static func remarks<Subject>(
        _ line: Int, _ subjects: [Subject]
    ) -> [ImportReport.Remark<Subject>] {
        subjects.distinct().map { .init(line: line, $0) }
    }
}
