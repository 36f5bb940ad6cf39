internal import CQREncode
package import SecretMemory

/// A QR code (ISO/IEC 18004) for a terminal. libqrencode is loaded on first use and never unloaded.
package enum QRCode {
    /// The Debian package of the library.
    package static let libraryPackage = "libqrencode4"

    /// The width of the quiet zone, in modules.
    private static let border = 4

    /// The QR code of a text. Each line shows two rows of modules.
    ///
    /// Light modules are printed, so that a dark terminal shows the code as specified. Most readers
    /// also accept it inverted.
    ///
    /// - Returns: The lines; nil without libqrencode, or if the text is too long.
    package static func lines(of text: borrowing SecretBytes) -> [String]? {
        guard let library = unsafe cqrencode_load("libqrencode.so.4") else { return nil }
        let code = unsafe text.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress.flatMap {
                    // Version 0 selects the smallest version that fits.
                    unsafe library.pointee.QRcode_encodeData(
                        Int32(buffer.count), $0, 0, UInt32(CQRENCODE_LOWEST_LEVEL))
                }
            }
        }
        guard let code = unsafe code else { return nil }
        defer { unsafe library.pointee.QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        var isDark: [Bool] = []
        for place in 0..<(width * width) {
            isDark.append(unsafe code.pointee.data[place] & 1 == 1)
        }
        func isLight(_ row: Int, _ column: Int) -> Bool {
            let isInside = (0..<width).contains(row) && (0..<width).contains(column)
            return !isInside || !isDark[row * width + column]
        }
        return stride(from: -border, to: width + border, by: 2).map { row in
            (-border..<(width + border)).map { column -> String in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }
}
