internal import CAppFiles
internal import TextCoding

/// The files of the page, embedded into the program.
struct PageFiles: Sendable {
    struct File: Sendable {
        let mediaType: String
        let content: [UInt8]
    }

    /// The place of the token in `index.html`.
    private static let gap = #"<meta name="taskvault-token" content=""#
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "json": "application/json", "svg": "image/svg+xml",
        "png": "image/png",
    ]

    private let files: [String: File]

    /// Reads the embedded files.
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

    /// The paths, sorted.
    var paths: [String] { files.keys.sorted() }

    /// The file of a path; `/` means `/index.html`.
    func file(_ path: String) -> File? { files[path == "/" ? "/index.html" : path] }

    /// The page with a token in base64url.
    func page(with token: String) -> File {
        guard let index = files["/index.html"] else {
            preconditionFailure("index.html is missing")
        }
        let text = String(decoding: index.content, as: UTF8.self)
        return File(
            mediaType: index.mediaType,
            content: Array(text.substituting(Self.gap, for: Self.gap + token).utf8))
    }
}
