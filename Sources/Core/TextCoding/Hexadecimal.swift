/// Lower-case hexadecimal digits of public bytes.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Encodes bytes.
    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes digits; nil for any other text, including upper-case digits.
    package static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var first: UInt8?
        for digit in text.utf8 {
            guard let value = value(digit) else { return nil }
            if let high = first.take() {
                bytes.append(high << 4 | value)
            } else {
                first = value
            }
        }
        return first == nil ? bytes : nil
    }

    /// Whether a text consists of the digits of `count` bytes.
    package static func isText(_ text: String, ofBytes count: Int) -> Bool {
        text.utf8.count == 2 * count && text.utf8.allSatisfy { value($0) != nil }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
