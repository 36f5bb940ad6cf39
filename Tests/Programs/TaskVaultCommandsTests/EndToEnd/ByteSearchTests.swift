import Foundation
import Testing
import TestSupport

/// The search on which other tests rely finds what is there.
@Suite struct ByteSearchTests {
    private static let word = "Äpfel-Überraschung-0815?~"

    private func encoded(_ before: String) -> [(String, [UInt8])] {
        let text = before + Self.word + "!"
        let utf16 = Array(text.utf16)
        return [
            ("UTF-8", Array(text.utf8)),
            ("UTF-16LE", utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
            ("UTF-16BE", utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }),
            ("Base64", Array(Data(text.utf8).base64EncodedString().utf8)),
            (
                "Base64",
                Array(
                    Data(text.utf8).base64EncodedString().replacing("+", with: "-")
                        .replacing("/", with: "_").utf8)
            ),
            ("hex", Array(text.utf8.map { String(format: "%02x", $0) }.joined().utf8)),
            ("hex", Array(text.utf8.map { String(format: "%02X", $0) }.joined().utf8)),
            ("percent", Array(text.utf8.map { String(format: "%%%02X", $0) }.joined().utf8)),
            (
                "percent",
                Array(
                    "%C3%84pfel-%C3%9Cberraschung-0815%3F~".utf8)
            ),
            ("UTF-8", Array(text.lowercased().utf8)),
            ("UTF-8", Array(text.uppercased().utf8)),
            ("UTF-8", Array(text.decomposedStringWithCanonicalMapping.utf8)),
            ("JSON", Array("\\u00c4pfel-\\u00dcberraschung-0815?~".utf8)),
        ]
    }

    @Test(arguments: ["", "a", "ab", "abc"])
    func eachEncodingIsFoundWhereverItBegins(before: String) throws {
        try withTemporaryFolder { folder in
            let search = ByteSearch(for: [Self.word])
            for (encoding, bytes) in encoded(before) {
                try FileManager.default.createDirectory(
                    atPath: folder + "/.in/deep", withIntermediateDirectories: true)
                let path = folder + "/.in/deep/file"
                try Files.write([0, 255] + bytes + [7], to: path)
                let found = try search.findings(below: folder)
                #expect(found[".in/deep/file"]?.contains(encoding) == true, "\(encoding)")
                try Files.write(
                    Array("Äpfel-Überraschung-0816?~".utf8), to: path)
                #expect(try search.findings(below: folder).isEmpty)
            }
        }
    }

    @Test func namesOfFilesAreLookedAt() throws {
        try withTemporaryFolder { folder in
            try Files.write([], to: folder + "/x-\(Self.word)-y")
            #expect(try ByteSearch(for: [Self.word]).findings(below: folder).count == 1)
        }
    }
}
