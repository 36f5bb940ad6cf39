/// The action of a key in a pager.
enum PagerKey: Equatable {
    case up, down, pageUp, pageDown, home, end
    /// A line down; closes the pager at the end.
    case enter
    /// Begins the entry of a text to search.
    case search
    /// The next line with the text, or the one before.
    case next, previous
    case close
}

/// Decodes keys from the bytes of a terminal, which may arrive in pieces of any size.
struct PagerKeyDecoder {
    private enum State {
        case ground, escape
        /// A control sequence, with its bytes so far.
        case sequence([UInt8])
    }

    private static let escape: UInt8 = 0x1B
    /// The length limit of a key sequence; bounds the memory for unknown input.
    private static let longest = 16

    private var state = State.ground

    /// Whether the next byte decides the meaning of the last escape.
    var waitsForMore: Bool {
        if case .ground = state { false } else { true }
    }

    /// Processes a byte.
    mutating func take(_ byte: UInt8) -> PagerKey? {
        switch state {
        case .ground:
            if byte == Self.escape {
                state = .escape
                return nil
            }
            return Self.key(byte)
        case .escape:
            // `ESC O A` or `ESC [ A`, depending on the terminal's mode.
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
                state = .sequence([])
                return nil
            }
            state = .ground
            return .close
        case .sequence(let bytes):
            if (0x40...0x7E).contains(byte) {
                state = .ground
                return Self.key(of: bytes, final: byte)
            }
            state = bytes.count < Self.longest ? .sequence(bytes + [byte]) : .ground
            return nil
        }
    }

    /// Handles a timeout: a lone escape is the Escape key, and an incomplete sequence is discarded.
    mutating func pause() -> PagerKey? {
        defer { state = .ground }
        if case .escape = state { return .close }
        return nil
    }

    private static func key(_ byte: UInt8) -> PagerKey? {
        switch byte {
        case UInt8(ascii: "k"): .up
        case UInt8(ascii: "j"): .down
        case UInt8(ascii: " "), UInt8(ascii: "f"): .pageDown
        case UInt8(ascii: "b"): .pageUp
        case UInt8(ascii: "g"): .home
        case UInt8(ascii: "G"): .end
        case UInt8(ascii: "/"): .search
        case UInt8(ascii: "n"): .next
        case UInt8(ascii: "N"): .previous
        case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03: .close
        case 0x0A, 0x0D: .enter
        default: nil
        }
    }

    private static func key(of bytes: [UInt8], final: UInt8) -> PagerKey? {
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "~"):
            // The part after a semicolon encodes modifiers such as Shift.
            switch String(decoding: bytes.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
            case "1", "7": return .home
            case "4", "8": return .end
            case "5": return .pageUp
            case "6": return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
