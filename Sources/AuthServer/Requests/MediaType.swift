internal import HTTPServer

/// The kinds of content that requests have.
enum MediaType: String {
    case form = "application/x-www-form-urlencoded"
    case json = "application/json"

    /// Whether a request says, once, that its content is of this kind; a charset other than UTF-8 is another kind.
    func isContent(of request: HTTPRequest) -> Bool {
        let values = request.headers.values("Content-Type")
        guard values.count == 1, let value = values.first else { return false }
        // What nearly every client sends.
        if value == rawValue { return true }
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingSpaces().lowercased()
        }
        guard parts.first == rawValue else { return false }
        return parts.dropFirst().allSatisfy {
            !$0.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains($0)
        }
    }
}

extension Substring {
    /// Without spaces and tabulators around it.
    func trimmingSpaces() -> String {
        // By bytes, as header fields are defined.
        var bytes = utf8
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
