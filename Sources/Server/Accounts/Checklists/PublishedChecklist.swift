public import TextCoding

/// A checklist that the operator publishes, and that each account can read.
public struct PublishedChecklist: Sendable, Hashable {
    /// The id of the checklist: 1 to 64 of `a` to `z`, `0` to `9` and hyphens.
    public let id: String
    /// How often the id was published.
    public var revision: Int64
    /// The time of publication.
    public let published: PointInTime
    /// The title.
    public let title: String
    /// The summary; may be empty.
    public let summary: String
    /// The https address of a picture.
    public let picture: String?
    /// The number of its items.
    public let count: Int
    /// The items, as a JSON array of objects with `title` and `details`; empty in a list.
    public let items: String

    /// Makes a checklist.
    public init(
        id: String, revision: Int64 = 1, published: PointInTime, title: String, summary: String,
        picture: String?, count: Int, items: String
    ) {
        self.id = id
        self.revision = revision
        self.published = published
        self.title = title
        self.summary = summary
        self.picture = picture
        self.count = count
        self.items = items
    }
}

extension AccountAdministration {
    /// Publishes a checklist; it replaces an earlier one of the same id.
    ///
    /// - Returns: The stored checklist, with its revision.
    /// - Throws: An error of the database.
    public func publish(_ checklist: PublishedChecklist) throws -> PublishedChecklist {
        try repository.change { transaction in
            var published = checklist
            published.revision = (try transaction.checklist(checklist.id)?.revision ?? 0) + 1
            try transaction.put(published)
            return published
        }
    }

    /// All checklists, by title and id, without their items.
    ///
    /// - Throws: An error of the database.
    public func checklists() throws -> [PublishedChecklist] {
        try repository.read { try $0.checklists() }
    }

    /// Removes a checklist.
    ///
    /// - Throws: `missing`; an error of the database.
    public func removeChecklist(_ id: String) throws {
        try repository.change { transaction in
            guard try transaction.removeChecklist(id) else { throw AccountError.missing }
        }
    }
}

/// Why the file of a checklist is refused.
public enum ChecklistFault: Error, Sendable, Hashable {
    /// It is not JSON, or a value has another type.
    case notJSON(line: Int)
    /// A member is missing, repeated, unknown, or not as it should be.
    case member(String)
}

extension ChecklistFault: JSONReadingFailure {
    package static func invalidJSON(line: Int) -> ChecklistFault { .notJSON(line: line) }
}

/// The form of a file (`Docs/AuthProtocol.md`).
extension PublishedChecklist {
    /// The member `format` of a file and of an answer.
    public static let format = "taskvault-checklist"
    /// The largest file, in bytes.
    public static let maximumSize = 1_048_576
    private static let maximumItems = 1_000

    /// Reads a file.
    ///
    /// - Throws: ``ChecklistFault``.
    public init(file bytes: RawSpan, at now: PointInTime) throws {
        var members = Members()
        var reader = JSONReader<ChecklistFault>(bytes)
        var seen: Set<String> = []
        while let key = try reader.nextKey(in: bytes, isFirst: seen.isEmpty) {
            guard seen.insert(key).inserted else { throw ChecklistFault.member(key) }
            switch key {
            case "format":
                guard try reader.text(in: bytes) == Self.format else {
                    throw ChecklistFault.member(key)
                }
            case "version":
                guard try reader.number(in: bytes) == 1 else { throw ChecklistFault.member(key) }
            case "id": members.id = try reader.text(in: bytes)
            case "title": members.title = try reader.text(in: bytes)
            case "summary": members.summary = try reader.text(in: bytes)
            case "picture":
                if try !reader.skipNull(in: bytes) { members.picture = try reader.text(in: bytes) }
            case "items": (members.count, members.items) = try Self.items(&reader, bytes)
            default: throw ChecklistFault.member(key)
            }
        }
        try reader.expectEnd(in: bytes)
        for key in ["format", "version", "id", "title", "items"] where !seen.contains(key) {
            throw ChecklistFault.member(key)
        }
        try members.check()
        self.init(
            id: members.id, published: now, title: members.title, summary: members.summary,
            picture: members.picture, count: members.count, items: members.items)
    }

    private struct Members {
        var id = ""
        var title = ""
        var summary = ""
        var picture: String?
        var count = 0
        var items = ""

        func check() throws {
            guard PublishedChecklist.isID(id) else { throw ChecklistFault.member("id") }
            guard PublishedChecklist.isText(title, 1...200) else {
                throw ChecklistFault.member("title")
            }
            guard PublishedChecklist.isText(summary, 0...4_096, lines: true) else {
                throw ChecklistFault.member("summary")
            }
            guard picture.map(PublishedChecklist.isAddress) ?? true else {
                throw ChecklistFault.member("picture")
            }
            guard count > 0 else { throw ChecklistFault.member("items") }
        }
    }

    /// Whether a text can be an id.
    public static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: byte == UInt8(ascii: "-")
                }
            }
    }

    private static func isText(
        _ text: String, _ size: ClosedRange<Int>, lines: Bool = false
    ) -> Bool {
        size.contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar == "\n" ? lines : scalar.properties.generalCategory != .control
            }
    }

    private static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("https://") && (9...2_048).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Reads the items, and writes them in one form.
    private static func items(
        _ reader: inout JSONReader<ChecklistFault>, _ bytes: RawSpan
    ) throws -> (count: Int, text: String) {
        var items: [UInt8] = []
        var count = 0
        while try reader.nextElement(in: bytes, isFirst: count == 0) {
            var title: String?
            var details: String?
            var isFirst = true
            while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
                isFirst = false
                switch key {
                case "title" where title == nil: title = try reader.text(in: bytes)
                case "details" where details == nil: details = try reader.text(in: bytes)
                default: throw ChecklistFault.member("items." + key)
                }
            }
            guard let title, isText(title, 1...200) else {
                throw ChecklistFault.member("items.title")
            }
            guard isText(details ?? "", 0...8_192, lines: true) else {
                throw ChecklistFault.member("items.details")
            }
            count += 1
            guard count <= maximumItems else { throw ChecklistFault.member("items") }
            items += (count == 1 ? "{\"title\":" : ",{\"title\":").utf8
            JSONEscaping.append(quoted: title, to: &items)
            items += ",\"details\":".utf8
            JSONEscaping.append(quoted: details ?? "", to: &items)
            items.append(UInt8(ascii: "}"))
        }
        return (count, "[" + String(decoding: items, as: UTF8.self) + "]")
    }
}
