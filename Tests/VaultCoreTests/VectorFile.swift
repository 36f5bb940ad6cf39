@testable import Sealing
import SecretMemory
import SecureStorage
import Testing
@testable import VaultCore
import VaultStorage

/// One file of `Tests/Vectors`: a vault written out as text, and what a reader must answer.
struct VectorFile: Sendable, CustomTestStringConvertible {
    struct Content: Hashable {
        var service: [UInt8] = []
        var account: [UInt8] = []
        var label: [UInt8] = []
        var accessClass: UInt8 = 0
        var revision: UInt64 = 0
        var created: Int64 = 0
        var modified: Int64 = 0
        var value: [UInt8] = []
        var extra: [[[UInt8]]] = []
    }

    let testDescription: String
    private(set) var expected = ""
    private(set) var isTesting = false
    private(set) var secretKind = ""
    private(set) var secret: [UInt8] = []
    private(set) var mark: [UInt8]?
    private(set) var header: [UInt8]?
    private(set) var state: [UInt8]?
    private(set) var buckets: [BucketRecord] = []
    private(set) var items: [ItemRecord] = []
    private(set) var content: [Content] = []
    private(set) var settings: String?
    private(set) var read: [[UInt8]]?

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
            secret = secretKind == "recovery" ? Array(typed.utf8) : try Self.hex(typed)
        case "mark": mark = try Self.hex(rest)
        case "header": header = try Self.hex(rest)
        case "state": state = try Self.hex(rest)
        case "item": items.append(try Self.item(words))
        case "content": content.append(try Self.content(words))
        case "settings": settings = rest
        case "read": read = try words.map(Self.hex)
        default:
            let number = try #require(Int64(key.split(separator: " ")[1]), "line \(key)")
            buckets.append(BucketRecord(number: number, bytes: try Self.hex(rest)))
        }
    }

    private static func item(_ words: [String]) throws -> ItemRecord {
        ItemRecord(
            tag: try hex(words[0]), itemID: try hex(words[1]),
            accessClass: try #require(UInt8(words[2])), revision: try #require(UInt64(words[3])),
            format: try #require(UInt32(words[4])), attributes: try hex(words[5]),
            value: try hex(words[6]))
    }

    private static func content(_ words: [String]) throws -> Content {
        var content = Content()
        content.service = try hex(words[0])
        content.account = try hex(words[1])
        content.label = try hex(words[2])
        content.accessClass = try #require(UInt8(words[3]))
        content.revision = try #require(UInt64(words[4]))
        content.created = try #require(Int64(words[5]))
        content.modified = try #require(Int64(words[6]))
        content.value = try hex(words[7])
        content.extra = try words.dropFirst(8).map { word in
            try word.split(separator: "=").map { try hex(String($0)) }
        }
        return content
    }

    static func hex(_ text: String) throws -> [UInt8] {
        if text == "-" { return [] }
        let digits = Array(text.utf8)
        try #require(digits.count.isMultiple(of: 2))
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16))
        }
    }
}
