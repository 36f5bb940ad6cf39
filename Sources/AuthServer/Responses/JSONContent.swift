internal import SecretMemory
internal import TextCoding

/// Collects JSON in memory.
struct JSONContent: ByteSink {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ bytes: RawSpan) throws(OutputError) {
        unsafe bytes.withUnsafeBytes { unsafe self.bytes.append(contentsOf: $0) }
    }

    mutating func write(secret bytes: RawSpan) throws(OutputError) {
        preconditionFailure("no answer has a secret that was guarded")
    }

    /// The bytes of an object whose members `body` writes.
    static func object(
        _ body: (inout JSONWriter<JSONContent>) throws(OutputError) -> Void
    ) -> [UInt8] {
        do throws(OutputError) {
            var json = JSONWriter(JSONContent())
            try json.beginObject()
            try body(&json)
            try json.endObject()
            return try json.finish().bytes
        } catch {
            // Nothing is written to but memory.
            preconditionFailure("\(error)")
        }
    }
}
