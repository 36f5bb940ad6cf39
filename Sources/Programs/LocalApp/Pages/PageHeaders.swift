internal import HTTPServer

extension HTTPResponse {
    /// Allows scripts and styles of this origin only. No text can become markup (CSP level 3,
    /// Trusted Types).
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "media-src blob:", "frame-src blob:", "connect-src 'self'",
        "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// A response with the common headers. They forbid caching, framing, MIME sniffing, and access
    /// by other origins.
    static func page(_ status: Int, _ mediaType: String, _ body: [UInt8]) -> HTTPResponse {
        var headers = HTTPHeaders()
        headers.append("Content-Type", mediaType)
        headers.append("Content-Security-Policy", policy)
        headers.append("Cache-Control", "no-store")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append("Referrer-Policy", "no-referrer")
        headers.append("Cross-Origin-Opener-Policy", "same-origin")
        headers.append("Cross-Origin-Resource-Policy", "same-origin")
        return HTTPResponse(status: status, headers: headers, body: body)
    }
}
