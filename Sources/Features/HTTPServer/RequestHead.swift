internal import CMicroHTTPD
internal import Platform

/// The head of a request as libmicrohttpd parsed it.
struct RequestHead {
    let method: String
    let target: RequestTarget
    let version: String
    let headers: HTTPHeaders
    /// Whether the parsed head matches the sent bytes.
    let isTrustworthy: Bool
    /// Its size in bytes.
    let size: Int

    /// Reads the head of a connection's request. `target` is a copy made before the library changed the bytes.
    init(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, target: [UInt8],
        version: UnsafePointer<CChar>, limit: Int
    ) {
        let methodBytes = unsafe Self.bytes(method)
        let versionBytes = unsafe Self.bytes(version)
        size = unsafe cmicrohttpd_head_size(connection)
        // A larger head may not be contiguous.
        let head = unsafe UnsafeRawBufferPointer(start: method, count: size <= limit ? size : 0)
        var reading = unsafe Reading(walk: HeadWalk(head))
        reading.holds = unsafe reading.walk.passFirstLine(
            method: methodBytes, targetSize: target.count, version: versionBytes)
        unsafe withUnsafeMutablePointer(to: &reading) { reading in
            unsafe cmicrohttpd_each_field(connection, readField, reading)
        }
        let target = HTTPSyntax.isTarget(target) ? RequestTarget(target) : nil
        isTrustworthy =
            unsafe target != nil && reading.holds && reading.walk.passEmptyLine()
            && reading.walk.isAtEnd
            && HTTPSyntax.isToken(methodBytes)
        self.method = unsafe String(decoding: methodBytes, as: UTF8.self)
        self.target = target ?? RequestTarget(path: "", query: nil, authority: nil)
        self.version = unsafe String(decoding: versionBytes, as: UTF8.self)
        headers = HTTPHeaders(reading.fields)
    }

    fileprivate static func bytes(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
        guard let text = unsafe text else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
    }
}

/// The state of reading fields.
private struct Reading {
    var walk: HeadWalk
    var holds = false
    var fields: [HTTPHeaders.Field] = []
}

private func readField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let reading = unsafe context?.assumingMemoryBound(to: Reading.self) else { return .NO }
    let name = unsafe RequestHead.bytes(name)
    let value = unsafe RequestHead.bytes(value)
    unsafe reading.pointee.holds =
        unsafe reading.pointee.holds && reading.pointee.walk.passField(name: name, value: value)
    let end = unsafe value.lastIndex { !HTTPSyntax.isWhiteSpace($0) }.map { $0 + 1 } ?? 0
    unsafe reading.pointee.fields.append(
        HTTPHeaders.Field(
            String(decoding: name, as: UTF8.self), String(decoding: value[..<end], as: UTF8.self)))
    return .YES
}

extension RequestHead {
    /// The result of checking a head.
    enum Framing: Equatable {
        /// Content of this size follows, in bytes.
        case content(size: Int)
        /// Content in chunks follows.
        case chunks
        /// The request is refused with this status.
        case refused(status: Int)
    }

    /// Checks that the head is within limits and its framing is unambiguous (RFC 9112, 6.3). A maximum of 0 is no limit.
    ///
    /// libmicrohttpd 0.9.75 accepts a bare LF where CR LF ends a chunk, so a proxy may see another end of the request. So the connection ends after
    /// chunks.
    func framing(maximumHead: Int, maximumBody: Int) -> Framing {
        if size > maximumHead { return .refused(status: 431) }
        let lengths = headers.values("Content-Length")
        let hosts = headers.values("Host")
        let isOld = version == "HTTP/1.0"
        guard isTrustworthy, lengths.count <= 1,
            lengths.allSatisfy({ HTTPSyntax.isNumber($0.utf8) }),
            hosts.count == 1 || hosts.isEmpty && isOld
        else { return .refused(status: 400) }
        let codings = headers.values("Transfer-Encoding")
        // A length beside it, and HTTP/1.0, are attempts to make two servers disagree (RFC 9112, 6.1).
        guard codings.isEmpty || lengths.isEmpty && !isOld else { return .refused(status: 400) }
        guard codings.isEmpty || codings.count == 1 && HTTPHeaders.areEqual(codings[0], "chunked")
        else { return .refused(status: 501) }
        if let expectation = headers.values("Expect").first,
            !HTTPHeaders.areEqual(expectation, "100-continue")
        {
            return .refused(status: 417)
        }
        guard codings.isEmpty else { return .chunks }
        guard let length = lengths.first else { return .content(size: 0) }
        // A number that exceeds Int is too large in any case.
        guard let size = Int(length), maximumBody == 0 || size <= maximumBody else {
            return .refused(status: 413)
        }
        return .content(size: size)
    }
}

