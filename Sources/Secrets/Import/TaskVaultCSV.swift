internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Writes the records of TaskVault's own CSV.
enum TaskVaultCSV {
    static func write<SinkFailure: Error>(
        _ item: SecretItem, _ value: borrowing SecretBytes,
        to output: inout ExportBuffer<SinkFailure>
    ) throws(ExportError<SinkFailure>) {
        let encoding = value.withBytes { ValueEncoding.suiting($0) }
        for column in TaskVaultColumn.allCases {
            try output.append(column == .service ? "\"" : ",\"")
            switch column {
            case .service: try append(item.name.service, to: &output)
            case .account: try append(item.name.account, to: &output)
            case .label: try append(item.attributes.label, to: &output)
            case .accessClass: try output.append(item.attributes.accessClass.exchangeName)
            case .created: try output.append(Timestamp.text(item.created))
            case .modified: try output.append(Timestamp.text(item.modified))
            case .encoding: try output.append(encoding.rawValue)
            case .extra: try append(TaskVaultJSON.list(item.attributes.extra), to: &output)
            case .value:
                try value.withBytes { (bytes) throws(ExportError<SinkFailure>) in
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

    private static func append<SinkFailure: Error>(
        _ text: String, to output: inout ExportBuffer<SinkFailure>
    ) throws(ExportError<SinkFailure>) {
        let bytes = Array(text.utf8)
        // Safe: the array outlives the span.
        try output.appendDoublingQuotes(unsafe bytes.span.bytes)
    }
}
