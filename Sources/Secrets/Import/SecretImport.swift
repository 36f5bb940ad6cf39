public import SecretMemory
internal import SecureStorage
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
        report = try bytes.withBytes { (bytes) throws in
            try Self.pass(over: bytes, content) { _, _ in }
        }
        self.bytes = bytes
        self.content = content
    }

    /// Delivers the secrets, one after the other.
    ///
    /// - Parameter receive: Takes a secret; the value is valid during the call. If it throws `SecureStoreError.duplicate`,
    ///   `tooLarge` or `invalidName`, the secret is reported as skipped. Any other error ends the import without undoing it.
    /// - Returns: The report.
    /// - Throws: `SecretMemoryError`, or an error of `receive`.
    public borrowing func deliver(
        to receive: (ImportedSecret, borrowing SecretBytes) throws -> Void
    ) throws -> ImportReport {
        let content = content
        return try bytes.withBytes { (bytes) throws in
            try Self.pass(over: bytes, content, receive)
        }
    }

    private static func pass(
        over bytes: RawSpan, _ content: Content, _ receive: SecretReceiver
    ) throws -> ImportReport {
        switch content {
        case .passwordStore(let entries):
            return try PasswordStoreText.read(entries, in: bytes, receive)
        case .archive(let attachedFiles):
            guard JSONReader<ExchangeError>.isObject(bytes) else {
                throw ExchangeError.unknownFormat
            }
            var report = try readJSON(bytes, receive)
            guard report.format == .onePUX else { throw ExchangeError.unknownFormat }
            report.attachedFiles = attachedFiles
            return report
        case .file:
            // The first half of the signature of KeePass, versions 1 to 4.
            let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
            let isDatabase =
                bytes.byteCount >= 4 && signature.indices.allSatisfy { bytes[$0] == signature[$0] }
            if isDatabase { throw ExchangeError.keePassDatabase }
            if XMLReader.isMarkup(bytes) { return try KeePassXML.read(bytes, receive) }
            if JSONReader<ExchangeError>.isObject(bytes) { return try readJSON(bytes, receive) }
            return try readTable(bytes, receive)
        }
    }

    private static func readJSON(
        _ bytes: RawSpan, _ receive: SecretReceiver
    ) throws -> ImportReport {
        var reader = JSONReader<ExchangeError>(bytes)
        switch try reader.nextKey(in: bytes, isFirst: true) {
        case "encrypted", "passwordProtected": return try BitwardenJSON.read(bytes, receive)
        case "accounts": return try OnePasswordJSON.read(bytes, receive)
        default: return try TaskVaultJSON.read(bytes, receive)
        }
    }

    private static func readTable(
        _ bytes: RawSpan, _ receive: SecretReceiver
    ) throws -> ImportReport {
        var reader = CSVReader(bytes)
        guard let header = try reader.next(in: bytes) else { throw ExchangeError.empty }
        let columns = try columnNames(header, in: bytes)
        guard let format = format(of: columns) else { throw ExchangeError.unknownFormat }
        var run = ImportRun(format)
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
        return run.report
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

/// One pass over a file: delivers secrets and writes the report.
struct ImportRun {
    var report: ImportReport
    var names = NameRegistry()

    init(_ format: ExchangeFormat) {
        report = ImportReport(format: format)
    }

    /// Delivers one secret. Errors about this secret are reported; all others end the import.
    ///
    /// - Returns: Whether it was imported.
    @discardableResult
    mutating func deliver(
        _ secret: ImportedSecret, _ value: borrowing SecretBytes, to receive: SecretReceiver
    ) throws -> Bool {
        do {
            // An imported file must not say whom to trust with a password, nor bring text without its task.
            if secret.name.isReserved {
                skip(secret.line, .reserved)
                return false
            }
            guard value.count <= SecretLimits.maximumValueSize else {
                throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
            }
            try receive(secret, value)
            report.imported += 1
            return true
        } catch let error as SecureStoreError where error.isOfOneSecret {
            skip(secret.line, .refused(error))
            return false
        }
    }

    mutating func skip(_ line: Int, _ reason: SkipReason) {
        report.skipped.append(ImportReport.Skip(line: line, reason: reason))
    }

    mutating func leaveOut(_ line: Int, _ parts: [LeftOutPart]) {
        for part in parts {
            let omission = ImportReport.Omission(line: line, part: part)
            if report.leftOut.last != omission { report.leftOut.append(omission) }
        }
    }

    mutating func note(_ line: Int, _ changes: [NameChange]) {
        for change in changes {
            let alteration = ImportReport.Alteration(line: line, change: change)
            if report.altered.last != alteration { report.altered.append(alteration) }
        }
    }
}
