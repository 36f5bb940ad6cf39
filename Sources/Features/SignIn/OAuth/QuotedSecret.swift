internal import TextCoding

/// Finds a secret in a server's text, where it may be plain or escaped for a form or for JSON.
enum QuotedSecret {
    /// Whether the text contains the secret.
    static func isIn(_ text: [UInt8], _ secret: RawSpan) -> Bool {
        [text, unescaped(text, formEscape), unescaped(text, stringEscape)].contains { text in
            text.indices.contains { start in
                secret.byteCount <= text.count - start
                    && (0..<secret.byteCount).allSatisfy { secret[$0] == text[start + $0] }
            }
        }
    }

    /// Replaces each escape with its byte. `escape` decodes an escape at the start of a slice, and
    /// returns its size.
    private static func unescaped(
        _ text: [UInt8], _ escape: (ArraySlice<UInt8>) -> (byte: UInt8, size: Int)?
    ) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let first = rest.first {
            let found = escape(rest) ?? (first, 1)
            result.append(found.byte)
            rest = rest.dropFirst(found.size)
        }
        return result
    }

    private static func formEscape(_ text: ArraySlice<UInt8>) -> (byte: UInt8, size: Int)? {
        switch text.first {
        case UInt8(ascii: "+"): (UInt8(ascii: " "), 1)
        case UInt8(ascii: "%"): hexadecimal(text.dropFirst().prefix(2), 2).map { ($0, 3) }
        default: nil
        }
    }

    private static func stringEscape(_ text: ArraySlice<UInt8>) -> (byte: UInt8, size: Int)? {
        guard text.first == UInt8(ascii: "\\"), let letter = text.dropFirst().first else {
            return nil
        }
        // Only ASCII characters are escaped.
        if letter == UInt8(ascii: "u") {
            return hexadecimal(text.dropFirst(2).prefix(4), 4).map { ($0, 6) }
        }
        return (controls[letter] ?? letter, 2)
    }

    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private static func hexadecimal(_ digits: ArraySlice<UInt8>, _ count: Int) -> UInt8? {
        guard digits.count == count, digits.first != UInt8(ascii: "+") else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
