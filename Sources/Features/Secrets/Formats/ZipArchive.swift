internal import CSodium
internal import Platform
internal import SecretMemory
internal import TextCoding

/// The files of a ZIP archive in memory. Their names are only compared, and never used as paths.
///
/// One disk, no encryption, no ZIP64, methods 0 (stored) and 8 (deflated). See PKWARE's
/// APPNOTE.TXT, sections 4.3.6 to 4.3.16.
struct ZipArchive {
    private struct Member {
        let name: String
        let isEncrypted: Bool
        let method: UInt16
        let checksum: UInt32
        let storedSize: Int
        let size: Int
        let header: Int
    }

    private let members: [Member]

    /// Whether the bytes start with a local file header, or with the end record of an empty
    /// archive.
    static func isArchive(_ bytes: RawSpan) -> Bool {
        bytes.hasText("PK\u{3}\u{4}", at: 0) || bytes.hasText("PK\u{5}\u{6}", at: 0)
    }

    /// Reads the central directory.
    init(_ bytes: RawSpan) throws {
        let end = try Self.endOfDirectory(in: bytes)
        let count = Int(try bytes.uint16(at: end + 10))
        var offset = Int(try bytes.uint32(at: end + 16))
        guard try bytes.uint32(at: end + 4) == 0, try Int(bytes.uint16(at: end + 8)) == count,
            count < 0xFFFF
        else { throw ExchangeError.invalidArchive(reason: "it has several parts, or is ZIP64") }
        var members: [Member] = []
        for _ in 0..<count {
            guard bytes.hasText("PK\u{1}\u{2}", at: offset) else { throw Self.damaged }
            let nameSize = Int(try bytes.uint16(at: offset + 28))
            let further = Int(try bytes.uint16(at: offset + 30))
            let comment = Int(try bytes.uint16(at: offset + 32))
            let name = offset + 46
            guard name + nameSize + further + comment <= end else { throw Self.damaged }
            members.append(
                Member(
                    name: String(
                        decoding: bytes.extracting(name..<(name + nameSize)).array, as: UTF8.self),
                    isEncrypted: try bytes.uint16(at: offset + 8) & 1 != 0,
                    method: try bytes.uint16(at: offset + 10),
                    checksum: try bytes.uint32(at: offset + 16),
                    storedSize: Int(try bytes.uint32(at: offset + 20)),
                    size: Int(try bytes.uint32(at: offset + 24)),
                    header: Int(try bytes.uint32(at: offset + 42))))
            offset = name + nameSize + further + comment
        }
        self.members = members
    }

    /// The number of files whose name fulfils the condition.
    func count(_ isCounted: (String) -> Bool) -> Int {
        members.count { isCounted($0.name) }
    }

    /// The content of the only file of this name. The size is limited before it is inflated, and
    /// the CRC is verified.
    func content(of name: String, in bytes: RawSpan) throws -> SecretBytes {
        let found = members.filter { $0.name == name }
        guard let member = found.first, found.count == 1 else {
            throw ExchangeError.invalidArchive(
                reason: found.isEmpty ? "it has no member \(name)" : "it has two members \(name)")
        }
        guard !member.isEncrypted else { throw ExchangeError.encrypted }
        guard member.size <= SecretImport.maximumFileSize else {
            throw ExchangeError.tooLarge(maximum: SecretImport.maximumFileSize)
        }
        guard bytes.hasText("PK\u{3}\u{4}", at: member.header) else { throw Self.damaged }
        let start =
            member.header + 30 + Int(try bytes.uint16(at: member.header + 26))
            + Int(try bytes.uint16(at: member.header + 28))
        guard start + member.storedSize <= bytes.byteCount else { throw Self.damaged }
        let stored = bytes.extracting(start..<(start + member.storedSize))
        guard let library = ZLibrary.shared else { throw ExchangeError.notInstalled("zlib") }
        var content = try SecretBytes(count: member.size)
        let isWhole: Bool
        switch member.method {
        case 0:
            isWhole = stored.byteCount == member.size
            if isWhole { content.withMutableBytes { $0.copy(stored) } }
        case 8: isWhole = library.inflate(stored, into: &content)
        default: throw ExchangeError.invalidArchive(reason: "its compression is not deflate")
        }
        guard isWhole, library.checksum(of: content) == member.checksum else {
            throw Self.damaged
        }
        return content
    }

    private static var damaged: ExchangeError { .invalidArchive(reason: "it is damaged") }

    /// The offset of the end record. Only a comment follows it.
    private static func endOfDirectory(in bytes: RawSpan) throws -> Int {
        var offset = bytes.byteCount - 22
        let first = max(0, offset - 0xFFFF)
        while offset >= first {
            if bytes.hasText("PK\u{5}\u{6}", at: offset),
                offset + 22 + Int(try bytes.uint16(at: offset + 20)) == bytes.byteCount
            {
                return offset
            }
            offset -= 1
        }
        throw damaged
    }
}

