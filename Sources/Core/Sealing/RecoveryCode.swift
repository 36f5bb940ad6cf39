public import SecretMemory

/// A recovery code: 32 random bytes, shown as Base32 with check characters (`Docs/Format.md`, section 4).
public struct RecoveryCode: ~Copyable, Sendable {
    static let size = 32
    static let codeCharacters = 52
    static let checkCharacters = 4
    static let groupSize = 4
    private static let alphabet: [UInt8] = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    let bytes: SecretBytes

    /// Creates a random code.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public static func random(from source: RandomSource) throws -> RecoveryCode {
        RecoveryCode(bytes: try source.secret(count: size))
    }

    private init(bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Parses typed input; case, spaces and `-` are ignored.
    ///
    /// - Throws: `SealingError.recoveryCodeMalformed` or `recoveryCodeCheck`; `SecretMemoryError.outOfMemory`.
    public init(typed: borrowing SecretBytes) throws {
        var decoded = try SecretBytes(count: Self.size)
        let check = try Self.decode(typed, into: &decoded)
        guard check == Self.check(of: decoded) else { throw SealingError.recoveryCodeCheck }
        bytes = decoded
    }

    /// Derives a key by keyed BLAKE2b: `hash(32, key = code, input)`.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public borrowing func key<Use: SealingPurpose>(for input: [UInt8]) throws -> Key<Use> {
        var derived = try SecretBytes(count: Key<Use>.size)
        bytes.withBytes { code in
            Blake2b.hash(into: &derived, keyBytes: code) { $0.feed(input) }
        }
        return Key(derived)
    }

    /// The 56 characters in groups of four joined by `-`, in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public borrowing func text() throws -> SecretBytes {
        let characters = Self.codeCharacters + Self.checkCharacters
        var text = try SecretBytes(
            count: characters + characters / Self.groupSize - 1)
        let check = Self.check(of: bytes)
        bytes.withBytes { code in
            text.withMutableBytes { text in
                var position = 0
                for index in 0..<characters {
                    if index > 0, index.isMultiple(of: Self.groupSize) {
                        text.storeBytes(of: 0x2D, toByteOffset: position, as: UInt8.self)
                        position += 1
                    }
                    let digit =
                        index < Self.codeCharacters
                        ? Self.digit(index, of: code)
                        : Int(check >> UInt32(15 - 5 * (index - Self.codeCharacters))) & 31
                    text.storeBytes(
                        of: Self.alphabet[digit], toByteOffset: position, as: UInt8.self)
                    position += 1
                }
            }
        }
        return text
    }

    /// The five bits at position `index`, most significant first; zero bits after the end.
    private static func digit(_ index: Int, of code: RawSpan) -> Int {
        var digit = 0
        for bit in (index * 5)..<(index * 5 + 5) {
            digit <<= 1
            guard bit < size * 8 else { continue }
            let byte = unsafe code.unsafeLoad(fromByteOffset: bit / 8, as: UInt8.self)
            digit |= Int(byte >> UInt8(7 - bit % 8)) & 1
        }
        return digit
    }

    /// Decodes the code part and returns the check characters as a 20-bit number.
    private static func decode(
        _ typed: borrowing SecretBytes, into code: inout SecretBytes
    ) throws -> UInt32 {
        var check: UInt32 = 0
        var index = 0
        var isSound = true
        typed.withBytes { typed in
            code.withMutableBytes { code in
                for offset in 0..<typed.byteCount {
                    let character = unsafe typed.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                    if character == 0x20 || character == 0x2D { continue }
                    guard let digit = value(of: character), index < codeCharacters + checkCharacters
                    else {
                        isSound = false
                        return
                    }
                    if index < codeCharacters {
                        isSound = put(digit, at: index, in: &code) && isSound
                    } else {
                        check = check << 5 | UInt32(digit)
                    }
                    index += 1
                }
            }
        }
        guard isSound, index == codeCharacters + checkCharacters else {
            throw SealingError.recoveryCodeMalformed
        }
        return check
    }

    /// Stores five bits; `false` if a filler bit is set.
    private static func put(_ digit: UInt8, at index: Int, in code: inout MutableRawSpan) -> Bool {
        for position in 0..<5 where digit >> UInt8(4 - position) & 1 == 1 {
            let bit = index * 5 + position
            guard bit < size * 8 else { return false }
            let byte = unsafe code.unsafeLoad(fromByteOffset: bit / 8, as: UInt8.self)
            code.storeBytes(
                of: byte | 1 << UInt8(7 - bit % 8), toByteOffset: bit / 8, as: UInt8.self)
        }
        return true
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61
        case 0x32...0x37: character - 0x32 + 26
        default: nil
        }
    }

    /// The first 20 bits of the unkeyed hash.
    private static func check(of code: borrowing SecretBytes) -> UInt32 {
        let digest = code.withBytes { code in
            unsafe code.withUnsafeBytes { code in
                Blake2b.hash(size: 32) { input in
                    input.feed("TVRC")
                    unsafe input.feed(RawSpan(_unsafeBytes: code))
                }
            }
        }
        return UInt32(digest[0]) << 12 | UInt32(digest[1]) << 4 | UInt32(digest[2]) >> 4
    }
}
