internal import TextCoding

/// Hides the password in the address of a database. libpq may be missing or refuse the address, so this
/// type scans it.
struct AddressRedaction {
    private static let hidden = "***".utf8
    private let text: String

    /// Creates a text from any value of a setting.
    init(_ text: String) {
        self.text = text
    }

    /// The text with `***` in place of a password: between user name and host, and in parameters.
    ///
    /// A password may contain separators, so the result may hide more than the password.
    var withoutPassword: String {
        guard let scheme = text.byteRange(of: "://") else { return text }
        var bytes = Array(text.utf8)
        let start = text.utf8[..<scheme.upperBound].count
        Self.hideParameters(in: &bytes, from: start)
        let end = bytes[start...].lastIndex(of: UInt8(ascii: "@"))
        if let end, let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) {
            bytes.replaceSubrange((colon + 1)..<end, with: Self.hidden)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Hides the text after the name of the first parameter that may be a password.
    private static func hideParameters(in bytes: inout [UInt8], from start: Int) {
        func separator(after index: Int) -> Int? {
            bytes[index...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }
        }
        var found = separator(after: start)
        while let begin = found.map({ $0 + 1 }) {
            found = separator(after: begin)
            let parameter = bytes[begin..<(found ?? bytes.endIndex)]
            if let equals = parameter.firstIndex(of: UInt8(ascii: "=")),
                mayNamePassword(parameter[..<equals])
            {
                bytes.replaceSubrange((equals + 1)..., with: hidden)
                return
            }
        }
    }

    /// Whether the name ends with `password`, or has an escape that may stand for it.
    private static func mayNamePassword(_ name: ArraySlice<UInt8>) -> Bool {
        name.contains(UInt8(ascii: "%"))
            || String(decoding: name, as: UTF8.self).lowercased().hasSuffix("password")
    }
}
