internal import SecretMemory
internal import TextCoding

/// The one-time password seeds of KeePass and its plug-ins, for example of the placeholder
/// `{TIMEOTP}`.
enum KeePassSeed {
    /// Where an entry has a seed.
    enum Kind: CaseIterable {
        /// The field `otp`: an `otpauth` URI of KeePassXC, or parameters of the plug-in KeeOtp.
        case otp
        /// The fields `TimeOtp-…` of KeePass.
        case timeOtp
        /// The fields of the plug-in KeeTrayTOTP.
        case trayTOTP
        /// The fields `HmacOtp-…` of KeePass, for codes by a counter.
        case counter

        func has(_ key: String) -> Bool {
            switch self {
            case .otp: key == "otp"
            case .timeOtp: key.hasPrefix("TimeOtp-")
            case .trayTOTP: key == "TOTP Seed" || key == "TOTP Settings"
            case .counter: key.hasPrefix("HmacOtp-")
            }
        }
    }

    /// The meanings of an entry's fields.
    enum Result {
        /// A seed, or its URI, made of the fields with these names.
        case seed(ImportedValue, used: Set<String>)
        case unsupported(UnsupportedPart)
    }

    /// The encoding of a secret.
    private enum Encoding: String {
        case base32, base64, hex, utf8
    }

    /// The parameters of a URI.
    private struct Parameters {
        var text = ""

        mutating func add(_ name: String, _ value: String, _ range: ClosedRange<Int>) -> Bool {
            guard let number = Int(value.trimmed), range.contains(number) else { return false }
            text += "&\(name)=\(number)"
            return true
        }

        mutating func add(algorithm: String) -> Bool {
            let name = algorithm.uppercased().filter { $0 != "-" }
            let short = name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name
            guard OneTimeAlgorithm(rawValue: short) != nil else { return false }
            text += "&algorithm=\(short)"
            return true
        }

        mutating func addDigits(_ value: String) -> Bool { add("digits", value, 6...8) }
        mutating func addPeriod(_ value: String) -> Bool { add("period", value, 1...86_400) }
    }

    static func read(
        _ kind: Kind, _ fields: [String: ImportedValue], in bytes: RawSpan
    ) throws -> Result {
        switch kind {
        case .otp: try readURI(fields, in: bytes)
        case .timeOtp: try readTimeOtp(fields, in: bytes)
        case .trayTOTP: try readTrayTOTP(fields, in: bytes)
        case .counter: .unsupported(.counterSeed)
        }
    }

    /// Joins a secret and its parameters into one URI.
    private static func uri(
        _ secret: ImportedValue, _ encoding: Encoding, _ parameters: Parameters, in bytes: RawSpan
    ) throws -> ImportedValue? {
        guard let secret = try base32(secret, encoding, in: bytes) else { return nil }
        if parameters.text.isEmpty { return secret }
        return ImportedValue(
            pieces: [.literal("otpauth://totp/?secret=")] + secret.pieces
                + [.literal(parameters.text)])
    }

    /// A secret as Base32; nil if it is not in the encoding.
    private static func base32(
        _ secret: ImportedValue, _ encoding: Encoding, in bytes: RawSpan
    ) throws -> ImportedValue? {
        if encoding == .base32 { return secret }
        return try secret.withSecret(in: bytes) { text in
            try text.withBytes { text in
                let decoded: SecretBytes?
                switch encoding {
                case .hex: decoded = try hexadecimal(text)
                case .base64:
                    let plain = try withoutBlanks(text)
                    decoded = try plain.withBytes { try Base64.secret(of: $0) }
                default: decoded = try SecretBytes(copying: text)
                }
                guard let decoded, decoded.count > 0 else { return nil }
                return ImportedValue(
                    .held(HeldSecret(try decoded.withBytes { try Base32.encode($0) })))
            }
        }
    }

    private static func withoutBlanks(_ text: RawSpan) throws -> SecretBytes {
        var plain = try SecretBytes(count: text.byteCount)
        var count = 0
        for place in 0..<text.byteCount where !" \t\r\n".utf8.contains(text[place]) {
            plain.withMutableBytes { $0.set(text[place], at: count) }
            count += 1
        }
        plain.keep(count: count)
        return plain
    }

