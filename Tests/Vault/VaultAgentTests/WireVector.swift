import Testing
import TestSupport

/// A file of `Tests/Vectors/Agent`.
struct WireVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private(set) var isRequest = false
    private(set) var isValid = false
    private(set) var means = ""
    private(set) var payload: [UInt8] = []

    static let all = TestVectors.all(in: "Agent") { try WireVector($0, $1) }

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
                payload = try TestVectors.bytes(parts[1])
            }
        }
    }
}
