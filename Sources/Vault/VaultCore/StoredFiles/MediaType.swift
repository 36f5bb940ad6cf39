internal import TextCoding

/// Detects the media type of content by its first bytes.
package enum MediaType {
    /// The type; ``FileDescription/unknownType`` if no signature matches.
    package static func of(_ start: RawSpan) -> String {
        for (offset, signature, type) in signatures where start.hasBytes(signature, at: offset) {
            return type
        }
        if start.hasText("RIFF", at: 0), start.hasText("WEBP", at: 8) { return "image/webp" }
        guard start.hasText("ftyp", at: 4) else {
            return start.isText ? "text/plain" : FileDescription.unknownType
        }
        // The major brand of ISO/IEC 14496-12.
        if ["heic", "heix", "hevc", "heim", "mif1"].contains(where: { start.hasText($0, at: 8) }) {
            return "image/heic"
        }
        if start.hasText("avif", at: 8) { return "image/avif" }
        return start.hasText("qt  ", at: 8) ? "video/quicktime" : "video/mp4"
    }

    private static let signatures: [(Int, [UInt8], String)] = [
        (0, [0xFF, 0xD8, 0xFF], "image/jpeg"),
        (0, PixelSizeScanner.pngSignature, "image/png"),
        (0, Array("GIF87a".utf8), "image/gif"),
        (0, Array("GIF89a".utf8), "image/gif"),
        (0, Array("%PDF-".utf8), "application/pdf"),
        (0, [0x50, 0x4B, 0x03, 0x04], "application/zip"),
        (0, [0x1F, 0x8B], "application/gzip"),
    ]
}

extension RawSpan {
    /// Whether the bytes are the start of UTF-8 text; only the last character may be incomplete.
    fileprivate var isText: Bool {
        var end = byteCount
        while end > 0, byteCount - end < 3, self[end - 1] & 0xC0 == 0x80 { end -= 1 }
        if end > 0, self[end - 1] >= 0xC0 { end -= 1 }
        return byteCount > 0 && (isUTF8 || end > 0 && extracting(0..<end).isUTF8)
            && (0..<byteCount).allSatisfy {
                self[$0] >= 0x20 && self[$0] != 0x7F || [9, 10, 12, 13].contains(self[$0])
            }
    }

    /// Whether the bytes from `offset` on begin with `expected`.
    func hasBytes(_ expected: [UInt8], at offset: Int) -> Bool {
        guard offset + expected.count <= byteCount else { return false }
        return expected.indices.allSatisfy { self[offset + $0] == expected[$0] }
    }
}
