internal import TextCoding

/// Reads the size of a JPEG, PNG or WebP picture from its content, chunk by chunk.
struct PixelSizeScanner {
    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The number of bytes needed to read the size of a PNG or WebP picture.
    private static let longestHead = 30

    private(set) var size: PixelSize?
    private var state = State.beginning

    private enum State {
        case beginning
        /// In a JPEG file: this many bytes before the next marker.
        case skipping(Int)
        /// In the head of a JPEG segment, with the bytes read so far.
        case segment([UInt8])
        case done
    }

    /// Scans the next bytes. The first call must get the first 64 KiB, or the whole content.
    mutating func take(_ bytes: RawSpan) {
        var offset = 0
        if case .beginning = state { begin(bytes, &offset) }
        while offset < bytes.byteCount {
            switch state {
            case .beginning, .done: return
            case .skipping(let count):
                let skipped = min(count, bytes.byteCount - offset)
                offset += skipped
                state = skipped == count ? .segment([]) : .skipping(count - skipped)
            case .segment(let head):
                state = next(head + [bytes[offset]])
                offset += 1
            }
        }
    }

    private mutating func begin(_ bytes: RawSpan, _ offset: inout Int) {
        state = .done
        if bytes.hasBytes([0xFF, 0xD8, 0xFF], at: 0) {
            state = .segment([])
            offset = 2
        } else if bytes.hasBytes(Self.pngSignature, at: 0), bytes.hasText("IHDR", at: 12),
            bytes.byteCount >= 24
        {
            set(width: bytes.number(at: 16, 4, isBig: true), bytes.number(at: 20, 4, isBig: true))
        } else if bytes.hasText("RIFF", at: 0), bytes.hasText("WEBP", at: 8),
            bytes.byteCount >= Self.longestHead
        {
            webP(bytes)
        }
    }

    private mutating func webP(_ bytes: RawSpan) {
        if bytes.hasText("VP8X", at: 12) {
            set(
                width: bytes.number(at: 24, 3, isBig: false) + 1,
                bytes.number(at: 27, 3, isBig: false) + 1)
        } else if bytes.hasText("VP8L", at: 12), bytes[20] == 0x2F {
            let bits = bytes.number(at: 21, 4, isBig: false)
            set(width: bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        } else if bytes.hasText("VP8 ", at: 12), bytes.hasBytes([0x9D, 0x01, 0x2A], at: 23) {
            set(
                width: bytes.number(at: 26, 2, isBig: false) & 0x3FFF,
                bytes.number(at: 28, 2, isBig: false) & 0x3FFF)
        }
    }

    /// The state after one more byte of a segment's head: FF, marker, u16 length, and for a frame u8, u16 height, u16 width.
    private mutating func next(_ head: [UInt8]) -> State {
        guard head[0] == 0xFF else { return .done }
        guard head.count > 1 else { return .segment(head) }
        let marker = head[1]
        // Fill bytes may precede a marker.
        if marker == 0xFF { return .segment([0xFF]) }
        if marker == 0x01 || (0xD0...0xD8).contains(marker) { return .segment([]) }
        // Scan data or the end of the file comes before any frame.
        if marker == 0xDA || marker == 0xD9 || marker == 0 { return .done }
        let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
        guard head.count >= (isFrame ? 9 : 4) else { return .segment(head) }
        guard isFrame else {
            let length = Int(head[2]) << 8 | Int(head[3])
            return length < 2 ? .done : length == 2 ? .segment([]) : .skipping(length - 2)
        }
        set(
            width: UInt32(head[7]) << 8 | UInt32(head[8]), UInt32(head[5]) << 8 | UInt32(head[6]))
        return .done
    }

    private mutating func set(width: UInt32, _ height: UInt32) {
        if width > 0, height > 0 { size = PixelSize(width: width, height: height) }
    }
}

extension RawSpan {
    /// An unsigned number of up to four bytes.
    fileprivate func number(at offset: Int, _ count: Int, isBig: Bool) -> UInt32 {
        var number: UInt32 = 0
        for index in 0..<count {
            let byte = UInt32(self[offset + index])
            number = isBig ? number << 8 | byte : number | byte << (8 * index)
        }
        return number
    }
}
