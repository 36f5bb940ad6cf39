/// Text in JSON form.
package enum JSONEscaping {
    /// Appends the result of ``quoted(_:)``, in most cases without an intermediate string.
    package static func append(quoted text: String, to bytes: inout [UInt8]) {
        var text = text
        let isAppended = text.withUTF8 { utf8 in
            guard unsafe utf8.allSatisfy(isPlain) else { return false }
            bytes.append(0x22)
            unsafe bytes.append(contentsOf: utf8)
            bytes.append(0x22)
            return true
        }
        if !isAppended { bytes.append(contentsOf: quoted(text).utf8) }
    }

    /// Whether a byte needs no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
    }

    /// A string in quotation marks, escaped as RFC 8259, section 7, requires.
    ///
    /// Also escapes characters that ``VisibleText`` considers unsafe, because JSON is read on terminals too. A parser returns the
    /// original text.
    static func quoted(_ text: String) -> String {
        // The common case.
        if text.utf8.allSatisfy(isPlain) {
            return "\"" + text + "\""
        }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar where VisibleText.isSafe(scalar, keepingLines: false):
                result.unicodeScalars.append(scalar)
            default:
                for unit in UTF16.encode(scalar) ?? .init() { result += escaped(unit) }
            }
        }
        return result + "\""
    }

    /// The bytes that stand for one byte of UTF-8 in a string.
    static func forEachByte(escaping byte: UInt8, _ body: (UInt8) -> Void) {
        switch byte {
        case Byte.quote, Byte.backslash:
            body(Byte.backslash)
            body(byte)
        case 0..<0x20, 0x7F:
            for byte in "\\u00".utf8 { body(byte) }
            body(Byte.zero + byte >> 4)
            let digit = byte & 15
            body(digit < 10 ? Byte.zero + digit : UInt8(ascii: "A") + digit - 10)
        default: body(byte)
        }
    }

    private static func escaped(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
