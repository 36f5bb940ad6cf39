internal import TextCoding

extension ByteSink where Self: ~Copyable {
    /// Writes an unfolded line, folded to 75 octets.
    mutating func writeFolded(_ line: String) throws {
        var folded = String.UnicodeScalarView()
        var size = 0
        for scalar in line.unicodeScalars {
            let width = UTF8.width(scalar)
            if size + width > 75 {
                folded += ["\r", "\n", " "]
                size = 1
            }
            folded.append(scalar)
            size += width
        }
        try write(String(folded) + "\r\n")
    }
}
