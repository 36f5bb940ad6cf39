internal import CMicroHTTPD
internal import Platform

/// The head of a request as the library read it.
struct RequestHead {
    let method: String
    let target: String
    let version: String
    let headers: HTTPHeaders
    /// Whether the library read what was sent.
    let isTrustworthy: Bool
    /// Its size in bytes.
    let size: Int

    /// Reads the head of a connection's request. Its target was copied before the library changed it.
    init(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, target: [UInt8],
        version: UnsafePointer<CChar>, limit: Int
    ) {
        let methodBytes = unsafe Self.bytes(method)
        let versionBytes = unsafe Self.bytes(version)
        size = unsafe cmicrohttpd_head_size(connection)
        // A larger one may not lie in one piece.
        let head = unsafe UnsafeRawBufferPointer(start: method, count: size <= limit ? size : 0)
        var reading = unsafe Reading(walk: HeadWalk(head))
        reading.holds = unsafe reading.walk.passFirstLine(
            method: methodBytes, targetSize: target.count, version: versionBytes)
        unsafe withUnsafeMutablePointer(to: &reading) { reading in
            unsafe cmicrohttpd_each_field(connection, readField, reading)
        }
        isTrustworthy =
            unsafe reading.holds && reading.walk.passEmptyLine() && reading.walk.isAtEnd
            && HTTPSyntax.isToken(methodBytes) && HTTPSyntax.isTarget(target)
        self.method = unsafe String(decoding: methodBytes, as: UTF8.self)
        self.target = String(decoding: target, as: UTF8.self)
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

/// What is known while fields are read.
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
