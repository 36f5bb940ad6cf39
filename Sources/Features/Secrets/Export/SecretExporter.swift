public import SecretMemory
public import SecureStorage
internal import TextCoding

/// A file format of exports.
public enum ExportFormat: Sendable, Hashable, CaseIterable {
    /// TaskVault's JSON.
    case json
    /// TaskVault's CSV, for spreadsheets and other password managers.
    case csv
    /// KeePass 2 XML without encryption, which KeePassXC and KeePass import.
    case keePassXML
}

/// Writes secrets **in plaintext**, as a file that ``SecretImport`` restores: exactly from JSON and CSV.
///
/// The sink gets the file in pieces. They are in guarded memory, and wiped after the call. Not
/// thread-safe.
///
/// JSON (RFC 8259), with times in RFC 3339 UTC and one item per line:
/// ```
/// {"format":"taskvault-export","version":1,"items":[
/// {"service":"example.org","account":"alice","field":"password","label":"","class":"while-unlocked",
///  "created":"2026-03-01T09:05:00.120Z","modified":"2026-03-01T09:05:00.120Z","extra":[{"key":"url","text":"https://example.org"}],"value_base64":"aHVudGVyMg=="}
/// ]}
/// ```
/// CSV (RFC 4180) has the columns `service`, `account`, `field`, `label`, `class`, `created`,
/// `modified`, `value`, `value_encoding` and `extra`. All fields are in quotes, and lines end with
/// CR LF.
///
/// `value_encoding` is `text`, or `base64` if the value is not UTF-8 or contains NUL or CR. `extra`
/// is the JSON list.
///
/// KeePass XML has an `Entry` for each service and account, which must follow each other:
///
/// | here | there |
/// | --- | --- |
/// | service, account | `Title`, `UserName` |
/// | fields `password`, `notes`, `url`, `totp` | `Password`, `Notes`, `URL`, `otp` (an `otpauth` URI) |
/// | other fields | strings of the same name |
/// | addresses | `URL`, `KP2A_URL`, `KP2A_URL_1` and so on |
/// | tags, times | `Tags`, `Times` |
/// | another label than the service, the class after-verification, other attributes | `CustomData` |
///
/// All values have `ProtectInMemory`. XML cannot hold values that are not UTF-8, or have control
/// characters other than tabs and line ends.
///
/// - Warning: A value or a name that starts with `=`, `+`, `-` or `@` is written unchanged, so that
///   an import restores it. A spreadsheet that opens the CSV file may run it as a formula. Import
///   it there as text.
public struct SecretExporter: ~Copyable {
    private let format: ExportFormat
    private var output: ExportBuffer
    private var isEmpty = true
    private var keePass = KeePassXMLWriter()

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - format: The file's format.
    ///   - sink: Gets the next piece of at most 64 KiB. It must write or copy the piece before it
    ///     returns.
    /// - Throws: `SecretMemoryError.outOfMemory`, or an error of the sink.
    public init(
        _ format: ExportFormat, to sink: @escaping (RawSpan) throws -> Void
    ) throws {
        self.format = format
        var output = try ExportBuffer(to: sink)
        switch format {
        case .json:
            try output.append(TaskVaultJSON.head)
        case .csv:
            let header = TaskVaultColumn.allCases.map { "\"\($0.rawValue)\"" }
            try output.append(header.joined(separator: ",") + "\r\n")
        case .keePassXML:
            try output.append(KeePassXMLWriter.head)
        }
        self.output = output
    }

    /// Writes one secret.
    ///
    /// - Returns: `false` for a value that the format cannot hold, which is left out.
    /// - Throws: `SecretMemoryError.outOfMemory`, or an error of the sink, after which the file is
    ///   invalid.
    @discardableResult
    public mutating func write(
        _ item: SecretItem, _ value: borrowing SecretBytes
    ) throws -> Bool {
        switch format {
        case .json:
            try output.append(isEmpty ? "\n" : ",\n")
            try TaskVaultJSON.write(item, value, to: &output)
        case .csv:
            try TaskVaultCSV.write(item, value, to: &output)
        case .keePassXML:
            return try keePass.write(item, value, to: &output)
        }
        isEmpty = false
        return true
    }

    /// Ends the file and writes its last piece. A file without this call is incomplete.
    ///
    /// - Throws: An error of the sink.
    public consuming func finish() throws {
        switch format {
        case .json: try output.append(isEmpty ? "]}\n" : "\n]}\n")
        case .csv: break
        case .keePassXML:
            try keePass.endEntry(&output)
            try output.append(KeePassXMLWriter.end)
        }
        try output.flush()
    }
}

/// Collects output in guarded memory, because the sink takes large pieces.
struct ExportBuffer: ~Copyable {
    /// The number of bytes encoded at once: a multiple of three, so that only the last block has
    /// padding.
    private static var blockSize: Int { 3_072 }

    private var bytes: SecretBytes
    private var used = 0
    private let sink: (RawSpan) throws -> Void

    init(
        to sink: @escaping (RawSpan) throws -> Void
    ) throws {
        self.sink = sink
        bytes = try SecretBytes(count: 65_536)
    }

    mutating func append(_ piece: RawSpan) throws {
        var offset = 0
        while offset < piece.byteCount {
            if used == bytes.count { try flush() }
            let count = min(piece.byteCount - offset, bytes.count - used)
            let part = piece.extracting(offset..<(offset + count))
            bytes.withMutableBytes { $0.copy(part, at: used) }
            used += count
            offset += count
        }
    }

    /// Appends text that is not secret.
    mutating func append(_ text: String) throws {
        let bytes = Array(text.utf8)
        // Safe: the array outlives the span.
        try append(unsafe bytes.span.bytes)
    }

    /// Appends bytes with doubled quotation marks.
    mutating func appendDoublingQuotes(_ piece: RawSpan) throws {
        var start = 0
        for offset in 0..<piece.byteCount where piece[offset] == Byte.quote {
            // The quotation mark ends one part and starts the next.
            try append(piece.extracting(start..<(offset + 1)))
            start = offset
        }
        try append(piece.extracting(start..<piece.byteCount))
    }

    /// Appends bytes as Base64.
    mutating func appendBase64(_ value: RawSpan) throws {
        var text = try SecretBytes(count: Base64.size(encoding: Self.blockSize))
        var offset = 0
        while offset < value.byteCount {
            let end = min(offset + Self.blockSize, value.byteCount)
            let block = value.extracting(offset..<end)
            text.withMutableBytes { Base64.encode(block, into: &$0) }
            try text.withBytes { (bytes) throws in
                try append(bytes.extracting(0..<Base64.size(encoding: block.byteCount)))
            }
            offset = end
        }
    }

    /// Writes the remaining bytes.
    mutating func flush() throws {
        guard used > 0 else { return }
        try bytes.withBytes { (bytes) throws in try sink(bytes.extracting(0..<used)) }
        used = 0
    }
}
