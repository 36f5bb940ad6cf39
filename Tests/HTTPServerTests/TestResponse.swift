/// An answer as it was received.
struct TestResponse {
    let status: Int
    let lines: [String]
    let content: String

    /// Takes the first answer out of what was received; nil as long as it is not complete.
    init?(_ received: inout [UInt8], hasContent: Bool) {
        guard
            let end = received.indices.first(where: {
                received[$0...].starts(with: Array("\r\n\r\n".utf8))
            })
        else { return nil }
        let lines = String(decoding: received[..<end], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else {
            return nil
        }
        let length = lines.lazy.map { $0.lowercased() }
            .first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimming()) }
        let size = hasContent && status != 204 && status >= 200 ? length ?? 0 : 0
        guard received.count >= end + 4 + size else { return nil }
        self.status = status
        self.lines = lines
        content = String(decoding: received[(end + 4)..<(end + 4 + size)], as: UTF8.self)
        received.removeFirst(end + 4 + size)
    }

    /// The values of a field.
    func values(_ name: String) -> [String] {
        lines.dropFirst().filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).trimming()) }
    }
}

extension StringProtocol {
    func trimming() -> SubSequence {
        drop { $0 == " " }
    }
}
