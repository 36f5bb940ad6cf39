internal import SecureStorage
internal import VaultCore

/// The answer to a list, made item by item: payloads of some 64 KiB, which take a tenth of the memory that the items would.
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

    /// The payloads, of which the last one may be small; none where there was no item.
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