/// zlib, loaded on first use and never unloaded.
@safe private struct ZLibrary: @unchecked Sendable {
    private typealias Begin =
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    private typealias Inflate = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32
    private typealias End = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    private typealias Checksum = @convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt
    private typealias Allocate =
        @convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32) -> UnsafeMutableRawPointer?
    private typealias Free =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

    /// `z_stream` of zlib.h. Its layout is a part of zlib's binary interface.
    @safe private struct Stream {
        var nextIn: UnsafePointer<UInt8>?
        var availableIn: UInt32 = 0
        var totalIn: UInt = 0
        var nextOut: UnsafeMutablePointer<UInt8>?
        var availableOut: UInt32 = 0
        var totalOut: UInt = 0
        var message: UnsafePointer<CChar>?
        var state: UnsafeMutableRawPointer?
        var allocate: Allocate?
        var free: Free?
        var opaque: UnsafeMutableRawPointer?
        var dataType: Int32 = 0
        var checksum: UInt = 0
        var reserved: UInt = 0
    }

    #if os(macOS)
        private static let name = "/usr/lib/libz.1.dylib"
    #else
        private static let name = "libz.so.1"
    #endif
    private static let rawDeflate: Int32 = -15
    private static let finish: Int32 = 4
    private static let atEnd: Int32 = 1

    private let begin: Begin
    private let run: Inflate
    private let end: End
    private let crc32: Checksum

    /// The library of this process; nil if it is not installed.
    static let shared = ZLibrary()

    private init?() {
        guard let library = unsafe dlopen(Self.name, RTLD_NOW | RTLD_LOCAL),
            let begin = unsafe dlsym(library, "inflateInit2_"),
            let run = unsafe dlsym(library, "inflate"),
            let end = unsafe dlsym(library, "inflateEnd"),
            let crc32 = unsafe dlsym(library, "crc32")
        else { return nil }
        unsafe self.begin = unsafe unsafeBitCast(begin, to: Begin.self)
        unsafe self.run = unsafe unsafeBitCast(run, to: Inflate.self)
        unsafe self.end = unsafe unsafeBitCast(end, to: End.self)
        unsafe self.crc32 = unsafe unsafeBitCast(crc32, to: Checksum.self)
    }

    /// Inflates a raw deflate stream (RFC 1951) in one call. zlib's own memory is guarded as well.
    ///
    /// The corresponding C functions are `inflateInit2`, `inflate` and `inflateEnd`.
    ///
    /// - Returns: Whether the stream is complete and has exactly the size of `content`.
    func inflate(_ stored: RawSpan, into content: inout SecretBytes) -> Bool {
        let (begin, run, end) = unsafe (begin, run, end)
        let size = content.count
        return unsafe stored.withUnsafeBytes { source in
            content.withMutableBytes { target in
                unsafe target.withUnsafeMutableBytes { target in
                    var stream = Stream()
                    unsafe stream.allocate = { _, items, size in
                        // Guarded memory ends at the end of a page. If its size is a multiple of 16,
                        // its start is aligned, too.
                        let (count, overflows) = Int(items).multipliedReportingOverflow(
                            by: Int(size))
                        return overflows ? nil : unsafe sodium_malloc((count + 15) & ~15)
                    }
                    unsafe stream.free = { _, memory in unsafe sodium_free(memory) }
                    unsafe stream.nextIn = source.bindMemory(to: UInt8.self).baseAddress
                    stream.availableIn = UInt32(source.count)
                    unsafe stream.nextOut = target.bindMemory(to: UInt8.self).baseAddress
                    stream.availableOut = UInt32(target.count)
                    // zlib stores the address of the stream.
                    return unsafe withUnsafeMutablePointer(to: &stream) { stream in
                        let structSize = Int32(MemoryLayout<Stream>.size)
                        guard unsafe begin(stream, Self.rawDeflate, "1.2.11", structSize) == 0
                        else { return false }
                        defer { _ = unsafe end(stream) }
                        return unsafe run(stream, Self.finish) == Self.atEnd
                            && stream.pointee.totalOut == UInt(size)
                            && stream.pointee.availableIn == 0
                    }
                }
            }
        }
    }

    /// The corresponding C function is `crc32`.
    func checksum(of content: borrowing SecretBytes) -> UInt32 {
        let crc32 = unsafe crc32
        return content.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                UInt32(
                    unsafe crc32(
                        0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count)))
            }
        }
    }
}

extension RawSpan {
    /// A little-endian number.
    fileprivate func uint16(at offset: Int) throws -> UInt16 {
        guard offset >= 0, offset + 2 <= byteCount else {
            throw ExchangeError.invalidArchive(reason: "it is damaged")
        }
        return UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    /// A little-endian number.
    fileprivate func uint32(at offset: Int) throws -> UInt32 {
        UInt32(try uint16(at: offset)) | UInt32(try uint16(at: offset + 2)) << 16
    }
}
