import Foundation
import Testing

/// A file of `Tests/Vectors/Agent`.
struct WireVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private(set) var isRequest = false
    private(set) var isValid = false
    private(set) var means = ""
    private(set) var payload: [UInt8] = []

    static let all: [WireVector] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/Agent")
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .map { name in
                    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                    return try WireVector(name, text)
                }
        } catch {
            Issue.record("the vectors cannot be read: \(error)")
            return []
        }
    }()

    private init(_ name: String, _ text: String) throws {
        testDescription = name
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "comment": break
            case "direction": isRequest = parts[1] == "request"
            case "expect": isValid = parts[1] == "valid"
            case "means": means = parts[1]
            default:
                try #require(parts[0] == "payload")
                payload = try Self.bytes(parts[1])
            }
        }
    }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        if hex == "-" { return [] }
        let digits = Array(hex.utf8)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16))
        }
    }
}
