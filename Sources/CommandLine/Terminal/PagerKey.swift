/// What a key does in a pager.
enum PagerKey: Equatable {
    case up, down, pageUp, pageDown, home, end
    /// A line down, or out at the end.
    case enter
    case close
}

/// Makes keys of the bytes that a terminal sends, which may come in any pieces.
struct PagerKeyDecoder {
    private enum State {
        case ground, escape
        /// A control sequence, with its bytes up to now.
        case sequence([UInt8])
    }

    private static let escape: UInt8 = 0x1B
    /// No key has a longer sequence: what comes from elsewhere is not collected without end.
    private static let longest = 16

    private var state = State.ground

    /// Whether what comes next decides about the escape that came last.
    var waitsForMore: Bool {
        if case .ground = state { false } else { true }
    }

    /// Takes a byte.
    mutating func take(_ byte: UInt8) -> PagerKey? {
        switch state {
        case .ground:
            if byte == Self.escape {
                state = .escape
                return nil
            }
            return Self.key(byte)
        case .escape:
            // `ESC O A` or `ESC [ A`, as the terminal's mode is.
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

    /// Nothing came for a while: an escape was the key of that name, and a sequence is given up.
    mutating func pause() -> PagerKey? {
        defer { state = .ground }
        if case .escape = state { return .close }
        return nil
    }

    private static func key(_ byte: UInt8) -> PagerKey? {
        switch byte {
        case UInt8(ascii: "k"): .up
        case UInt8(ascii: "j"): .down
        case UInt8(ascii: " "): .pageDown
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
            // What follows a semicolon tells of Shift and the like.
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
