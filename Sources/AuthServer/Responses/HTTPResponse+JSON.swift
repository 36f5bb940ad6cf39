internal import HTTPServer
internal import TextCoding

extension HTTPResponse {
    /// What every answer says: that nobody keeps it, guesses its type, shows it in a frame, or tells others where it was.
    private static let general = [
        HTTPHeaders.Field("Cache-Control", "no-store"),
        HTTPHeaders.Field("Pragma", "no-cache"),
        HTTPHeaders.Field("X-Content-Type-Options", "nosniff"),
        HTTPHeaders.Field("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        HTTPHeaders.Field("Referrer-Policy", "no-referrer"),
    ]

    /// An answer of a type.
    static func content(
        _ body: [UInt8], type: String, status: Int = 200, adding fields: [HTTPHeaders.Field] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders(general + [HTTPHeaders.Field("Content-Type", type)] + fields),
            body: body)
    }

    /// An answer without content.
    static func empty(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders(general))
    }

    /// An object.
    static func object(
        status: Int = 200, adding fields: [HTTPHeaders.Field] = [],
        _ body: (inout JSONContent) -> Void
    ) -> HTTPResponse {
        content(
            JSONContent.object(body), type: "application/json", status: status, adding: fields)
    }

    /// The time after which to try again, in whole seconds, at least one.
    static func retryAfter(_ time: Duration) -> HTTPHeaders.Field {
        let (seconds, attoseconds) = time.components
        return HTTPHeaders.Field(
            "Retry-After", String(max(1, seconds + (attoseconds > 0 ? 1 : 0))))
    }
}
