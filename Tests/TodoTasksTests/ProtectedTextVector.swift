import Foundation
import Testing
import TodoTasks

/// A file of `Tests/Vectors/Tasks`.
struct ProtectedTextVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private(set) var isValid = false
    private(set) var name: [UInt8] = []
    private(set) var notes: [UInt8] = []
    /// Each subtask as its line has it.
    private(set) var subtasks: [String] = []
    private(set) var value: [UInt8] = []

    static let all: [ProtectedTextVector] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/Tasks")
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .map { name in
                    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                    return try ProtectedTextVector(name, text)
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
            case "expect": isValid = parts[1] == "valid"
            case "name": self.name = try Self.bytes(parts[1])
            case "notes": notes = try Self.bytes(parts[1])
            case "subtask": subtasks.append(parts[1])
            default:
                try #require(parts[0] == "value")
                value = try Self.bytes(parts[1])
            }
        }
    }

    /// The line that a subtask would have.
    static func line(_ subtask: TodoSubtask) -> String {
        let name = subtask.name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(subtask.id.text) \(subtask.isDone ? 1 : 0) \(name)"
    }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        if hex == "-" { return [] }
        let digits = Array(hex.utf8)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16))
        }
    }
}
