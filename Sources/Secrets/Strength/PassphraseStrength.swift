internal import CSodium
internal import Platform

/// An estimate of how hard a passphrase that a person chose is to guess.
///
/// It looks for the cheapest description that an attacker's program would find: common passwords, dictionary words, years and dates,
/// repetitions, rows of the alphabet and of the keyboard, and single characters where nothing else fits. An attacker may know more
/// (a name, a quotation, another password of the same person), so the truth may be lower: read it as "not harder than".
///
/// The passphrase is read where it lies; single words of it pass over the stack, which is wiped afterwards by `sodium_stackzero`. The memory
/// used does not depend on its length. Deterministic; thread-safe.
public struct PassphraseStrength: Sendable, Hashable {
    /// The logarithm to base 2 of the number of guesses.
    public let bits: Double

    /// Estimates a passphrase.
    ///
    /// - Parameter passphrase: UTF-8, of any length; other bytes are counted like unusual characters.
    public init(of passphrase: RawSpan) {
        bits = PassphraseScan.bits(of: passphrase)
        sodium_stackzero(16_384)
    }

    /// Takes an estimate that is already known.
    init(bits: Double) {
        self.bits = bits
    }

    /// How long guessing takes on average: half of the guesses.
    ///
    /// - Parameter guessesPerSecond: More than 0; for a vault, the number of cores divided by the seconds that one unlocking takes.
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
        if seconds >= 13.8e9 * year { return "longer than the universe has existed" }
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
        // Beyond the range of `Int` a guess rate is no measurement any more.
        String(Int(min(number.rounded(), 1e18)))
    }
}
