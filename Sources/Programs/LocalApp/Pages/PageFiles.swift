internal import CAppFiles
internal import HTTPServer
internal import TextCoding

/// The files of the page, which are part of the program.
struct PageFiles: Sendable {
    /// A file.
    struct File: Sendable {
        let mediaType: String
        let content: [UInt8]
    }

    /// Where `index.html` gets the token, once.
    private static let gap = #"<meta name="taskvault-token" content=""#
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
        "webmanifest": "application/manifest+json",
    ]

    private let files: [String: File]

    /// Takes the files out of the program.
    init() {
        var files: [String: File] = [:]
        var index = 0
        while let file = unsafe app_file_at(index) {
            index += 1
            let path = unsafe String(cString: file.pointee.path)
            let content = unsafe Array(
                UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count))
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            files[path] = File(
                mediaType: Self.types[ending] ?? "application/octet-stream", content: content)
        }
        self.files = files
    }

    /// The paths, in ascending order.
    var paths: [String] { files.keys.sorted() }

    /// The file of a path; `/` is `/index.html`.
    func file(_ path: String) -> File? { files[path == "/" ? "/index.html" : path] }

    /// The page that gets a token of base64url.
    func page(with token: String) -> File {
        guard let index = files["/index.html"] else {
            preconditionFailure("index.html is missing")
        }
        let text = String(decoding: index.content, as: UTF8.self)
        return File(
            mediaType: index.mediaType,
            content: Array(text.exchanging(Self.gap, for: Self.gap + token).utf8))
    }
}

extension HTTPResponse {
    /// Scripts and styles of this origin only, and no text that becomes markup (CSP level 3, Trusted Types).
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "media-src blob:", "frame-src blob:", "connect-src 'self'", "manifest-src 'self'",
        "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// An answer with the headers of every answer: nothing is kept, framed, sniffed or read by other origins.
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
