import Tasks
import Testing
import TestSupport

/// A file of `Tests/Vectors/Tasks`.
struct ProtectedTextVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private(set) var isValid = false
    private(set) var name: [UInt8] = []
    private(set) var notes: [UInt8] = []
    private(set) var further: [UInt8] = []
    /// Each subtask as its line has it.
    private(set) var subtasks: [String] = []
    private(set) var value: [UInt8] = []

    static let all = TestVectors.all(in: "Tasks") { try ProtectedTextVector($0, $1) }

    private init(_ name: String, _ text: String) throws {
        testDescription = name
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "comment": break
            case "expect": isValid = parts[1] == "valid"
            case "name": self.name = try TestVectors.bytes(parts[1])
            case "notes": notes = try TestVectors.bytes(parts[1])
            case "further": further = try TestVectors.bytes(parts[1])
            case "subtask": subtasks.append(parts[1])
            default:
                try #require(parts[0] == "value")
                value = try TestVectors.bytes(parts[1])
            }
        }
    }

    /// The line that a subtask would have.
    static func line(_ subtask: TodoSubtask) -> String {
        let name = subtask.name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(subtask.id.text) \(name)"
    }
}
