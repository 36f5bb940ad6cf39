public import SecretMemory
public import SecureStorage
internal import TextCoding

/// A checked export of another password manager, or of TaskVault, ready for import.
///
/// The file is in guarded memory, and each value goes directly into guarded memory of its own; names and attributes become ordinary text.
/// The format is recognised by its content (``ExchangeFormat``).
///
/// TaskVault's own formats restore everything. For the others see ``ImportedRecord``; their secrets have the class
/// ``AccessClass/whileUnlocked``. CSV is RFC 4180 in UTF-8; JSON is RFC 8259; XML is XML 1.0 without a document type.
public struct SecretImport: ~Copyable {
    /// The largest file, in bytes: 64 MiB. Also the largest content of an archive or a folder.
    public static let maximumFileSize = 67_108_864

    /// The report of an import whose receiver accepts everything.
    public let report: ImportReport
    private let bytes: SecretBytes
    private let content: Content
    private let sketches: [ImportSketch]
    /// The key of the digests in the sketches.
    private let key: HeldSecret

    /// What the bytes are.
    private enum Content {
        case file
        case archive(attachedFiles: Int)
        case passwordStore([PasswordStore.Entry])
    }

    /// Reads a whole file to check it. So an invalid file gives an error before its first secret is delivered.
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

    /// Decrypts all entries of a folder of `pass` by `gpg`, and checks them.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder, without symbolic links.
    ///   - mayAsk: Whether `gpg` may ask for the passphrase of its key.
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

    /// Decides what an import into a store does with each record. Reads the values of entries of the same names.
    ///
    /// - Parameters:
    ///   - store: The store; nil for one without secrets.
    ///   - isReplacing: Whether existing entries are replaced.
    ///   - named: The class of everything that is imported; nil for that of its entry or its file.
    /// - Returns: The plan, which holds while the secrets of these names do not change.
    /// - Throws: An error of the store.
    public borrowing func plan(
        for store: (any SecureStore)?, replacing isReplacing: Bool = false,
        as named: AccessClass? = nil
    ) throws -> ImportPlan {
        let isOwn = report.format == .taskVaultJSON || report.format == .taskVaultCSV
        let existing = try ExistingSecrets(store, of: sketches, asEntries: !isOwn, key)
        return try ImportPlan(sketches, existing, replacing: isReplacing, as: named)
    }

    /// Delivers the secrets, one after the other.
    ///
    /// - Parameters:
    ///   - plan: What happens to each record; nil for an import of everything.
    ///   - receive: Takes a secret; the value is valid during the call. If it throws `SecureStoreError.duplicate`,
    ///     `tooLarge` or `invalidName`, the secret is reported as skipped. Any other error ends the import without undoing it.
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
            guard JSONReader<ExchangeError>.isObject(bytes) else {
                throw ExchangeError.unknownFormat
            }
            var run = try readJSON(bytes, mode, receive)
            guard run.report.format == .onePUX else { throw ExchangeError.unknownFormat }
            run.report.attachedFiles = attachedFiles
            return run
        case .file:
            // The first half of the signature of KeePass, versions 1 to 4.
            let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
            let isDatabase =
                bytes.byteCount >= 4 && signature.indices.allSatisfy { bytes[$0] == signature[$0] }
            if isDatabase { throw ExchangeError.keePassDatabase }
            if XMLReader.isMarkup(bytes) { return try KeePassXML.read(bytes, mode, receive) }
            if JSONReader<ExchangeError>.isObject(bytes) {
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
        let logins = LoginTable(format, columns: columns)
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

/// What a pass over a file is for.
enum ImportMode {
    /// To check it, and to make sketches with this key.
    case check(HeldSecret)
    /// To deliver everything.
    case whole
    /// To deliver as planned.
    case planned(ImportPlan)
}

/// One pass over a file: delivers secrets and writes the report.
struct ImportRun {
    var report: ImportReport
    /// The records, if this pass is a check.
    private(set) var sketches: [ImportSketch] = []
    private let mode: ImportMode
    private var names = NameRegistry()
    /// The number of records so far.
    private var count = 0

    init(_ format: ExchangeFormat, _ mode: ImportMode) {
        report = ImportReport(format: format)
        self.mode = mode
    }

    /// The name of a record, and how it is saved.
    struct Claim {
        /// With the field of its ``RecordName``.
        let name: SecretName
        let changes: [NameChange]
        let accessClass: AccessClass
        /// Whether its entry has a field for the address.
        let hasAddressField: Bool
    }

    /// Claims a name for the next record.
    ///
    /// - Returns: nil for a record that is skipped, which is reported.
    /// - Throws: `SecureStoreError.invalidName`.
    mutating func claim(
        _ name: RecordName, _ line: Int, _ attributes: SecretAttributes
    ) throws -> Claim? {
        // An imported file must not say whom to trust with a password, nor bring text without its task.
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

    /// Delivers one secret of the record that was claimed last. Errors that are not about this secret end the import.
    ///
    /// - Returns: Why it was not imported; nil if it was.
    mutating func deliver(
        _ secret: ImportedSecret, _ value: borrowing SecretBytes, to receive: SecretReceiver
    ) throws -> SkipReason? {
        do {
            // One that is refused belongs to the record as well.
            if case .check(let key) = mode {
                sketches[count - 1].add(secret.name.field, value, key)
            }
            guard value.count <= SecretLimits.maximumValueSize else {
                throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
            }
            try receive(secret, value)
            report.imported += 1
            return nil
        } catch let error as SecureStoreError where error.isOfOneSecret {
            return .refused(error)
        }
    }

    mutating func skip(_ line: Int, _ reason: SkipReason) {
        report.skipped.append(.init(line: line, reason))
    }

    mutating func leaveOut(_ line: Int, _ parts: [LeftOutPart]) {
        report.leftOut += Self.remarks(line, parts)
    }

    mutating func note(_ line: Int, _ changes: [NameChange]) {
        report.altered += Self.remarks(line, changes)
    }

    /// A remark for each of the subjects, once.
    private static func remarks<Subject>(
        _ line: Int, _ subjects: [Subject]
    ) -> [ImportReport.Remark<Subject>] {
        var seen: Set<Subject> = []
        return subjects.filter { seen.insert($0).inserted }.map { .init(line: line, $0) }
    }
}
