package import HTTPClient
internal import SignIn
internal import TextCoding

/// A checklist that a server publishes: items with details.
package struct Checklist: Sendable, Hashable {
    /// An item of a checklist.
    package struct Item: Sendable, Hashable {
        /// The title.
        package let title: String
        /// Additional text; may be empty.
        package let details: String
    }

    private static let maximumItems = 1_000

    /// The id on the server.
    package let id: String
    /// The number of times that this id was published.
    package let revision: Int64
    /// The title.
    package let title: String
    /// The purpose; may be empty.
    package let summary: String
    /// The URL of a picture. The vault never stores the picture.
    package let picture: WebURL?
    /// The items.
    package let items: [Item]

    /// Reads a checklist (`Docs/AuthProtocol.md`).
    ///
    /// - Returns: nil if the content is not a checklist.
    package init?(_ bytes: RawSpan) {
        guard let object = JSONObject(answer: bytes),
            object.text("format", in: bytes) == "taskvault-checklist",
            object.number("version", in: bytes) == 1,
            let entry = ChecklistEntry(object, bytes),
            let ranges = object.elements("items", in: bytes), ranges.count <= Self.maximumItems
        else { return nil }
        var items: [Item] = []
        for range in ranges {
            let part = bytes.extracting(range)
            guard let item = JSONObject(answer: part), let title = item.text("title", in: part),
                !title.isEmpty
            else { return nil }
            items.append(Item(title: title, details: item.text("details", in: part) ?? ""))
        }
        id = entry.id
        revision = entry.revision
        title = entry.title
        summary = entry.summary
        picture = entry.picture
        self.items = items
    }

    /// Whether a text can be an id: 1 to 64 characters of `a` to `z`, `0` to `9` and `-`.
    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
    }
}

/// A checklist in a server's list, without its items.
package struct ChecklistEntry: Sendable, Hashable {
    /// The id on the server.
    package let id: String
    /// The number of times that this id was published.
    package let revision: Int64
    /// The title.
    package let title: String
    /// The purpose; may be empty.
    package let summary: String
    /// The URL of a picture.
    package let picture: WebURL?
    /// The number of items; 0 in the data of a single checklist.
    package let count: Int64

    fileprivate init?(_ object: JSONObject, _ bytes: RawSpan) {
        guard let id = object.text("id", in: bytes), Checklist.isID(id),
            let title = object.text("title", in: bytes), !title.isEmpty
        else { return nil }
        self.id = id
        revision = object.number("revision", in: bytes) ?? 0
        self.title = title
        summary = object.text("summary", in: bytes) ?? ""
        picture = object.text("picture", in: bytes).flatMap { try? WebURL($0) }
        count = object.number("items", in: bytes) ?? 0
    }

    /// The list entry of a saved checklist.
    package init(_ checklist: Checklist) {
        id = checklist.id
        revision = checklist.revision
        title = checklist.title
        summary = checklist.summary
        picture = checklist.picture
        count = Int64(checklist.items.count)
    }

    /// Reads a server's list; nil if the content is not a list.
    package static func list(_ bytes: RawSpan) -> [ChecklistEntry]? {
        guard let object = JSONObject(answer: bytes),
            let ranges = object.elements("checklists", in: bytes)
        else { return nil }
        var entries: [ChecklistEntry] = []
        for range in ranges {
            let part = bytes.extracting(range)
            guard let object = JSONObject(answer: part), let entry = ChecklistEntry(object, part)
            else {
                return nil
            }
            entries.append(entry)
        }
        return entries
    }
}
