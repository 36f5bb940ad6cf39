package import HTTPClient
package import SecretMemory
internal import SecureStorage
internal import SignIn

/// A checklist of the server: items with details.
package struct Checklist: Sendable, Hashable {
    /// An item.
    package struct Item: Sendable, Hashable {
        /// Its title.
        package let title: String
        /// Further text; may be empty.
        package let details: String
    }

    private static let mostItems = 1_000

    /// Its id at the server.
    package let id: String
    /// How often this id was published.
    package let revision: Int64
    /// The title.
    package let title: String
    /// What it is for; may be empty.
    package let summary: String
    /// The address of a picture, which is never kept.
    package let picture: WebURL?
    /// The items.
    package let items: [Item]

    /// Reads a checklist (`Docs/AuthProtocol.md`).
    ///
    /// - Returns: nil for anything else.
    package init?(_ bytes: RawSpan) {
        guard let object = AnswerObject(bytes),
            object.text("format", in: bytes) == "taskvault-checklist",
            object.number("version", in: bytes) == 1,
            let entry = ChecklistEntry(object, bytes),
            let ranges = object.elements("items", in: bytes), ranges.count <= Self.mostItems
        else { return nil }
        var items: [Item] = []
        for range in ranges {
            let part = bytes.extracting(range)
            guard let item = AnswerObject(part), let title = item.text("title", in: part),
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

    /// Whether a text can be an id: 1 to 64 of `a` to `z`, `0` to `9` and `-`.
    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
    }
}

/// A checklist in the list of a server: all but its items.
package struct ChecklistEntry: Sendable, Hashable {
    /// Its id at the server.
    package let id: String
    /// How often this id was published.
    package let revision: Int64
    /// The title.
    package let title: String
    /// What it is for; may be empty.
    package let summary: String
    /// The address of a picture.
    package let picture: WebURL?
    /// The number of items; of a whole checklist 0.
    package let count: Int64

    fileprivate init?(_ object: AnswerObject, _ bytes: RawSpan) {
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

    /// A saved checklist as an entry.
    package init(_ checklist: Checklist) {
        id = checklist.id
        revision = checklist.revision
        title = checklist.title
        summary = checklist.summary
        picture = checklist.picture
        count = Int64(checklist.items.count)
    }

    /// Reads the list of a server; nil for anything else.
    package static func list(_ bytes: RawSpan) -> [ChecklistEntry]? {
        guard let object = AnswerObject(bytes),
            let ranges = object.elements("checklists", in: bytes)
        else { return nil }
        var entries: [ChecklistEntry] = []
        for range in ranges {
            let part = bytes.extracting(range)
            guard let object = AnswerObject(part), let entry = ChecklistEntry(object, part) else {
                return nil
            }
            entries.append(entry)
        }
        return entries
    }
}

/// A checklist in the vault.
package struct SavedChecklist: Sendable, Hashable {
    /// The checklist.
    package let checklist: Checklist
    /// The server that it is from.
    package let server: String?
    /// The tag that its server gave.
    package let etag: String?

    fileprivate static let service = SecretName.reservedPrefix + "checklist"
    fileprivate static let serverKey = "server"
    fileprivate static let etagKey = "etag"

    fileprivate static func name(_ id: String) throws -> SecretName {
        try SecretName(service: service, account: id)
    }
}

extension SecretName {
    /// Whether it is a saved checklist.
    var isChecklist: Bool { service.hasSameBytes(as: SavedChecklist.service) }
}

// Saved checklists.
extension InboxStore {
    /// Saves a checklist as its server gave it, or replaces the saved one. Its picture is not part of it.
    ///
    /// - Returns: Whether it is saved: not if another process forbids to save any at this moment.
    package func save(
        _ content: borrowing SecretBytes, _ checklist: Checklist, server: String, etag: String?
    ) throws -> Bool {
        var attributes = SecretAttributes(label: checklist.title)
        attributes[SavedChecklist.serverKey] = server
        attributes[SavedChecklist.etagKey] = etag
        try put(content, as: SavedChecklist.name(checklist.id), attributes)
        // Who forbids it looks for saved ones afterwards, so that one of both sees the other.
        if try settings().allowsSaving { return true }
        do {
            try removeChecklist(checklist.id)
        } catch SecureStoreError.notFound {
            // It was erased with the others.
        }
        return false
    }

    /// The saved checklists, by title.
    package func savedChecklists() throws -> [ChecklistEntry] {
        let names = try store.list().map(\.name).filter(\.isChecklist)
        var entries: [ChecklistEntry] = []
        try store.readEach(names) { _, _, value in
            if let checklist = value.withBytes({ Checklist($0) }) {
                entries.append(ChecklistEntry(checklist))
            }
        }
        return entries.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    }

    /// A saved checklist; nil if there is none of this id.
    package func savedChecklist(_ id: String) throws -> SavedChecklist? {
        do {
            return try store.read(SavedChecklist.name(id)) {
                (item, value) throws(SecureStoreError) -> SavedChecklist? in
                value.withBytes { Checklist($0) }.map {
                    SavedChecklist(
                        checklist: $0, server: item.attributes[SavedChecklist.serverKey],
                        etag: item.attributes[SavedChecklist.etagKey])
                }
            }
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Removes a saved checklist.
    ///
    /// - Throws: `notFound`.
    package func removeChecklist(_ id: String) throws {
        try store.remove(SavedChecklist.name(id), expecting: nil, permanently: true)
    }
}
