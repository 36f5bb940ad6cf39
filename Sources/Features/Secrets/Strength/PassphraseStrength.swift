internal import Platform
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// The strength of a passphrase: an upper bound for the number of guesses.
///
/// libzxcvbn estimates it from dictionaries, dates, keyboards and repetitions. ``CommonPhrases``
/// lowers the estimate. An attacker may know more, such as a name, a quotation or another password
/// of the user. Deterministic; thread-safe.
public struct PassphraseStrength: Sendable, Hashable, CustomStringConvertible {
    /// The rating of a passphrase.
    public enum Level: String, Sendable {
        /// Fewer than 10^8 guesses.
        case weak
        /// Fewer than 10^16 guesses.
        case fair
        /// 10^16 guesses or more.
        case strong
    }

    /// The logarithm to base 10 of the number of guesses.
    let exponent: Double
    private let isMeasured: Bool

    /// The level of ``exponent``.
    public var level: Level { exponent < 8 ? .weak : exponent < 16 ? .fair : .strong }

    /// For example `at most 10^19 guesses`.
    package var guesses: String { "at most 10^\(Int(max(1, exponent.rounded(.up)))) guesses" }

    /// For example `strong (at most 10^19 guesses)`. A rough estimate adds its reason.
    public var description: String {
        let reason = isMeasured ? "" : ", by its length only: libzxcvbn is not installed"
        return "\(level.rawValue) (\(guesses)\(reason))"
    }

    /// Estimates a passphrase.
    ///
    /// - Parameter passphrase: UTF-8 of any length.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public init(of passphrase: RawSpan) throws {
        try self.init(of: passphrase, by: ZxcvbnLibrary.shared)
    }

    /// Estimates a passphrase with libzxcvbn, or from its length.
    init(of passphrase: RawSpan, by library: ZxcvbnLibrary?) throws {
        let characters = try Self.characters(of: passphrase)
        let bits =
            library.map { $0.bits(of: characters) } ?? Self.bits(length: characters.count - 1)
        let phraseBits = try CommonPhrases.bits(in: passphrase) ?? .infinity
        exponent = min(bits, phraseBits) * log10(2.0)
        isMeasured = library != nil
    }

    /// One byte for each character, and a final zero. libzxcvbn counts bytes, and would count a
    /// non-ASCII letter several times.
    private static func characters(of passphrase: RawSpan) throws -> SecretBytes {
        var characters = try SecretBytes(count: passphrase.byteCount + 1)
        var count = 0
        for offset in 0..<passphrase.byteCount {
            let byte = passphrase[offset]
            // The last byte of a UTF-8 sequence varies most.
            if byte & 0xC0 == 0x80, count > 0 { count -= 1 }
            characters.withMutableBytes { $0.set(max(byte, 1), at: count) }
            count += 1
        }
        characters.withMutableBytes { $0.set(0, at: count) }
        characters.keep(count: count + 1)
        return characters
    }

    /// The estimate of NIST SP 800-63-1, table A.1, for user-chosen passwords without further
    /// checks.
    private static func bits(length: Int) -> Double {
        (0..<length).reduce(0) { sum, index in
            sum + (index == 0 ? 4 : index < 8 ? 2 : index < 20 ? 1.5 : 1)
        }
    }
}
