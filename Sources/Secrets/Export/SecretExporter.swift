public import SecretMemory
public import SecureStorage

/// A file format that secrets are exported to.
public enum ExportFormat: Sendable, Hashable, CaseIterable {
    /// TaskVault's own JSON.
    case json
    /// TaskVault's own CSV, for spreadsheets and other password managers.
    case csv
}

/// Why an export ended.
public enum ExportError<SinkFailure: Error>: Error {
    /// Guarded memory is used up.
    case outOfMemory
    /// The sink failed, with its own error.
    case sink(SinkFailure)
}

/// Writes secrets, **in the clear**, as a file that ``SecretImport`` reads back exactly.
///
/// The file is handed piece by piece to a sink and exists nowhere else; the pieces are in guarded memory, which is wiped at the end. A
/// value has one owner: not for several threads at once.
///
/// JSON (RFC 8259), times in RFC 3339 UTC, one item a line:
/// ```
/// {"format":"taskvault-export","version":1,"items":[
/// {"service":"example.org","account":"alice","label":"","class":"while-unlocked","created":"2026-03-01T09:05:00.120Z",
///  "modified":"2026-03-01T09:05:00.120Z","extra":[{"key":"url","text":"https://example.org"}],"value_base64":"aHVudGVyMg=="}
/// ]}
/// ```
/// CSV (RFC 4180): columns `service`, `account`, `label`, `class`, `created`, `modified`, `value`, `value_encoding`, `extra`; every field in
/// quotes, lines ended by CR and LF. `value_encoding` is `text`, or `base64` where the value is not UTF-8 or holds a NUL or a CR; `extra` is
/// the same list as in JSON.
///
/// - Warning: A value or a name that begins with `=`, `+`, `-` or `@` is written as it is, because it has to come back as it was. A
///   spreadsheet that opens the CSV file may run it as a formula: import it there as text.
public struct SecretExporter<SinkFailure: Error>: ~Copyable {
    private let format: ExportFormat
    private var output: ExportBuffer<SinkFailure>
    private var isEmpty = true

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - format: The file's format.
    ///   - sink: Takes the next piece, at most 64 KiB; it must have written or copied it when it returns.
    /// - Throws: `outOfMemory`, or the sink's error.
    public init(
        _ format: ExportFormat, to sink: @escaping (RawSpan) throws(SinkFailure) -> Void
    ) throws(ExportError<SinkFailure>) {
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
    /// - Throws: `outOfMemory`, or the sink's error; the file is then of no use.
    public mutating func write(
        _ item: SecretItem, _ value: borrowing SecretBytes
    ) throws(ExportError<SinkFailure>) {
        switch format {
        case .json:
            try output.append(isEmpty ? "\n" : ",\n")
            try TaskVaultJSON.write(item, value, to: &output)
        case .csv:
            try TaskVaultCSV.write(item, value, to: &output)
        }
        isEmpty = false
    }

    /// Ends the file and hands on its last piece. Without this call the file is incomplete.
    ///
    /// - Throws: The sink's error.
    public consuming func finish() throws(ExportError<SinkFailure>) {
        if format == .json { try output.append(isEmpty ? "]}\n" : "\n]}\n") }
        try output.flush()
    }
}