/// The target of a request (RFC 9112, section 3.2).
struct RequestTarget: Equatable {
    /// The path with percent-encoding.
    let path: String
    /// The query; nil without a question mark.
    let query: String?
    /// Host and port of the absolute form; nil in any other form.
    let authority: String?

    init(path: String, query: String?, authority: String?) {
        self.path = path
        self.query = query
        self.authority = authority
    }

    /// Reads a target; nil for an absolute form without a host, or with a user.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var authority: String?
        if let scheme = Self.scheme(of: bytes) {
            rest = rest.dropFirst(scheme.count)
            let end = rest.firstIndex { Self.endsAuthority($0) } ?? rest.endIndex
            let host = rest[..<end]
            guard let first = host.first, first != UInt8(ascii: ":"),
                !host.contains(UInt8(ascii: "@"))
            else { return nil }
            authority = String(decoding: host, as: UTF8.self)
            rest = rest[end...]
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        let path = rest[..<(mark ?? rest.endIndex)]
        self.init(
            path: path.isEmpty && authority != nil ? "/" : String(decoding: path, as: UTF8.self),
            query: mark.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) },
            authority: authority)
    }

    private static let schemes = [Array("http://".utf8), Array("https://".utf8)]

    /// The scheme with which a target in absolute form begins, ignoring case.
    private static func scheme(of bytes: [UInt8]) -> [UInt8]? {
        // Nearly every target is a path.
        guard bytes.first != UInt8(ascii: "/") else { return nil }
        return schemes.first { scheme in
            // Upper-case letters differ in one bit, which the other characters have.
            bytes.count >= scheme.count && zip(bytes, scheme).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}

/// Walks through the bytes of a head in the library's memory, to compare them with the parsed head.
///
/// libmicrohttpd 0.9.75 accepts lines that end with a bare LF, NUL in a value, white space before the colon, and folded values, and misreads some
/// of them. It overwrites the separators with zero bytes: a colon with one, CR LF with two. The walk must find exactly the fields that the library
/// reports; any other head is refused. NUL before LF cannot be distinguished from CR LF. Both end the line, so the fields are the same.
@safe struct HeadWalk {
    private var rest: UnsafeRawBufferPointer

    /// Begins at the start of a head, which outlives the walk.
    init(_ head: UnsafeRawBufferPointer) {
        unsafe rest = head
    }

    /// Whether all bytes were passed.
    var isAtEnd: Bool { unsafe rest.isEmpty }

    /// Passes the first line: method, target (whose bytes the library has changed) and version.
    mutating func passFirstLine(
        method: UnsafeRawBufferPointer, targetSize: Int, version: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = unsafe takePart(), unsafe Self.areEqual(first, method),
            unsafe targetSize < rest.count
        else { return false }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[targetSize...])
        guard takeZero(), let last = unsafe takePart() else { return false }
        return unsafe Self.areEqual(last, version) && takeZero()
    }

    /// Passes one line, if it is well formed and holds this field.
    mutating func passField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe takePart(), unsafe Self.areEqual(first, name),
            unsafe HTTPSyntax.isToken(first), let last = unsafe takePart(), takeZero()
        else { return false }
        let text = unsafe last.drop(while: HTTPSyntax.isWhiteSpace)
        return unsafe HTTPSyntax.isFieldValue(text)
            && Self.areEqual(UnsafeRawBufferPointer(rebasing: text), value)
    }

    /// Passes the empty line.
    mutating func passEmptyLine() -> Bool {
        takeZero() && takeZero()
    }

    /// The bytes before the next zero byte, which is passed, too.
    private mutating func takePart() -> UnsafeRawBufferPointer? {
        guard let end = unsafe rest.firstIndex(of: 0) else { return nil }
        defer { unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
        return unsafe UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    private mutating func takeZero() -> Bool {
        guard unsafe rest.first == 0 else { return false }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return true
    }

    private static func areEqual(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        unsafe left.elementsEqual(right)
    }
}

/// The syntax of messages (RFC 9110, RFC 9112).
enum HTTPSyntax {
    /// Whether bytes are a token: a method or the name of a field.
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// Whether bytes are a field's value: no control characters except tabs.
    static func isFieldValue(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }

    /// Whether bytes are a target: printable ASCII without spaces.
    static func isTarget(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Whether bytes are a `Content-Length`.
    static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether a byte is a space or a tab.
    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default:
            "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}
