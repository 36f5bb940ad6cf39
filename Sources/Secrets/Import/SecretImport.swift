public import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Imports secrets from the export of another password manager, or from TaskVault's own.
///
/// The file is in guarded memory, and each value goes directly into guarded memory of its own; names and attributes become ordinary text.
/// The format is recognised by its content (``ExchangeFormat``). Thread-safe.
///
/// TaskVault's own formats restore everything. For the others see ``LoginTable``; their secrets have the class
/// ``AccessClass/whileUnlocked``. CSV is RFC 4180 in UTF-8; JSON is RFC 8259.
public enum SecretImport {
    /// The largest file, in bytes: 64 MiB.
    public static let maximumFileSize = 67_108_864

    /// Reads the whole file, and reports the result of ``read(_:_:)`` for a receiver that accepts everything.
    ///
    /// - Parameter file: The whole file.
    /// - Returns: The report of such an import.
    /// - Throws: ``ExchangeError`` or `SecretMemoryError`.
    public static func check(
        _ file: borrowing SecretBytes
    ) throws -> ImportReport {
        try file.withBytes { (bytes) throws in
            try pass(over: bytes) { _, _ in }
        }
    }

    /// Reads the whole file twice, first to check it. So an invalid file gives an error before its first secret is delivered.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - receive: Takes one secret after the other; the value is valid during the call. If it throws `SecureStoreError.duplicate`,
    ///     `tooLarge` or `invalidName`, the secret is reported as skipped. Any other error ends the import without undoing it.
    /// - Returns: The report.
    /// - Throws: ``ExchangeError``, `SecretMemoryError`, or an error of `receive`.
    public static func read(
        _ file: borrowing SecretBytes,
        _ receive: (ImportedSecret, borrowing SecretBytes) throws -> Void
    ) throws -> ImportReport {
        _ = try check(file)
        return try file.withBytes { (bytes) throws in
            try pass(over: bytes, receive)
        }
    }

    private static func pass(
        over bytes: RawSpan, _ receive: SecretReceiver
    ) throws -> ImportReport {
        guard bytes.byteCount <= maximumFileSize else {
            throw ExchangeError.tooLarge(maximum: maximumFileSize)
        }
        if JSONReader<ExchangeError>.isObject(bytes) {
            return try TaskVaultJSON.read(bytes, receive)
        }
        return try readTable(bytes, receive)
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
    mutating func deliver(
        _ secret: ImportedSecret, _ value: borrowing SecretBytes, to receive: SecretReceiver
    ) throws {
        // An imported file must not say whom to trust with a password, nor bring text without its task.
        guard !secret.name.isReserved else { return skip(secret.line, .reserved) }
        guard value.count <= SecretLimits.maximumValueSize else {
            return skip(
                secret.line, .refused(.tooLarge(maximum: SecretLimits.maximumValueSize)))
        }
        do {
            try receive(secret, value)
            report.imported += 1
        } catch let error as SecureStoreError where error.isOfOneSecret {
            skip(secret.line, .refused(error))
        }
    }

    mutating func skip(_ line: Int, _ reason: SkipReason) {
        report.skipped.append(ImportReport.Skip(line: line, reason: reason))
    }

    mutating func note(_ line: Int, _ changes: [NameChange]) {
        for change in changes {
            let alteration = ImportReport.Alteration(line: line, change: change)
            if report.altered.last != alteration { report.altered.append(alteration) }
        }
    }
}
