internal import SecureStorage
internal import VaultCore

/// The answer to a list, encoded part by part: payloads of about 64 KiB, a tenth of the memory of the items.
struct AnswerPages {
    private let type: AgentProtocol.AnswerType
    private var pages: [[UInt8]] = []
    private var page: ByteWriter
    private var count: UInt32 = 0

    /// Begins pages of this type.
    init(_ type: AgentProtocol.AnswerType) {
        self.type = type
        page = Self.begun(type)
    }

    /// Adds a part, which `write` encodes.
    mutating func add(_ write: (inout ByteWriter) -> Void) {
        write(&page)
        count += 1
        if page.bytes.count >= AgentProtocol.pageSize { endPage() }
    }

    /// The payloads; the last one may be small. Empty without parts.
    mutating func finish() -> [[UInt8]] {
        if count > 0 { endPage() }
        return pages
    }

    private static func begun(_ type: AgentProtocol.AnswerType) -> ByteWriter {
        // Most parts are small.
        var page = ByteWriter(capacity: AgentProtocol.pageSize + 1_024)
        page.integer(type.rawValue)
        page.integer(UInt32(0))
        return page
    }

    private mutating func endPage() {
        page.overwrite(count, at: 1)
        pages.append(page.bytes)
        page = Self.begun(type)
        count = 0
    }
}
