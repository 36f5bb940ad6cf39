/// An answer as it arrives. Every one is taken to have a `Content-Length`.
struct HTTPAnswerBuffer {
    private var bytes: [UInt8] = []
    private var headSize: Int?
    private var bodySize = 0

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes += more
        guard headSize == nil else { return }
        let end: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= 4,
            let start = (0...(bytes.count - 4)).first(where: {
                bytes[$0..<($0 + 4)].elementsEqual(end)
            })
        else { return }
        headSize = start + 4
        bodySize = fields.first { $0.name == "Content-Length" }.flatMap { Int($0.value) } ?? 0
    }

    var isComplete: Bool { headSize.map { bytes.count >= $0 + bodySize } ?? false }

    /// Its size with its head.
    var size: Int { bytes.count }

    var status: Int {
        let words = head.split(separator: " ", maxSplits: 2)
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The fields of the head.
    var fields: [(name: String, value: String)] {
        head.split(separator: "\r\n").dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1].dropFirst()) : "")
        }
    }

    /// The content.
    var body: [UInt8] { Array(bytes.dropFirst(headSize ?? 0)) }
    var text: String { String(decoding: body, as: UTF8.self) }

    /// A member of a JSON object, if it is a string.
    func member(_ name: String) throws -> String {
        let parts = text.split(separator: "\"\(name)\":\"", omittingEmptySubsequences: false)
        guard status == 200, parts.count == 2, let value = parts[1].split(separator: "\"").first
        else { throw BenchmarkFailure("no \(name), but status \(status): \(text)") }
        return String(value)
    }

    private var head: String { String(decoding: bytes.prefix(headSize ?? 0), as: UTF8.self) }
}
