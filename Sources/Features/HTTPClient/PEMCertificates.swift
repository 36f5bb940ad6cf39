internal import Platform
internal import TextCoding

/// Certificates of authorities as PEM. Only their outer structure is checked.
struct PEMCertificates: Sendable {
    /// The maximum size in bytes. The authorities of every system are smaller.
    private static let maximumSize = 4 << 20
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The PEM text.
    let bytes: [UInt8]

    /// Reads and checks additional authorities.
    init(_ authorities: HTTPClientOptions.Authorities) throws {
        switch authorities {
        case .bytes(let given):
            bytes = given
        case .file(let path):
            guard let read = Self.contents(of: path) else {
                throw HTTPClientError.authoritiesUnreadable
            }
            bytes = read
        }
        guard Self.areCertificates(bytes) else { throw HTTPClientError.authoritiesMalformed }
    }

    /// Whether the text has at least one certificate, and each one is complete.
    private static func areCertificates(_ bytes: [UInt8]) -> Bool {
        guard !bytes.contains(0), bytes.count <= maximumSize else { return false }
        var body: [UInt8]?
        var count = 0
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let text = line.filter { $0 != 0x20 && $0 != 0x09 }
            if line.starts(with: begin.utf8) {
                guard body == nil else { return false }
                body = []
            } else if line.starts(with: end.utf8) {
                guard let digits = body, isSequence(digits) else { return false }
                body = nil
                count += 1
            } else {
                body?.append(contentsOf: text)
            }
        }
        return count > 0 && body == nil
    }

    /// Whether the Base64 digits are one DER `SEQUENCE` (X.690).
    private static func isSequence(_ digits: [UInt8]) -> Bool {
        guard let bytes = Base64.bytes(of: String(decoding: digits, as: UTF8.self), .standard),
            bytes.count > 4, bytes[0] == 0x30
        else { return false }
        if bytes[1] < 0x80 { return bytes.count == 2 + Int(bytes[1]) }
        let size = Int(bytes[1] & 0x7F)
        guard (1...3).contains(size), bytes.count > 2 + size else { return false }
        let length = bytes[2..<(2 + size)].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == 2 + size + length
    }

    /// The content of a regular file; nil if it is missing or too large.
    static func contents(of path: String) -> [UInt8]? {
        guard !path.utf8.contains(0) else { return nil }
        // Without `O_NONBLOCK`, opening a pipe without a writer blocks.
        let descriptor = unsafe platform_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= maximumSize
        else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maximumSize {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else { return nil }
                continue
            }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// The certificates after those of a file, because libcurl accepts only one text.
    func joined(withFile path: String?) -> [UInt8] {
        guard let path, let system = Self.contents(of: path) else { return bytes }
        return system + [0x0A] + bytes
    }
}
