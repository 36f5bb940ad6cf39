/// Text as JSON wants it.
enum JSONText {
    /// A string in quotation marks, escaped as RFC 8259, section 7, demands.
    ///
    /// More than it demands is escaped: what ``VisibleText`` takes for unsafe, because JSON is read on terminals too. A parser gives the
    /// same text back.
    static func quoted(_ text: String) -> String {
        // Nearly all text.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
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

    private static func escaped(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
