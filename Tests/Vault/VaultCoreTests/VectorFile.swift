@testable import Sealing
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// One file of `Tests/Vectors`: a vault written out as text, and what a reader must answer.
struct VectorFile: Sendable, CustomTestStringConvertible {
    struct Content: Hashable {
        var service: [UInt8] = []
        var account: [UInt8] = []
        var field: [UInt8] = []
        var label: [UInt8] = []
        var accessClass: UInt8 = 0
        var revision: UInt64 = 0
        var created: Int64 = 0
        var modified: Int64 = 0
        var value: [UInt8] = []
        var extra: [[[UInt8]]] = []
    }

    /// The content of an earlier row.
    struct Past: Hashable {
        var id: [UInt8]
        var time: Int64
        var isRemoval: Bool
        var content: Content
    }

    /// The content of a file.
    struct File: Hashable {
        var version: [UInt8]
        var size: UInt64
        var hash: [UInt8]
    }

    /// A part of a backup.
    struct Part: Hashable {
        var kind: UInt8
        var size: Int
        var hash: [UInt8]
    }

    /// The work besides reading the items, or instead of it.
    enum Action: String {
        case rekey, links, earlier, files
    }

    let testDescription: String
    private(set) var expected = ""
    private(set) var isTesting = false
    private(set) var secretKind = ""
    /// The typed secret, or the output of an authenticator.
    private(set) var secret: [UInt8] = []
    /// The salt for which the authenticator has this output.
    private(set) var salt: [UInt8] = []
    private(set) var action: Action?
    private(set) var version: Int32?
    private(set) var rollbackRecord: [UInt8]?
    private(set) var elsewhere: [[UInt8]] = []
    private(set) var header: [UInt8]?
    private(set) var state: [UInt8]?
    private(set) var buckets: [BucketRecord] = []
    private(set) var links: [LinkRecord] = []
    private(set) var items: [ItemRecord] = []
    private(set) var earlier: [EarlierRecord] = []
    private(set) var chunks: [ChunkRecord] = []
    private(set) var files: [File] = []
    private(set) var content: [Content] = []
    private(set) var past: [Past] = []
    private(set) var settings: String?
    private(set) var read: [[UInt8]]?
    private(set) var backup: [UInt8] = []
    /// The key of the machine that made the backup.
    private(set) var machineKey: [UInt8]?
    private(set) var time: Int64?
    private(set) var machine: [UInt8]?
    /// The lines about the parts of a backup that count.
    private(set) var parts: [Part] = []

    /// Parses a file; traps on a line that it does not know, so that no line is passed over.
    init(name: String, text: String) throws {
        testDescription = name
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            let rest = parts.count > 1 ? parts[1] : ""
            try parse(parts[0], rest)
        }
    }

    private mutating func parse(_ key: String, _ rest: String) throws {
        let words = rest.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        switch key {
        case "comment": break
        case "expect": expected = rest
        case "kdf":
            try #require(rest == "testing")
            isTesting = true
        case "unlock":
            secretKind = words[0]
            let typed = String(rest.dropFirst(secretKind.count + 1))
            switch secretKind {
            case "recovery": secret = Array(typed.utf8)
            case "passphrase": secret = try TestVectors.bytes(typed)
            default:
                try #require(secretKind == "key" && words.count == 3)
                (salt, secret) = (try TestVectors.bytes(words[1]), try TestVectors.bytes(words[2]))
            }
        case "do":
            let known: Action = try #require(Action(rawValue: rest))
            action = known
        case "version":
            let number: Int32 = try #require(Int32(rest))
            version = number
        case "rollback_record": rollbackRecord = try TestVectors.bytes(rest)
        case "elsewhere": elsewhere.append(try TestVectors.bytes(rest))
        case "header": header = try TestVectors.bytes(rest)
        case "state": state = try TestVectors.bytes(rest)
        case "item": items.append(try Self.item(words))
        case "earlier": earlier.append(try Self.earlier(words))
        case "chunk":
            chunks.append(
                ChunkRecord(
                    version: try TestVectors.bytes(words[0]), number: try #require(Int64(words[1])),
                    stored: try #require(Int64(words[2])), bytes: try TestVectors.bytes(words[3])))
        case "file":
            files.append(
                File(
                    version: try TestVectors.bytes(words[0]), size: try #require(UInt64(words[1])),
                    hash: try TestVectors.bytes(words[2])))
        case "content": content.append(try Self.content(words[...]))
        case "past":
            past.append(
                Past(
                    id: try TestVectors.bytes(words[0]), time: try #require(Int64(words[1])),
                    isRemoval: words[2] == "1", content: try Self.content(words[3...])))
        case "settings": settings = rest
        case "read": read = try words.map(TestVectors.bytes)
        case "backup": backup = try TestVectors.bytes(rest)
        case "key": machineKey = try TestVectors.bytes(rest)
        case "time": time = Int64(rest)
        case "machine": machine = try TestVectors.bytes(rest)
        case "part":
            parts.append(
                Part(
                    kind: try #require(UInt8(words[0])), size: try #require(Int(words[1])),
                    hash: try TestVectors.bytes(words[2])))
        default:
            let number = try #require(Int64(key.split(separator: " ")[1]), "line \(key)")
            guard key.hasPrefix("link ") else {
                buckets.append(BucketRecord(number: number, bytes: try TestVectors.bytes(rest)))
                return
            }
            // A storage asks for positive counters only.
            guard let counter = UInt64(exactly: number) else { return }
            links.append(LinkRecord(counter: counter, bytes: try TestVectors.bytes(rest)))
        }
    }

    private static func item(_ words: [String]) throws -> ItemRecord {
        ItemRecord(
            tag: try TestVectors.bytes(words[0]), itemID: try TestVectors.bytes(words[1]),
            accessClass: try #require(UInt8(words[2])), revision: try #require(UInt64(words[3])),
            format: try #require(UInt32(words[4])), attributes: try TestVectors.bytes(words[5]),
            value: try TestVectors.bytes(words[6]))
    }

    private static func earlier(_ words: [String]) throws -> EarlierRecord {
        EarlierRecord(
            itemID: try TestVectors.bytes(words[0]), accessClass: try #require(UInt8(words[2])),
            revision: try #require(UInt64(words[1])), format: try #require(UInt32(words[3])),
            attributes: try TestVectors.bytes(words[4]), value: try TestVectors.bytes(words[5]),
            moved: try TestVectors.bytes(words[6]))
    }

    private static func content(_ words: ArraySlice<String>) throws -> Content {
        let words = Array(words)
        var content = Content()
        content.service = try TestVectors.bytes(words[0])
        content.account = try TestVectors.bytes(words[1])
        content.field = try TestVectors.bytes(words[2])
        content.label = try TestVectors.bytes(words[3])
        content.accessClass = try #require(UInt8(words[4]))
        content.revision = try #require(UInt64(words[5]))
        content.created = try #require(Int64(words[6]))
        content.modified = try #require(Int64(words[7]))
        content.value = try TestVectors.bytes(words[8])
        content.extra = try words.dropFirst(9).map { word in
            try word.split(separator: "=").map { try TestVectors.bytes(String($0)) }
        }
        return content
    }
}
