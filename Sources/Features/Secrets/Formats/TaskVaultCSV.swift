internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The columns of TaskVault's CSV, in order.
enum TaskVaultColumn: String, CaseIterable {
    case service, account, field, label
    case accessClass = "class"
    case created, modified, value
    case encoding = "value_encoding"
    case extra
}

/// The writer of TaskVault's CSV, see ``SecretExporter``.
enum TaskVaultCSV {
    /// Writes one record.
    static func write(
        _ item: SecretItem, _ value: borrowing SecretBytes, to output: inout ExportBuffer
    ) throws {
        let encoding = value.withBytes { ValueEncoding.preserving($0) }
        for column in TaskVaultColumn.allCases {
            try output.append(column == .service ? "\"" : ",\"")
            switch column {
            case .service: try append(item.name.service, to: &output)
            case .account: try append(item.name.account, to: &output)
            case .field: try append(item.name.field, to: &output)
            case .label: try append(item.attributes.label, to: &output)
            case .accessClass: try output.append(item.attributes.accessClass.exchangeName)
            case .created: try output.append(Timestamp.text(item.created))
            case .modified: try output.append(Timestamp.text(item.modified))
            case .encoding: try output.append(encoding.rawValue)
            case .extra: try append(TaskVaultJSON.list(item.attributes.extra), to: &output)
            case .value:
                try value.withBytes { (bytes) throws in
                    switch encoding {
                    case .text: try output.appendDoublingQuotes(bytes)
                    case .base64: try output.appendBase64(bytes)
                    }
                }
            }
            try output.append("\"")
        }
        try output.append("\r\n")
    }

    private static func append(_ text: String, to output: inout ExportBuffer) throws {
        let bytes = Array(text.utf8)
        // Safe: the array outlives the span.
        try output.appendDoublingQuotes(unsafe bytes.span.bytes)
    }
}

/// The encoding of a value in TaskVault's CSV.
enum ValueEncoding: String {
    /// The unchanged value.
    case text
    /// Base64, for a value that is not UTF-8 or contains NUL or CR. CSV programs tend to change
    /// those.
    case base64

    /// The encoding that preserves `value`.
    static func preserving(_ value: RawSpan) -> ValueEncoding {
        value.contains(0) || value.contains(Byte.carriageReturn) || !value.isUTF8 ? .base64 : .text
    }
}

/// The reader of TaskVault's CSV.
struct TaskVaultTable {
    private let indices: [TaskVaultColumn: Int]

    /// Makes a reader; nil if the header has other columns.
    init?(columns: [String]) {
        guard columns.count == TaskVaultColumn.allCases.count else { return nil }
        var indices: [TaskVaultColumn: Int] = [:]
        for (index, name) in columns.enumerated() {
            guard let column = TaskVaultColumn(rawValue: name) else { return nil }
            indices[column] = index
        }
        self.indices = indices
    }

    /// Delivers the secret of one record.
    func read(
        _ record: CSVRecord, in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws {
        let row = Row(record: record, indices: indices)
        let description = TaskVaultRecord(
            line: record.line,
            service: try row.text(.service, in: bytes),
            account: try row.text(.account, in: bytes),
            field: try row.text(.field, in: bytes),
            attributes: SecretAttributes(
                label: try row.text(.label, in: bytes),
                accessClass: try row.parse(
                    .accessClass, in: bytes, AccessClass.init(exchangeName:)),
                extra: try row.parse(.extra, in: bytes, AttributeList.read)),
            created: try row.parse(.created, in: bytes, Timestamp.milliseconds),
            modified: try row.parse(.modified, in: bytes, Timestamp.milliseconds))
        let encoding = try row.parse(.encoding, in: bytes, ValueEncoding.init(rawValue:))
        try row.field(.value).withSecret(in: bytes) { (value) throws in
            if encoding == .base64 { try decode(&value, row) }
            try description.deliver(value, &run, receive)
        }
    }

    /// Replaces Base64 text with its bytes.
    private func decode(_ value: inout SecretBytes, _ row: Row) throws {
        let text = try value.copy()
        guard text.withBytes({ Base64.decode($0, .standard, into: &value) }) else {
            throw row.invalid(.value)
        }
    }

    private struct Row {
        let record: CSVRecord
        let indices: [TaskVaultColumn: Int]

        func index(_ column: TaskVaultColumn) -> Int {
            indices[column] ?? 0  // The table has all columns.
        }

        func field(_ column: TaskVaultColumn) -> CSVField { record.fields[index(column)] }

        func text(_ column: TaskVaultColumn, in bytes: RawSpan) throws -> String {
            try field(column).text(in: bytes, line: record.line, column: index(column) + 1)
        }

        func parse<Result>(
            _ column: TaskVaultColumn, in bytes: RawSpan, _ parse: (String) -> Result?
        ) throws -> Result {
            guard let result = parse(try text(column, in: bytes)) else { throw invalid(column) }
            return result
        }

        func invalid(_ column: TaskVaultColumn) -> ExchangeError {
            .invalidField(line: record.line, column: index(column) + 1)
        }
    }
}

extension AccessClass {
    /// The name of the class in exports and on the command line.
    var exchangeName: String {
        switch self {
        case .whileUnlocked: "while-unlocked"
        case .afterVerification: "after-verification"
        }
    }

    init?(exchangeName: String) {
        guard let found = Self.allCases.first(where: { $0.exchangeName == exchangeName }) else {
            return nil
        }
        self = found
    }
}

/// A secret without its value, in TaskVault's formats.
struct TaskVaultRecord {
    let line: Int
    let service: String
    let account: String
    let field: String
    let attributes: SecretAttributes
    let created: Int64
    let modified: Int64

    private var title: String {
        [service, account, field == SecretName.standardField ? "" : field]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Delivers the secret. If an edited file repeats the name, the secret gets a numbered name.
    func deliver(
        _ value: borrowing SecretBytes, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws {
        let claim: ImportRun.Claim?
        do {
            // Unlike the names of other programs, an invalid name is not corrected.
            _ = try SecretName(service: service, account: account, field: field)
            let name = RecordName(service: service, account: NameText(account), field: field)
            claim = try run.claim(name, line, title, attributes)
        } catch let error as SecureStoreError {
            return run.skip(line, .refused(error), title)
        }
        guard let claim else { return }
        run.reportNameChanges(line, claim.changes, title)
        var attributes = attributes
        attributes.accessClass = claim.accessClass
        let secret = ImportedSecret(
            name: claim.name, attributes: attributes, line: line, created: created,
            modified: modified)
        if let reason = try run.deliver(secret, value, to: receive) {
            run.skip(line, reason, title)
        }
    }
}
