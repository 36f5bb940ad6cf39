internal import TextCoding

/// The reader of a list of `otpauth` URIs, one a line. A URI becomes an entry, see ``ImportedRecord``.
///
/// The issuer is the service, and the rest of the label the account. Empty lines and lines that begin
/// with `#` do not count.
enum SeedList {
    /// Whether the first line that counts is an `otpauth` URI.
    static func isList(_ bytes: RawSpan) -> Bool {
        var isList = false
        forEachLine(of: bytes) { _, line in
            isList = isSeed(line, in: bytes)
            return false
        }
        return isList
    }

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var run = ImportRun(.seedList, mode)
        try forEachLine(of: bytes) { number, line in
            guard isSeed(line, in: bytes) else {
                run.skip(number, .notSeed, "")
                return true
            }
            var record = ImportedRecord(line: number)
            record.kind = .other
            record.add("totp", ImportedValue(.plain(line)))
            let (issuer, account) = name(of: bytes.extracting(line))
            record.title = issuer.isEmpty ? account : issuer
            if !issuer.isEmpty { record.account = account }
            try record.deliver(in: bytes, &run, receive)
            return true
        }
        return run
    }

    private static func isSeed(_ line: Range<Int>, in bytes: RawSpan) -> Bool {
        zip(0..., "otpauth://".utf8).allSatisfy { place, letter in
            place < line.count && bytes[line.lowerBound + place] | 0x20 == letter | 0x20
        }
    }

    /// Calls `body` with the number and the range of each line that counts, until it returns `false`.
    private static func forEachLine(
        of bytes: RawSpan, _ body: (Int, Range<Int>) throws -> Bool
    ) rethrows {
        func isBlank(_ place: Int) -> Bool { bytes[place] == 0x20 || bytes[place] == 0x09 }
        var number = 1
        var start = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
        while start < bytes.byteCount {
            var end = start
            while end < bytes.byteCount, bytes[end] != Byte.lineFeed,
                bytes[end] != Byte.carriageReturn
            {
                end += 1
            }
            let next = end + (bytes.hasText("\r\n", at: end) ? 2 : 1)
            while start < end, isBlank(start) { start += 1 }
            while end > start, isBlank(end - 1) { end -= 1 }
            if start < end, bytes[start] != UInt8(ascii: "#") {
                guard try body(number, start..<end) else { return }
            }
            number += 1
            start = next
        }
    }

    /// The issuer and the account of a URI; both may be empty.
    private static func name(of uri: RawSpan) -> (issuer: String, account: String) {
        func text(_ range: Range<Int>) -> String {
            var text: [UInt8] = []
            var place = range.lowerBound
            while place < range.upperBound {
                var byte = uri[place]
                place += 1
                if byte == UInt8(ascii: "%"), place + 2 <= range.upperBound,
                    let high = Character(Unicode.Scalar(uri[place])).hexDigitValue,
                    let low = Character(Unicode.Scalar(uri[place + 1])).hexDigitValue
                {
                    byte = UInt8(high << 4 | low)
                    place += 2
                }
                text.append(byte)
            }
            return String(decoding: text, as: UTF8.self)
        }
        func first(_ byte: UInt8, in range: Range<Int>) -> Int {
            range.first { uri[$0] == byte } ?? range.upperBound
        }
        let all = 0..<uri.byteCount
        let question = first(UInt8(ascii: "?"), in: all)
        // Without parameters, the rest of a damaged URI could be its secret.
        guard question < uri.byteCount else { return ("", "") }
        // After `otpauth://` and the type.
        let slash = first(UInt8(ascii: "/"), in: min(10, question)..<question)
        let label = text(min(slash + 1, question)..<question)
        var issuer = ""
        var start = min(question + 1, uri.byteCount)
        while start < uri.byteCount {
            let end = first(UInt8(ascii: "&"), in: start..<uri.byteCount)
            if uri.hasText("issuer=", at: start), end >= start + 7 {
                let value = (start + 7)..<end
                issuer = text(value.lowerBound..<first(UInt8(ascii: "?"), in: value))
            }
            start = end + 1
        }
        guard let colon = label.firstIndex(of: ":") else { return (issuer, label) }
        let account = String(label[colon...].dropFirst().drop(while: \.isWhitespace))
        return (issuer.isEmpty ? String(label[..<colon]) : issuer, account)
    }
}
