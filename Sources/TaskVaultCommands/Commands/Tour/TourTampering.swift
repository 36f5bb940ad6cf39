internal import CommandLine
internal import Platform

/// What somebody does who can change the vault file: flips a bit of an encrypted secret.
enum TourTampering {
    private static let pageSize = 4_096
    /// A leaf page of a table without row ids (SQLite's file format, section 1.6).
    private static let leaf: UInt8 = 0x0A

    /// Flips the lowest bit of the last byte of the first secret that was saved.
    ///
    /// SQLite fills a page from its end, and a row's last column is the value. The items are on the last page with more than one row: header
    /// and state have one each.
    ///
    /// - Returns: The offset of the byte; nil if the file does not look like a vault of two secrets.
    static func flipBit(in path: String) throws(SystemFailure) -> Int? {
        let descriptor = unsafe platform_open(path, O_RDWR | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SystemFailure("open", code: errno) }
        defer { close(descriptor) }
        var page = [UInt8](repeating: 0, count: pageSize)
        var found: Int?
        var offset = 0
        while unsafe pread(descriptor, &page, pageSize, off_t(offset)) == pageSize {
            let rows = Int(page[3]) << 8 | Int(page[4])
            if page[0] == leaf, rows > 1 { found = offset + pageSize - 1 }
            offset += pageSize
        }
        guard let found else { return nil }
        var byte: [UInt8] = [0]
        guard unsafe pread(descriptor, &byte, 1, off_t(found)) == 1 else {
            throw SystemFailure("pread", code: errno)
        }
        byte[0] ^= 1
        guard unsafe pwrite(descriptor, &byte, 1, off_t(found)) == 1 else {
            throw SystemFailure("pwrite", code: errno)
        }
        return found
    }
}
