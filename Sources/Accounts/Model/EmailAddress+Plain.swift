extension EmailAddress {
    /// Whether a text is one of those names, as nearly all are, whose bytes alone tell that they are canonical: a server reads a name with
    /// each token that it is asked about.
    static func isPlain(_ text: String) -> Bool {
        guard text.utf8.count <= maximumSize else { return false }
        var isDomain = false
        var hasDot = false
        // Of the local part, or of the label of the domain.
        var length = 0
        var last: UInt8 = 0
        for byte in text.utf8 {
            length += 1
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                break
            case UInt8(ascii: "-"):
                if isDomain, length == 1 { return false }
            case UInt8(ascii: "+"), UInt8(ascii: "_"):
                if isDomain { return false }
            case UInt8(ascii: "."):
                guard isDomain else { break }
                guard (2...64).contains(length), last != UInt8(ascii: "-") else { return false }
                hasDot = true
                length = 0
            case UInt8(ascii: "@"):
                if isDomain || length == 1 { return false }
                isDomain = true
                length = 0
            default: return false
            }
            last = byte
        }
        return hasDot && (1...63).contains(length) && last != UInt8(ascii: "-")
    }
}
