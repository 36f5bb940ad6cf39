/// The lines between the chunks of a request's content, as far as they are in memory beside the data.
///
/// libmicrohttpd 0.9 takes a bare LF for the CR LF that ends such a line (RFC 9112, section 7.1). It reports the data alone; but what came
/// with the data in one read is still before it. Lines that came without any data are not seen: the connection ends after chunks, so no byte after
/// them is read as a request.
@safe struct ChunkLines {
    /// Where libmicrohttpd puts the bytes that it reads after the head.
    private let start: UnsafePointer<UInt8>
    /// The number of bytes from there on in which data of the same request can be.
    private let size: Int
    /// The number of bytes from there on that are certainly libmicrohttpd's.
    private static let readable = 8_192
    /// Whether no line ended with a bare LF.
    private(set) var areStrict = true

    /// Begins after a head of `headSize` bytes in `size` bytes of memory.
    init(afterHead head: UnsafePointer<CChar>, headSize: Int, size: Int) {
        unsafe start = UnsafeRawPointer(head).assumingMemoryBound(to: UInt8.self) + headSize
        self.size = size - headSize
    }

    /// Checks the lines before data, and the byte after a whole chunk. The caller must wipe data that it has read: the zero bytes end the lines.
    mutating func check(around data: UnsafeMutableRawBufferPointer) {
        guard let first = data.baseAddress else { return }
        let offset = unsafe UnsafeRawPointer(first) - UnsafeRawPointer(start)
        // Data at the start continue a chunk, or their line came before them.
        guard offset > 0, offset < size else { return }
        var begin = offset
        while begin > 0 {
            if unsafe start[begin - 1] == 0 { break }
            begin -= 1
        }
        var line = begin
        var last: UInt8 = 0
        for index in begin..<offset {
            let byte = unsafe start[index]
            if byte == UInt8(ascii: "\n") {
                if last != UInt8(ascii: "\r") { areStrict = false }
                if index + 1 < offset { line = index + 1 }
            }
            last = byte
        }
        let digits = unsafe UnsafeBufferPointer(start: start + line, count: offset - line)
        let number = unsafe Int(
            String(decoding: digits.prefix { $0.isHexadecimalDigit }, as: UTF8.self), radix: 16)
        let end = offset + data.count
        // The byte after a part of a chunk may be one of an earlier read.
        guard number == data.count, end < Self.readable else { return }
        if unsafe start[end] == UInt8(ascii: "\n") { areStrict = false }
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }
}
