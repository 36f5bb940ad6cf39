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
        self.method =
            unsafe HTTPSyntax.isToken(methodBytes)
            ? String(decoding: methodBytes, as: UTF8.self) : ""
        self.target = target ?? RequestTarget(path: "", query: nil, authority: nil)
        self.version = unsafe String(decoding: versionBytes, as: UTF8.self)
        headers = HTTPHeaders(reading.fields)
    }

    /// The text of a field. Bytes beyond ASCII are opaque (RFC 9110, section 5.5) and become question marks: Unicode text can be slow to compare.
    fileprivate static func text(_ bytes: some Collection<UInt8>) -> String {
        bytes.allSatisfy { $0 < 0x80 }
            ? String(decoding: bytes, as: UTF8.self)
            : String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
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
            RequestHead.text(name), RequestHead.text(value[..<end])))
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
