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
        case file(ColumnMap?)
        case archive(attachedFiles: Int)
        case passwordStore([PasswordStore.Entry])
    }

    /// Reads and validates a whole file, so that an invalid file fails before its first secret is
    /// delivered.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - columns: The columns of a CSV file; nil for the known ones.
    /// - Throws: ``ExchangeError`` or `SecretMemoryError`.
    public init(_ file: consuming SecretBytes, columns: ColumnMap? = nil) throws {
        guard file.count <= Self.maximumFileSize else {
            throw ExchangeError.tooLarge(maximum: Self.maximumFileSize)
        }
        guard file.withBytes({ ZipArchive.isArchive($0) }) else {
            try self.init(file, .file(columns))
            return
        }
        if columns != nil { throw ExchangeError.noColumns }
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
        case .file(let columns):
            // The first half of the KeePass signature, versions 1 to 4.
            let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
            let isDatabase =
                bytes.byteCount >= 4 && signature.indices.allSatisfy { bytes[$0] == signature[$0] }
            if isDatabase { throw ExchangeError.keePassDatabase }
            let isTable =
                !XMLReader.isMarkup(bytes) && !JSONObject.isObject(bytes)
                && !SeedList.isList(bytes)
            if isTable { return try readTable(bytes, columns, mode, receive) }
            if columns != nil { throw ExchangeError.noColumns }
            if XMLReader.isMarkup(bytes) { return try KeePassXML.read(bytes, mode, receive) }
            if SeedList.isList(bytes) { return try SeedList.read(bytes, mode, receive) }
            return try readJSON(bytes, mode, receive)
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
        case "version", "header", "db": return try AegisJSON.read(bytes, mode, receive)
        default: return try TaskVaultJSON.read(bytes, mode, receive)
        }
    }

    private static func readTable(
        _ bytes: RawSpan, _ map: ColumnMap?, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = CSVReader(bytes)
        guard let header = try reader.next(in: bytes) else { throw ExchangeError.empty }
        let columns = try columnNames(header, in: bytes)
        let known: CSVHeader
        if let map {
            if let missing = map.columns.keys.sorted().first(where: { !columns.contains($0) }) {
                throw ExchangeError.missingColumn(
                    missing, areNames(columns, before: reader, in: bytes) ? columns : [])
            }
            known = map.header
        } else if let found = CSVHeader.of(columns) {
            known = found
        } else {
            guard areNames(columns, before: reader, in: bytes) else {
                throw ExchangeError.unknownFormat
            }
            throw ExchangeError.unknownColumns(columns)
        }
        var run = ImportRun(known.format, mode)
        let logins = LoginCSV(known, columns: columns)
        let ownTable = map == nil ? TaskVaultTable(columns: columns) : nil
        while let record = try reader.next(in: bytes) {
            // A row may end early, but only TaskVault's own are whole.
            guard
                record.fields.count == columns.count
                    || record.fields.count < columns.count && ownTable == nil
            else {
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

    /// Whether the first line has the names of columns, and no secrets: a row of the same length follows, and two names are usual, or each
    /// row has an address in a column where the first line has a word.
    private static func areNames(
        _ columns: [String], before reader: CSVReader, in bytes: RawSpan
    ) -> Bool {
        // A row of logins has colons, dots or an @. So has a header whose end was lost, and which goes on with the first login.
        func consist(of allowed: (Unicode.Scalar) -> Bool) -> Bool {
            columns.allSatisfy { !$0.isEmpty && $0.unicodeScalars.allSatisfy(allowed) }
        }
        func isOfWords(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isAlphabetic || " -_/()".unicodeScalars.contains(scalar)
        }
        let isUsual =
            columns.count(where: ColumnWords.isUsual) > 1
            && consist {
                isOfWords($0) || ("0"..."9").contains($0) || "?*#&".unicodeScalars.contains($0)
            }
        let isWords = columns.count > 1 && consist(of: isOfWords)
        guard isUsual || isWords else { return false }
        var addresses = Set(columns.indices)
        var hasRow = false
        var reader = reader
        while let record = try? reader.next(in: bytes) {
            guard record.fields.count == columns.count else { continue }
            if isUsual { return true }
            hasRow = true
            addresses = addresses.filter { index in
                let text = try? record.fields[index].text(
                    in: bytes, line: record.line, column: index + 1)
                return text?.has("://") ?? false
            }
            if addresses.isEmpty { return false }
        }
        return hasRow
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
