/// Public bytes as hexadecimal digits in lower case.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The digits of bytes.
    package static func text(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// The bytes of digits; nil for any other text, including upper-case digits.
    package static func bytes(_ text: String) -> [UInt8]? {
        let values = text.utf8.compactMap(value)
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Whether a text consists of the digits of this many bytes.
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
