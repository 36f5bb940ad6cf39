import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("A media type")
struct MediaTypeTests {
    /// A WebP file of at least 30 bytes.
    private static func webP(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
        var content = Array("RIFF\u{4}\u{0}\u{0}\u{0}WEBP".utf8)
        content += Array(kind.utf8)
        content += rest
        return content
    }

    private static func png() -> [UInt8] {
        var content: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        content += Array("IHDR".utf8)
        content += [0, 0, 16, 0, 0, 0, 2, 1, 8, 6, 0, 0, 0]
        return content
    }

    /// A JPEG file with two long descriptions before its frame, as cameras write it.
    private static func jpeg(describing size: Int, fill: Int = 0) -> [UInt8] {
        let head: [UInt8] = [0xFF, 0xE1, UInt8((size + 2) >> 8), UInt8((size + 2) & 0xFF)]
        var content: [UInt8] = [0xFF, 0xD8]
        for seed in 1...2 {
            content += head
            content += TestFiles.content(seed, size: size)
        }
        content += [0xFF, 0xC4, 0, 3, 0]
        content += [UInt8](repeating: 0xFF, count: fill)
        content += [0xFF, 0xC2, 0, 17, 8, 0x0B, 0xD0, 0x0F, 0xC0, 3]
        content += [UInt8](repeating: 9, count: 20)
        return content
    }

    static let cases: [([UInt8], String, PixelSize?)] = [
        ([], "application/octet-stream", nil),
        (Array("text\n".utf8), "text/plain", nil),
        (Array("a letter: \u{457}".utf8.dropLast()), "text/plain", nil),
        (Array("\u{1F510}".utf8), "text/plain", nil),
        (Array("no text\u{0}".utf8), "application/octet-stream", nil),
        ([0x61, 0xFF, 0x61, 0x61, 0x61, 0x61], "application/octet-stream", nil),
        ([0xFF, 0xC3], "application/octet-stream", nil),
        (png(), "image/png", PixelSize(width: 4_096, height: 513)),
        (Array(png().prefix(20)), "image/png", nil),
        (Array("GIF89a".utf8), "image/gif", nil),
        (Array("GIF87a".utf8), "image/gif", nil),
        (Array("%PDF-1.7".utf8), "application/pdf", nil),
        ([0x50, 0x4B, 3, 4, 9], "application/zip", nil),
        ([0x1F, 0x8B, 8], "application/gzip", nil),
        (Array("\u{0}\u{0}\u{0}\u{18}ftypheic".utf8), "image/heic", nil),
        (Array("\u{0}\u{0}\u{0}\u{18}ftypmif1".utf8), "image/heic", nil),
        (Array("\u{0}\u{0}\u{0}\u{18}ftypavif".utf8), "image/avif", nil),
        (Array("\u{0}\u{0}\u{0}\u{18}ftypisom".utf8), "video/mp4", nil),
        (Array("\u{0}\u{0}\u{0}\u{14}ftypqt  ".utf8), "video/quicktime", nil),
        (
            webP("VP8X", [10, 0, 0, 0, 0, 0, 0, 0, 0x7F, 0x07, 0, 0x37, 0x04, 0]), "image/webp",
            PixelSize(width: 1_920, height: 1_080)
        ),
        (
            webP("VP8L", [0, 0, 0, 0, 0x2F, 0x8F, 0xC1, 0x3B, 0, 0, 0, 0, 0, 0, 0]), "image/webp",
            PixelSize(width: 400, height: 240)
        ),
        (
            webP("VP8 ", [0, 0, 0, 0, 0x30, 1, 0, 0x9D, 1, 0x2A, 0x90, 0x41, 0xF0, 0x80]),
            "image/webp", PixelSize(width: 400, height: 240)
        ),
        (jpeg(describing: 10), "image/jpeg", PixelSize(width: 4_032, height: 3_024)),
        (jpeg(describing: 65_000, fill: 5), "image/jpeg", PixelSize(width: 4_032, height: 3_024)),
        (Array(jpeg(describing: 65_000).dropLast(24)), "image/jpeg", nil),
        ([0xFF, 0xD8, 0xFF, 0xDA, 0, 8, 0xFF, 0xC0, 0, 17, 8, 1, 1, 1, 1], "image/jpeg", nil),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xC0, 0, 17, 8, 1, 1, 1, 1], "image/jpeg", nil),
    ]

    @Test(
        "follows from the first bytes, and with it the size of a picture", arguments: cases.indices)
    func types(number: Int) throws {
        let (content, type, pixels) = Self.cases[number]
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let file = try TestFiles.add(content, as: "a", to: vault)
        #expect(file.mediaType == type)
        #expect(file.pixels == pixels)
        #expect(try VaultFiles(vault).list() == [file])
    }

    @Test("of a picture is found however its bytes are divided")
    func divided() {
        let content = Self.jpeg(describing: 300, fill: 2)
        for size in 3...40 {
            var scanner = PixelSizeScanner()
            for start in stride(from: 0, to: content.count, by: size) {
                let end = min(start + size, content.count)
                scanner.take(unsafe content.span.extracting(start..<end).bytes)
            }
            #expect(scanner.size == PixelSize(width: 4_032, height: 3_024))
        }
    }

    @Test("of any bytes is found without a crash")
    func arbitrary() {
        var random = SeededGenerator()
        for (content, _, _) in Self.cases where !content.isEmpty {
            for _ in 0..<50 {
                var changed = Array(content.prefix(Int(random.next() % UInt64(content.count)) + 1))
                changed[Int(random.next() % UInt64(changed.count))] = UInt8(random.next() & 0xFF)
                var scanner = PixelSizeScanner()
                scanner.take(unsafe changed.span.bytes)
                _ = MediaType.of(unsafe changed.span.bytes)
            }
        }
    }
}
