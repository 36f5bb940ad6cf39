internal import TextCoding

/// The value type TEXT (RFC 5545, section 3.3.11).
enum ICalendarText {
    /// Escapes a text. Control characters are invalid in the format and become U+FFFD.
    static func escape(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": result += ["\\", scalar]
            case "\n": result += ["\\", "n"]
            case let scalar where isControl(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a text has characters that are invalid in the format.
    static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 != "\n" && isControl($0) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
    }

    /// The unescaped texts of a list.
    static func read(_ value: String) -> [String] {
        var texts = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in value.unicodeScalars {
            var added: [Unicode.Scalar] = [scalar]
            if isEscaped {
                isEscaped = false
                switch scalar {
                case "n", "N": added = ["\n"]
                case "\\", ";", ",": break
                // A backslash before another character is not an escape.
                default: added = ["\\", scalar]
                }
            } else if scalar == "\\" {
                isEscaped = true
                continue
            } else if scalar == "," {
                texts.append(String.UnicodeScalarView())
                continue
            }
            texts[texts.count - 1] += added
        }
        if isEscaped { texts[texts.count - 1].append("\\") }
        return texts.map { String($0) }
    }
}
