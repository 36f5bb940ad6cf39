/// An answer.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The header fields; `Content-Length`, `Date` and `Connection` are the server's.
    public var headers: HTTPHeaders
    /// The content.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