    private static func hexadecimal(_ text: RawSpan) throws -> SecretBytes? {
        var decoded = try SecretBytes(count: text.byteCount / 2 + 1)
        var digits = 0
        var byte: UInt8 = 0
        for place in 0..<text.byteCount where !" \t\r\n-:".utf8.contains(text[place]) {
            let value: UInt8
            switch text[place] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = text[place] - UInt8(ascii: "0")
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = text[place] - UInt8(ascii: "A") + 10
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = text[place] - UInt8(ascii: "a") + 10
            default: return nil
            }
            byte = byte << 4 | value
            digits += 1
            if digits.isMultiple(of: 2) {
                decoded.withMutableBytes { $0.set(byte, at: digits / 2 - 1) }
            }
        }
        guard digits.isMultiple(of: 2) else { return nil }
        decoded.keep(count: digits / 2)
        return decoded
    }

    // MARK: The field `otp`

    private static func readURI(
        _ fields: [String: ImportedValue], in bytes: RawSpan
    ) throws -> Result {
        guard let value = fields["otp"] else { return .unsupported(.seed) }
        let isURI = try value.withSecret(in: bytes) { text in
            text.withBytes { $0.hasText("otpauth:", at: 0) }
        }
        if isURI {
            let kind = try value.withSecret(in: bytes) { try OneTimePassword.unsupportedKind($0) }
            return kind.map { Result.unsupported($0) } ?? .seed(value, used: ["otp"])
        }
        let found: [(name: String, value: Range<Int>)] = try value.withSecret(in: bytes) { text in
            text.withBytes { ranges(of: $0) }
        }
        guard let key = found.first(where: { $0.name == "key" })?.value else {
            return .unsupported(.seed)
        }
        var parameters = Parameters()
        var encoding = Encoding.base32
        for (name, range) in found where name != "key" {
            let text = try value.part(range).text(in: bytes) ?? ""
            var isKnown = true
            switch name {
            case "size": isKnown = parameters.addDigits(text)
            case "step": isKnown = parameters.addPeriod(text)
            case "otphashmode": isKnown = parameters.add(algorithm: text)
            case "type":
                switch text.lowercased() {
                case "totp": break
                case "hotp": return .unsupported(.counterSeed)
                case "steam": return .unsupported(.steamSeed)
                default: isKnown = false
                }
            case "encoding":
                if let found = Encoding(rawValue: text.lowercased()) {
                    encoding = found
                } else {
                    isKnown = false
                }
            // Without a meaning for these codes, as in KeeOtp.
            default: break
            }
            if !isKnown { return .unsupported(.seed) }
        }
        let secret = try value.part(key).percentDecoded(in: bytes)
        guard let seed = try uri(secret, encoding, parameters, in: bytes) else {
            return .unsupported(.seed)
        }
        return .seed(seed, used: ["otp"])
    }

    /// The parameters of a query such as `key=…&size=8`, with names in lower case.
    private static func ranges(of text: RawSpan) -> [(name: String, value: Range<Int>)] {
        var found: [(name: String, value: Range<Int>)] = []
        var start = 0
        for end in 0...text.byteCount
        where end == text.byteCount || text[end] == UInt8(ascii: "&") {
            if let equals = (start..<end).first(where: { text[$0] == UInt8(ascii: "=") }),
                equals - start <= 16, let name = text.extracting(start..<equals).text()
            {
                found.append((name.lowercased(), (equals + 1)..<end))
            }
            start = end + 1
        }
        return found
    }

    // MARK: Other fields

    private static func readTimeOtp(
        _ fields: [String: ImportedValue], in bytes: RawSpan
    ) throws -> Result {
        // The order of KeePass, if there are several.
        let keys: [(String, Encoding)] = [
            ("TimeOtp-Secret", .utf8), ("TimeOtp-Secret-Hex", .hex),
            ("TimeOtp-Secret-Base32", .base32), ("TimeOtp-Secret-Base64", .base64),
        ]
        guard let (key, encoding) = keys.first(where: { fields[$0.0] != nil }),
            let secret = fields[key]
        else { return .unsupported(.seed) }
        var parameters = Parameters()
        var used: Set<String> = [key]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let isKnown: Bool
            switch name {
            case "TimeOtp-Length": isKnown = try parameters.addDigits(value.text(in: bytes) ?? "")
            case "TimeOtp-Period": isKnown = try parameters.addPeriod(value.text(in: bytes) ?? "")
            case "TimeOtp-Algorithm":
                isKnown = try parameters.add(algorithm: value.text(in: bytes) ?? "")
            default:
                guard keys.contains(where: { $0.0 == name }) else { return .unsupported(.seed) }
                continue
            }
            guard isKnown else { return .unsupported(.seed) }
            used.insert(name)
        }
        guard let seed = try uri(secret, encoding, parameters, in: bytes) else {
            return .unsupported(.seed)
        }
        return .seed(seed, used: used)
    }

    private static func readTrayTOTP(
        _ fields: [String: ImportedValue], in bytes: RawSpan
    ) throws -> Result {
        guard let secret = fields["TOTP Seed"] else { return .unsupported(.seed) }
        var parameters = Parameters()
        if let settings = try fields["TOTP Settings"]?.text(in: bytes) {
            // The settings are period, digits, and optionally the URL of a clock.
            let parts = settings.split(separator: ";", maxSplits: 2).map { String($0) }
            guard parts.count >= 2 else { return .unsupported(.seed) }
            if parts[1] == "S" { return .unsupported(.steamSeed) }
            guard parameters.addPeriod(parts[0]), parameters.addDigits(parts[1]) else {
                return .unsupported(.seed)
            }
        }
        guard let seed = try uri(secret, .base32, parameters, in: bytes) else {
            return .unsupported(.seed)
        }
        return .seed(seed, used: Set(fields.keys))
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension ImportedValue {
    /// The value with each `%` and two hexadecimal digits as one byte.
    fileprivate func percentDecoded(in bytes: RawSpan) throws -> ImportedValue {
        let hasEscape = try withSecret(in: bytes) { text in
            text.withBytes { $0.contains(UInt8(ascii: "%")) }
        }
        guard hasEscape else { return self }
        return try withSecret(in: bytes) { text in
            try text.withBytes { text in
                var plain = try SecretBytes(count: text.byteCount)
                var (count, place) = (0, 0)
                while place < text.byteCount {
                    var byte = text[place]
                    place += 1
                    if byte == UInt8(ascii: "%"), place + 2 <= text.byteCount,
                        let high = Character(Unicode.Scalar(text[place])).hexDigitValue,
                        let low = Character(Unicode.Scalar(text[place + 1])).hexDigitValue
                    {
                        byte = UInt8(high << 4 | low)
                        place += 2
                    }
                    plain.withMutableBytes { $0.set(byte, at: count) }
                    count += 1
                }
                plain.keep(count: count)
                return ImportedValue(.held(HeldSecret(plain)))
            }
        }
    }
}
