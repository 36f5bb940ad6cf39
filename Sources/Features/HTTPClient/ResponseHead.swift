internal import Platform

/// The head of a response, parsed line by line.
struct ResponseHead {
    private enum State {
        case beforeStatus
        case inFields
        case complete
    }

    /// The maximum value of `Retry-After`, in seconds.
    private static let maximumRetryAfter = 1 << 31

    private var state = State.beforeStatus
    /// The size of all lines so far, including interim responses and trailers.
    private(set) var size = 0
    private(set) var status = 0
    private(set) var contentLength: Int?
    private var isChunked = false
    private var contentTypes: [String] = []
    private var retryAfterValues: [String] = []
    private var locations: [String] = []
    private var dates: [String] = []
    private var etags: [String] = []
    /// Whether `Cache-Control` has `no-store` (RFC 9111, section 5.2.2.5).
    private(set) var forbidsStoring = false

    /// Whether the final response's head is complete.
    var isComplete: Bool { state == .complete }

    /// Whether the head defines the end of the content.
    var definesEnd: Bool { isChunked || contentLength != nil || status == 204 || status == 304 }

    /// Parses the next line; false if it is not HTTP.
    mutating func parse(_ line: RawSpan) -> Bool {
        size += line.byteCount
        var bytes: [UInt8] = []
        for offset in 0..<line.byteCount {
            bytes.append(unsafe line.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        switch state {
        case .beforeStatus: return begin(bytes)
        case .inFields where bytes.isEmpty: return end()
        case .inFields: return field(bytes)
        // Trailers are ignored.
        case .complete: return true
        }
    }

    /// Parses the status line, for example `HTTP/1.1 200 OK`.
    private mutating func begin(_ line: [UInt8]) -> Bool {
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), line[7] | 1 == 0x31,
            line[8] == 0x20, line[9...11].allSatisfy(WebHost.isDigit),
            line.count == 12 || line[12] == 0x20, line.allSatisfy(Self.isText)
        else { return false }
        status = Int(String(decoding: line[9...11], as: UTF8.self)) ?? 0
        state = .inFields
        return (100...599).contains(status)
    }

    private mutating func end() -> Bool {
        if status < 200 {
            let size = size
            self = ResponseHead()
            self.size = size
            // The final response follows an interim one. The client requests no protocol upgrade.
            return true
        }
        state = .complete
        return true
    }

    private mutating func field(_ line: [UInt8]) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            FieldSyntax.isName(line[..<colon]), line.allSatisfy(Self.isText)
        else { return false }
        let name = String(decoding: line[..<colon].map(WebHost.lower), as: UTF8.self)
        let value = FieldSyntax.trimmed(line[(colon + 1)...])
        let text = String(decoding: value, as: UTF8.self)
        switch name {
        case "content-length":
            guard !value.isEmpty, value.allSatisfy(WebHost.isDigit), let length = Int(text),
                contentLength.map({ $0 == length }) ?? true
            else { return false }
            contentLength = length
        case "transfer-encoding":
            guard !isChunked, value.map(WebHost.lower).elementsEqual("chunked".utf8) else {
                return false
            }
            isChunked = true
        case "content-encoding":
            // The client requests no coding.
            guard value.map(WebHost.lower).elementsEqual("identity".utf8) else { return false }
        case "content-type": contentTypes.append(text)
        case "retry-after": retryAfterValues.append(text)
        case "location": locations.append(text)
        case "date": dates.append(text)
        case "etag": etags.append(text)
        case "cache-control":
            let directives = value.split(separator: UInt8(ascii: ",")).map {
                FieldSyntax.trimmed($0).map(WebHost.lower)
            }
            if directives.contains(where: { $0.elementsEqual("no-store".utf8) }) {
                forbidsStoring = true
            }
        default: break
        }
        return true
    }

    /// Whether the byte is not a control character. A tab is white space.
    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }

    var contentType: String? {
        guard contentTypes.count == 1 else { return nil }
        let type = FieldSyntax.trimmed(Array(contentTypes[0].utf8).prefix { $0 != 0x3B })
        let isType = !type.isEmpty && type.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isType ? String(decoding: type.map(WebHost.lower), as: UTF8.self) : nil
    }

    var retryAfter: Int? {
        guard retryAfterValues.count == 1, let text = retryAfterValues.first,
            text.utf8.allSatisfy(WebHost.isDigit),
            let seconds = Int(text)
        else { return nil }
        return min(seconds, Self.maximumRetryAfter)
    }

    /// The time of the field `Date` in seconds since 1970 (RFC 9110, section 5.6.7, in the form
    /// that servers must send).
    var date: Int64? {
        var seconds: Int64 = 0
        guard dates.count == 1, unsafe platform_read_http_date(dates[0], &seconds) else {
            return nil
        }
        return seconds
    }

    /// The value of `ETag`, if it can be sent back.
    var etag: String? {
        guard etags.count == 1, let tag = etags.first, tag.utf8.count <= 256,
            FieldSyntax.isValue(tag)
        else { return nil }
        return tag
    }

    /// The target of a redirection from `url`; nil if it is invalid, for example a path with an
    /// escaped `..`.
    func redirection(from url: WebURL) -> WebURL? {
        guard locations.count == 1, let text = locations.first else { return nil }
        let location = String(text.prefix { $0 != "#" })
        if location.hasPrefix("//") { return try? WebURL(url.scheme.rawValue + ":" + location) }
        if location.hasPrefix("/") { return try? url.replacing(target: Self.resolved(location)) }
        let first = location.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        if location.isEmpty || first.contains(UInt8(ascii: ":")) { return try? WebURL(location) }
        // The reference has a query only, or a path relative to the last slash.
        let slash = url.path.lastIndex(of: "/") ?? url.path.startIndex
        let base = first.isEmpty ? url.path : String(url.path[...slash])
        return try? url.replacing(target: Self.resolved(base + location))
    }

    /// Removes the segments `.` and `..` (RFC 3986, section 5.2.4). The target may have a query;
    /// escaped dots are kept.
    private static func resolved(_ target: String) -> String {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst().map { String(Substring($0)) }
        var kept: [String] = []
        for segment in segments where segment != "." {
            if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/") + String(target[path.endIndex...])
    }

    /// The host of a redirection from `url`.
    func target(from url: WebURL) -> String? {
        guard locations.count == 1, let text = locations.first else { return nil }
        // A fragment is never sent.
        let location = String(text.prefix { $0 != "#" })
        if location.hasPrefix("//") {
            return try? WebURL(url.scheme.rawValue + ":" + location).host
        }
        if location.hasPrefix("/") { return url.host }
        return try? WebURL(location).host
    }
}
