internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// How a value stands in TaskVault's own CSV.
enum ValueEncoding: String {
    /// As it is.
    case text
    /// In base64: it is not UTF-8, or has a NUL or a CR, which programs that handle CSV tend to change.
    case base64

    /// The encoding that keeps `value` as it is.
    static func suiting(_ value: RawSpan) -> ValueEncoding {
        value.contains(0) || value.contains(Byte.carriageReturn) || !value.isUTF8 ? .base64 : .text
    }
}

/// Turns the records of TaskVault's own CSV into secrets.
struct TaskVaultTable {
    private let indices: [TaskVaultColumn: Int]

    /// Makes a table if the header has the columns of this format and no others.
    init?(columns: [String]) {
        guard columns.count == TaskVaultColumn.allCases.count else { return nil }
        var indices: [TaskVaultColumn: Int] = [:]
        for (index, name) in columns.enumerated() {
            guard let column = TaskVaultColumn(rawValue: name) else { return nil }
            indices[column] = index
        }
        self.indices = indices
    }

    /// Hands on the secret of one record.
    func read(
        _ record: CSVRecord, in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws(ExchangeError) {
        let row = Row(record: record, indices: indices)
        let description = TaskVaultRecord(
            line: record.line,
            service: try row.text(.service, in: bytes),
            account: try row.text(.account, in: bytes),
            attributes: SecretAttributes(
                label: try row.text(.label, in: bytes),
                accessClass: try row.parsed(
                    .accessClass, in: bytes, AccessClass.init(exchangeName:)),
                extra: try row.parsed(.extra, in: bytes, AttributeList.read)),
            created: try row.parsed(.created, in: bytes, Timestamp.milliseconds),
            modified: try row.parsed(.modified, in: bytes, Timestamp.milliseconds))
        let encoding = try row.parsed(.encoding, in: bytes, ValueEncoding.init(rawValue:))
        try row.field(.value).withSecret(in: bytes) { (value) throws(ExchangeError) in
            if encoding == .base64 { try decode(&value, row) }
            try description.deliver(value, &run, receive)
        }
    }

    /// Decodes base64 in place of its text.
    private func decode(_ value: inout SecretBytes, _ row: Row) throws(ExchangeError) {
        let text: SecretBytes
        do {
            text = try value.copy()
        } catch {
            throw .outOfMemory
        }
        guard text.withBytes({ Base64.decode($0, into: &value) }) else {
            throw row.invalid(.value)
        }
    }

    private struct Row {
        let record: CSVRecord
        let indices: [TaskVaultColumn: Int]

        func index(_ column: TaskVaultColumn) -> Int {
            indices[column] ?? 0  // Never 0 for want of a column: the table has all of them.
        }

        func field(_ column: TaskVaultColumn) -> CSVField { record.fields[index(column)] }

        func text(_ column: TaskVaultColumn, in bytes: RawSpan) throws(ExchangeError) -> String {
            try field(column).text(in: bytes, line: record.line, column: index(column) + 1)
        }

        func parsed<Result>(
            _ column: TaskVaultColumn, in bytes: RawSpan, _ parse: (String) -> Result?
        ) throws(ExchangeError) -> Result {
            guard let result = parse(try text(column, in: bytes)) else { throw invalid(column) }
            return result
        }

        func invalid(_ column: TaskVaultColumn) -> ExchangeError {
            .invalidField(line: record.line, column: index(column) + 1)
        }
    }
}
