internal import SecureStorage

/// A type whose values an agent sends in a list, such as the description of a secret.
protocol ListPageElement: Sendable {
    /// The message type of a page with such elements.
    static var pageType: UInt8 { get }

    /// Decodes an element; nil for invalid bytes.
    init?(from reader: inout ByteReader)

    /// Encodes the element.
    func write(to writer: inout ByteWriter)
}

/// A part of a list, sent as one message.
struct ListPage<Element: Sendable>: Sendable {
    let elements: [Element]
}

extension ListPage: AgentMessage where Element: ListPageElement {
    static var messageType: UInt8 { Element.pageType }

    init?(from reader: inout ByteReader) {
        guard let elements = reader.counted({ Element(from: &$0) }) else { return nil }
        self.init(elements: elements)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(UInt32(elements.count))
        for element in elements { element.write(to: &writer) }
    }
}

/// Encodes a list as pages of about 64 KiB each. They need a tenth of the memory of the decoded elements.
struct ListPageEncoder<Element: ListPageElement> {
    private var pages: [[UInt8]] = []
    private var page = Self.emptyPage
    private var count: UInt32 = 0

    mutating func add(_ element: Element) {
        element.write(to: &page)
        noteElement()
    }

    /// Adds an encoded element.
    mutating func add(encoded bytes: RawSpan) {
        page.raw(bytes)
        noteElement()
    }

    /// The encoded pages; the last one may be small. A list without elements has none.
    mutating func finish() -> [[UInt8]] {
        if count > 0 { endPage() }
        return pages
    }

    private static var emptyPage: ByteWriter {
        // Most elements are small.
        var page = ByteWriter(capacity: AgentProtocol.pageSize + 1_024)
        page.integer(Element.pageType)
        page.integer(UInt32(0))
        return page
    }

    private mutating func noteElement() {
        count += 1
        if page.bytes.count >= AgentProtocol.pageSize { endPage() }
    }

    private mutating func endPage() {
        page.overwrite(count, at: 1)
        pages.append(page.bytes)
        page = Self.emptyPage
        count = 0
    }
}
