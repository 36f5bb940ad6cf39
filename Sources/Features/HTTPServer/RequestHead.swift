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
        var reading = unsafe Reading(comparison: HeadComparison(head))
        reading.matches = unsafe reading.comparison.matchFirstLine(
            method: methodBytes, targetSize: target.count, version: versionBytes)
        unsafe withUnsafeMutablePointer(to: &reading) { reading in
            unsafe cmicrohttpd_each_field(connection, readField, reading)
        }
        let target = HTTPSyntax.isTarget(target) ? RequestTarget(target) : nil
        isVerified =
            unsafe target != nil && reading.matches && reading.comparison.matchEmptyLine()
            && reading.comparison.isAtEnd
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
    var comparison: HeadComparison
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
        unsafe reading.pointee.matches
        && reading.pointee.comparison.matchField(name: name, value: value)
    let end = unsafe value.lastIndex { !HTTPSyntax.isWhiteSpace($0) }.map { $0 + 1 } ?? 0
    unsafe reading.pointee.fields.append(
        HTTPHeaders.Field(
            RequestHead.text(name), RequestHead.text(value[..<end])))
    return CMICROHTTPD_YES
}
