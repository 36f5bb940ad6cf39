import Foundation
import Platform
import TestSupport
import TextCoding

/// Looks for words in files, in every likely encoding.
struct ByteSearch {
    /// A word as bytes.
    struct Needle {
        let encoding: String
        let bytes: [UInt8]
    }

    let needles: [Needle]

    /// Looks for any of these words, each long enough not to be there by chance.
    init(for words: [String]) {
        needles = words.flatMap { word in
            // Upper and lower case, and as the key by which a list is ordered and searched.
            let key = String(decoding: NameKey(word).bytes, as: UTF8.self)
            let variants = [word, key, word.lowercased(), word.uppercased()]
            // Composed letters and decomposed ones are equal as texts.
            return variants.flatMap { text in
                Self.encode(text.precomposedStringWithCanonicalMapping)
                    + Self.encode(text.decomposedStringWithCanonicalMapping)
            }
        }
    }

    /// All encodings of a text. What depends on its neighbours, as Base64 does, is left out at both ends.
    private static func encode(_ text: String) -> [Needle] {
        let utf8 = Array(text.utf8)
        var needles = [Needle(encoding: "UTF-8", bytes: utf8)]
        for (name, order) in [("UTF-16LE", false), ("UTF-16BE", true)] {
            let bytes = text.utf16.flatMap { unit in
                let pair = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
                return order ? pair.reversed() : pair
            }
            needles.append(Needle(encoding: name, bytes: bytes))
        }
        for shift in 0..<3 {
            let padded = Data([UInt8](repeating: 0, count: shift) + utf8)
            let first = [0, 2, 3][shift]
            let whole = padded.base64EncodedString().prefix(padded.count / 3 * 4)
            let plain = String(whole.dropFirst(first))
            for text in [
                plain, plain.replacing("+", with: "-").replacing("/", with: "_"),
            ] {
                needles.append(Needle(encoding: "Base64", bytes: Array(text.utf8)))
            }
        }
        let digits = utf8.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        for hex in [digits.joined(), digits.joined().uppercased()] {
            needles.append(Needle(encoding: "hex", bytes: Array(hex.utf8)))
        }
        let all = digits.map { "%" + $0 }.joined()
        // With the marks that the standard lets stand, and without.
        let some = [CharacterSet.letters, .letters.union(CharacterSet(charactersIn: "-._~"))].map {
            text.addingPercentEncoding(
                withAllowedCharacters: $0.union(.decimalDigits).ascii) ?? all
        }
        for percent in [all, all.uppercased()] + some + some.map({ $0.lowercased() }) {
            needles.append(Needle(encoding: "percent", bytes: Array(percent.utf8)))
        }
        let escaped = text.utf16.map { (unit) -> String in
            let digits = String(unit, radix: 16)
            return unit < 0x80
                ? String(UnicodeScalar(UInt8(unit)))
                : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        needles.append(Needle(encoding: "JSON", bytes: Array(escaped.utf8)))
        return needles
    }

    /// The encodings in which a word is in some bytes.
    func findings(in bytes: [UInt8]) -> Set<String> {
        var found: Set<String> = []
        for needle in needles where !found.contains(needle.encoding) {
            if bytes.contains(needle.bytes) { found.insert(needle.encoding) }
        }
        return found
    }

    /// The encodings in which a word is in any file below a folder, or in a name of one.
    ///
    /// - Returns: For each path, from the folder on, what was found there.
    func findings(below folder: String) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for name in Files.names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { continue }
            var here = findings(in: Array(name.utf8))
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                for (inner, encodings) in try findings(below: path) {
                    found[name + "/" + inner] = encodings
                }
            case S_IFREG:
                do {
                    here.formUnion(findings(in: try Files.read(path)))
                } catch let failure as HarnessFailure where failure.code == ENOENT {
                    // Another process took it away meanwhile.
                }
            default: break
            }
            if !here.isEmpty { found[name] = here }
        }
        return found
    }
}

extension CharacterSet {
    fileprivate var ascii: CharacterSet {
        intersection(CharacterSet(charactersIn: Unicode.Scalar(0)..."~"))
    }
}
