internal import SecureStorage

/// An element of a list.
protocol ListPageElement: Sendable {
    /// The type of a page of such descriptions.
    static var pageType: UInt8 { get }

    /// Decodes a description; nil for invalid bytes.
    init?(from reader: inout ByteReader)

    /// Encodes the description.
    func write(to writer: inout ByteWriter)
}

/// A part of a list.
struct ListPage<Element: ListPageElement>: AgentMessage {
    static var messageType: UInt8 { Element.pageType }

    let elements: [Element]
}

extension ListPage {
    init?(from reader: inout ByteReader) {
        guard let elements = reader.counted({ Element(from: &$0) }) else { return nil }
        self.init(elements: elements)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(UInt32(elements.count))
        for element in elements { element.write(to: &writer) }
    }
}

/// The payloads of a list: about 64 KiB each, a tenth of the memory of the decoded descriptions.
struct ListPageEncoder<Element: ListPageElement> {
    private var pages: [[UInt8]] = []
    private var page = Self.emptyPage
    private var count: UInt32 = 0

    mutating func add(_ element: Element) {
        element.write(to: &page)
        noteElement()
    }

    /// Adds an encoded description.
    mutating func add(encoded bytes: RawSpan) {
        page.raw(bytes)
        noteElement()
    }

    /// The payloads; the last one may be small. Without descriptions there are none.
    mutating func finish() -> [[UInt8]] {
        if count > 0 { endPage() }
        return pages
    }

    private static var emptyPage: ByteWriter {
        // Most descriptions are small.
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
