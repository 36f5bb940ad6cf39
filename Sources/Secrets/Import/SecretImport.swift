public import SecretMemory
public import SecureStorage
internal import TextCoding

/// Reads secrets from the export of another password manager, or from TaskVault's own.
///
/// The file comes in guarded memory, and each value goes from there straight into guarded memory of its own; names and attributes
/// become ordinary text. The format is recognised by its content (``ExchangeFormat``). Thread-safe: there is no state.
///
/// What becomes what: of TaskVault's own formats everything comes back as it was. Of the others, the title, or else the host of the
/// address, is the service, the user name the account, the password the value. Attributes are visible while a vault is unlocked, so notes, one-time
/// password seeds, custom fields and columns that nobody knows become secrets of their own, with accounts such as `alice (notes)` and
/// `alice (totp)`. All imported secrets but TaskVault's own are of the class ``AccessClass/whileUnlocked``.
///
/// CSV is RFC 4180 in UTF-8; JSON is RFC 8259.
public enum SecretImport {
    /// The largest file, in bytes: 64 MiB.
    public static let maximumFileSize = 67_108_864

    /// Reads the whole file and tells what ``read(_:_:)`` would do, if the receiver took everything.
    ///
    /// - Parameter file: The whole file.
    /// - Returns: The report that an import would give.
    /// - Throws: `ExchangeError`, every case but `store`.
    public static func check(
        _ file: borrowing SecretBytes
    ) throws(ExchangeError) -> ImportReport {
        try file.withBytes { (bytes) throws(ExchangeError) in
            try pass(over: bytes) { (_, _) throws(SecureStoreError) in }
        }
    }

    /// Reads the whole file twice: once to see that all of it can be read, and then to hand on its secrets.
    ///
    /// So a file that cannot be read gives an error before the first secret was handed on.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - receive: Takes one secret after the other; the value lives for the length of the call. If it throws `duplicate`, `tooLarge`
    ///     or `invalidName`, the secret is reported as skipped; any other error ends the import, and what was taken remains taken.
    /// - Returns: What was imported, skipped and renamed.
    /// - Throws: `ExchangeError.store` with the receiver's error, or the reason why the file cannot be read.
    public static func read(
        _ file: borrowing SecretBytes,
        _ receive: (ImportedSecret, borrowing SecretBytes) throws(SecureStoreError) -> Void
    ) throws(ExchangeError) -> ImportReport {
        _ = try check(file)
        return try file.withBytes { (bytes) throws(ExchangeError) in
            try pass(over: bytes, receive)
        }
    }

    private static func pass(
        over bytes: RawSpan, _ receive: SecretReceiver
    ) throws(ExchangeError) -> ImportReport {
        guard bytes.byteCount <= maximumFileSize else {
            throw .tooLarge(maximum: maximumFileSize)
        }
        if JSONReader<ExchangeError>.isObject(bytes) {
            return try TaskVaultJSONImport.read(bytes, receive)
        }
        return try readTable(bytes, receive)
    }

    private static func readTable(
        _ bytes: RawSpan, _ receive: SecretReceiver
    ) throws(ExchangeError) -> ImportReport {
        var reader = CSVReader(bytes)
        guard let header = try reader.next(in: bytes) else { throw .empty }
        let columns = try columnNames(header, in: bytes)
        guard let format = format(of: columns) else { throw .unknownFormat }
        var run = ImportRun(format)
        let logins = LoginTable(format, columns: columns)
        let ownTable = TaskVaultTable(columns: columns)
        while let record = try reader.next(in: bytes) {
            guard record.fields.count == columns.count else {
                throw .wrongFieldCount(
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
    ) throws(ExchangeError) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for (index, field) in header.fields.enumerated() {
            let name = try field.text(in: bytes, line: header.line, column: index + 1)
            guard seen.insert(name.lowercased()).inserted else {
                throw .duplicateColumn(column: index + 1)
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
