internal import CSodium
internal import Platform

/// An estimate of the strength of a chosen passphrase: an upper bound.
///
/// It finds the cheapest description by common passwords, dictionary words, years and dates, repetitions, rows of the alphabet and of the
/// keyboard, and single characters. An attacker may know more, such as a name, a quotation or another password of the person.
///
/// The passphrase stays in place; single words pass over the stack, which `sodium_stackzero` wipes. The memory use does not depend on the
/// length. Deterministic; thread-safe.
public struct PassphraseStrength: Sendable, Hashable {
    /// The logarithm to base 2 of the number of guesses.
    public let bits: Double

    /// Estimates a passphrase.
    ///
    /// - Parameter passphrase: UTF-8 of any length; other bytes count as unusual characters.
    public init(of passphrase: RawSpan) {
        bits = PassphraseScan.bits(of: passphrase)
        sodium_stackzero(16_384)
    }

    /// Makes a known estimate.
    init(bits: Double) {
        self.bits = bits
    }

    /// The average time of guessing, for half of the guesses.
    ///
    /// - Parameter guessesPerSecond: More than 0; for a vault, the number of cores divided by the seconds of one unlock.
    /// - Returns: Seconds; may be infinite.
    public func guessingTime(guessesPerSecond: Double) -> Double {
        precondition(guessesPerSecond > 0)
        return exp2(bits - 1) / guessesPerSecond
    }

    /// The estimate for a person: `guessing it takes about 3 days on one machine with 10 guesses a second`.
    ///
    /// - Parameter guessesPerSecond: As in ``guessingTime(guessesPerSecond:)``.
    /// - Returns: A sentence without a capital and a full stop.
    public func sentence(guessesPerSecond: Double) -> String {
        let duration = Self.duration(guessingTime(guessesPerSecond: guessesPerSecond))
        let rate =
            guessesPerSecond >= 1
            ? Self.whole(guessesPerSecond)
            : "\((max(guessesPerSecond, 0.01) * 100).rounded() / 100)"
        let noun = rate == "1" ? "guess" : "guesses"
        return "guessing it takes \(duration) on one machine with \(rate) \(noun) a second"
    }

    private static func duration(_ seconds: Double) -> String {
        let year = 31_557_600.0
        let units: [(size: Double, name: String)] = [
            (year, "year"), (year / 12, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"),
            (1, "second"),
        ]
        if seconds >= 1e10 * year { return "more than 10 billion years" }
        for (size, name) in [(1e9, "billion"), (1e6, "million"), (1e3, "thousand")]
        where seconds >= size * year {
            return "about \(whole(seconds / year / size)) \(name) years"
        }
        for (size, name) in units where seconds >= size {
            let count = whole(seconds / size)
            return "about \(count) \(name)\(count == "1" ? "" : "s")"
        }
        return "less than a second"
    }

    private static func whole(_ number: Double) -> String {
        // Larger rates are not meaningful.
        String(Int(min(number.rounded(), 1e18)))
    }
}
