internal import SecureStorage
internal import VaultCore

/// The answer to a list, encoded part by part: payloads of about 64 KiB, a tenth of the memory of the items.
struct AnswerPages {
    private let type: AgentProtocol.AnswerType
    private var pages: [[UInt8]] = []
    private var parts = ByteWriter()
    private var count: UInt32 = 0

    /// Begins pages of this type.
    init(_ type: AgentProtocol.AnswerType) {
        self.type = type
    }

    /// Adds a part, which `write` encodes.
    mutating func add(_ write: (inout ByteWriter) -> Void) {
        write(&parts)
        count += 1
        if parts.bytes.count >= AgentProtocol.pageSize { endPage() }
    }

    /// The payloads; the last one may be small. Empty without parts.
    mutating func finish() -> [[UInt8]] {
        if count > 0 { endPage() }
        return pages
    }

    private mutating func endPage() {
        var page = ByteWriter()
        page.integer(type.rawValue)
        page.integer(count)
        page.raw(parts.bytes)
        pages.append(page.bytes)
        parts = ByteWriter()
        count = 0
    }
}
