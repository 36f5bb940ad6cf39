internal import SecureStorage
internal import VaultCore

/// The answer to a list, encoded item by item: payloads of about 64 KiB, a tenth of the memory of the items.
struct ItemPages {
    private var pages: [[UInt8]] = []
    private var items = ByteWriter()
    private var count: UInt32 = 0

    /// Adds an item.
    mutating func add(_ item: SecretItem) {
        items.item(item)
        count += 1
        if items.bytes.count >= AgentProtocol.pageSize { endPage() }
    }

    /// The payloads; the last one may be small. Empty without items.
    mutating func finish() -> [[UInt8]] {
        if count > 0 { endPage() }
        return pages
    }

    private mutating func endPage() {
        var page = ByteWriter()
        page.integer(AgentProtocol.AnswerType.items.rawValue)
        page.integer(count)
        page.raw(items.bytes)
        pages.append(page.bytes)
        items = ByteWriter()
        count = 0
    }
}
