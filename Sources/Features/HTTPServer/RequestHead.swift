internal import CMicroHTTPD
internal import Platform

/// The head of a request, as parsed by libmicrohttpd.
struct RequestHead {
    let method: String
    let target: RequestTarget
    let version: String
    let headers: HTTPHeaders
    /// Whether the parsed head matches the received bytes.
    let isVerified: Bool
    /// The size in bytes.
    let size: Int

    /// Reads the head of a request. `target` is a copy from before libmicrohttpd changed the bytes.
    init(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, target: [UInt8],
        version: UnsafePointer<CChar>, limit: Int
    ) {
        let methodBytes = unsafe Self.bytes(method)
        let versionBytes = unsafe Self.bytes(version)
        size = unsafe cmicrohttpd_head_size(connection)
        // A larger head may not be contiguous in memory.
        let head = unsafe UnsafeRawBufferPointer(start: method, count: size <= limit ? size : 0)
        var reading = unsafe Reading(walk: HeadWalk(head))
        reading.matches = unsafe reading.walk.matchFirstLine(
            method: methodBytes, targetSize: target.count, version: versionBytes)
        unsafe withUnsafeMutablePointer(to: &reading) { reading in
            unsafe cmicrohttpd_each_field(connection, readField, reading)
        }
        let target = HTTPSyntax.isTarget(target) ? RequestTarget(target) : nil
        isVerified =
            unsafe target != nil && reading.matches && reading.walk.matchEmptyLine()
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

/// The state while the fields are read.
private struct Reading {
    var walk: HeadWalk
    var matches = false
    var fields: [HTTPHeaders.Field] = []
}

private func readField(
    _ context: UnsafeMutableRawPointer?, _ kind: UInt32, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> cmicrohttpd_result {
    guard let reading = unsafe context?.assumingMemoryBound(to: Reading.self) else {
        return CMICROHTTPD_NO
    }
    let name = unsafe RequestHead.bytes(name)
    let value = unsafe RequestHead.bytes(value)
    unsafe reading.pointee.matches =
        unsafe reading.pointee.matches && reading.pointee.walk.matchField(name: name, value: value)
    let end = unsafe value.lastIndex { !HTTPSyntax.isWhiteSpace($0) }.map { $0 + 1 } ?? 0
    unsafe reading.pointee.fields.append(
        HTTPHeaders.Field(
            String(decoding: name, as: UTF8.self), String(decoding: value[..<end], as: UTF8.self)))
    return CMICROHTTPD_YES
}

extension RequestHead {
    /// The result of checking a head.
    enum Framing: Equatable {
        /// Content of this size in bytes follows.
        case content(size: Int)
        /// Content in chunks follows.
        case chunks
        /// The request must be refused with this status.
        case refused(status: Int)
    }

    /// Checks the limits, and that the framing is unambiguous (RFC 9112, section 6.3). A maximum of
    /// 0 means no limit.
    ///
    /// libmicrohttpd 0.9.75 accepts a bare LF where CR LF ends a chunk, so a proxy may see another
    /// end of the request. The connection therefore closes after chunks.
    func framing(maximumHead: Int, maximumBody: Int) -> Framing {
        if size > maximumHead { return .refused(status: 431) }
        let lengths = headers.values("Content-Length")
        let hosts = headers.values("Host")
        let isOld = version == "HTTP/1.0"
        guard isVerified, lengths.count <= 1,
            lengths.allSatisfy({ HTTPSyntax.isNumber($0.utf8) }),
            hosts.count == 1 || hosts.isEmpty && isOld
        else { return .refused(status: 400) }
        let codings = headers.values("Transfer-Encoding")
        // `Transfer-Encoding` with a length or in HTTP/1.0 is an attempt at request smuggling (RFC
        // 9112, section 6.1).
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
        // A number that exceeds `Int` is also too large.
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
    /// Host and port of an absolute-form target; nil for other forms.
    let authority: String?

    init(path: String, query: String?, authority: String?) {
        self.path = path
        self.query = query
        self.authority = authority
    }

    /// Reads a target; nil for an absolute form without a host, or with a user name.
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

    /// The scheme of an absolute-form target, compared without regard to case.
    private static func scheme(of bytes: [UInt8]) -> [UInt8]? {
        // Fast path: nearly all targets are paths.
        guard bytes.first != UInt8(ascii: "/") else { return nil }
        return schemes.first { scheme in
            // An upper-case letter differs from its lower-case form in one bit. The other
            // characters of a scheme have that bit set.
            bytes.count >= scheme.count && zip(bytes, scheme).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}

/// Compares the parsed head with the bytes of the head in libmicrohttpd's memory.
///
/// libmicrohttpd 0.9.75 accepts lines that end with a bare LF, NUL in a value, white space before
/// the colon, and folded values. It misreads some of them.
///
/// It overwrites the separators with zero bytes: a colon with one, CR LF with two. The walk must
/// find exactly the fields that libmicrohttpd reports; any other head is refused. NUL LF looks like
/// CR LF, but both end the line, so the fields are the same.
@safe struct HeadWalk {
    private var rest: UnsafeRawBufferPointer

    /// Starts at the first byte of a head, which must outlive the walk.
    init(_ head: UnsafeRawBufferPointer) {
        unsafe rest = head
    }

    /// Whether all bytes were compared.
    var isAtEnd: Bool { unsafe rest.isEmpty }

    /// Compares the first line: method, target (whose bytes libmicrohttpd has changed) and version.
    mutating func matchFirstLine(
        method: UnsafeRawBufferPointer, targetSize: Int, version: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = unsafe readPart(), unsafe Self.areEqual(first, method),
            unsafe targetSize < rest.count
        else { return false }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[targetSize...])
        guard readZero(), let last = unsafe readPart() else { return false }
        return unsafe Self.areEqual(last, version) && readZero()
    }

    /// Compares one line. It must be well-formed and contain this field.
    mutating func matchField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe readPart(), unsafe Self.areEqual(first, name),
            unsafe HTTPSyntax.isToken(first), let last = unsafe readPart(), readZero()
        else { return false }
        let text = unsafe last.drop(while: HTTPSyntax.isWhiteSpace)
        return unsafe HTTPSyntax.isFieldValue(text)
            && Self.areEqual(UnsafeRawBufferPointer(rebasing: text), value)
    }

    /// Compares the empty line.
    mutating func matchEmptyLine() -> Bool {
        readZero() && readZero()
    }

    /// The bytes up to the next zero byte, which is skipped.
    private mutating func readPart() -> UnsafeRawBufferPointer? {
        guard let end = unsafe rest.firstIndex(of: 0) else { return nil }
        defer { unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
        return unsafe UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    private mutating func readZero() -> Bool {
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
    /// Whether bytes are a token: a method or a field name.
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// Whether bytes are a field value: no control characters except tabs.
    static func isFieldValue(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }

    /// Whether bytes can be a target: printable ASCII without spaces.
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
