public import SecretMemory
public import SecureStorage
internal import TextCoding

/// A file format of an export.
public enum ExportFormat: Sendable, Hashable, CaseIterable {
    /// TaskVault's own JSON.
    case json
    /// TaskVault's own CSV, for spreadsheets and other password managers.
    case csv
}

/// Writes secrets **in plaintext**, as a file that ``SecretImport`` restores exactly.
///
/// The sink gets the file in pieces, which are in guarded memory and wiped at the end. Not for several threads at once.
///
/// JSON (RFC 8259), times in RFC 3339 UTC, one item a line:
/// ```
/// {"format":"taskvault-export","version":1,"items":[
/// {"service":"example.org","account":"alice","field":"password","label":"","class":"while-unlocked",
///  "created":"2026-03-01T09:05:00.120Z","modified":"2026-03-01T09:05:00.120Z","extra":[{"key":"url","text":"https://example.org"}],"value_base64":"aHVudGVyMg=="}
/// ]}
/// ```
/// CSV (RFC 4180): columns `service`, `account`, `field`, `label`, `class`, `created`, `modified`, `value`, `value_encoding`, `extra`; all in
/// quotes, lines ended by CR and LF. `value_encoding` is `text`, or `base64` if the value is not UTF-8 or has a NUL or a CR; `extra` is the
/// same list as in JSON.
///
/// - Warning: A value or a name that begins with `=`, `+`, `-` or `@` is written unchanged, so that an import restores it. A spreadsheet that
///   opens the CSV file may run it as a formula: import it there as text.
public struct SecretExporter: ~Copyable {
    private let format: ExportFormat
    private var output: ExportBuffer
    private var isEmpty = true

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - format: The file's format.
    ///   - sink: Takes the next piece of at most 64 KiB, and writes or copies it before it returns.
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
        }
        self.output = output
    }

    /// Writes one secret.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`, or an error of the sink; the file is then invalid.
    public mutating func write(
        _ item: SecretItem, _ value: borrowing SecretBytes
    ) throws {
        switch format {
        case .json:
            try output.append(isEmpty ? "\n" : ",\n")
            try TaskVaultJSON.write(item, value, to: &output)
        case .csv:
            try TaskVaultCSV.write(item, value, to: &output)
        }
        isEmpty = false
    }

    /// Ends the file and writes its last piece. Without this call the file is incomplete.
    ///
    /// - Throws: An error of the sink.
    public consuming func finish() throws {
        if format == .json { try output.append(isEmpty ? "]}\n" : "\n]}\n") }
        try output.flush()
    }
}

/// Collects output in guarded memory for a sink that takes large pieces.
struct ExportBuffer: ~Copyable {
    /// The number of bytes encoded at once: a multiple of three, so that only the end has padding.
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

    /// Appends bytes with each quotation mark doubled.
    mutating func appendDoublingQuotes(_ piece: RawSpan) throws {
        var start = 0
        for offset in 0..<piece.byteCount where piece[offset] == Byte.quote {
            // The quotation mark ends one part and begins the next.
            try append(piece.extracting(start..<(offset + 1)))
            start = offset
        }
        try append(piece.extracting(start..<piece.byteCount))
    }

    /// Appends bytes in Base64.
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

    /// Writes the rest.
    mutating func flush() throws {
        guard used > 0 else { return }
        try bytes.withBytes { (bytes) throws in try sink(bytes.extracting(0..<used)) }
        used = 0
    }
}
