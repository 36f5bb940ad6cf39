internal import Platform

/// The kind of a generated secret.
public enum SecretRecipe: Sendable, Hashable {
    /// Letters, digits and symbols, without characters that look alike.
    ///
    /// With four or more characters it contains a lower-case letter, a capital, a digit and a
    /// symbol, as many sites require.
    case password(length: Int = 20)
    /// The same letters and digits without symbols. With three or more characters it contains each
    /// class.
    case lettersAndDigits(length: Int)
    /// Digits, such as a PIN.
    case digits(length: Int)
    /// Common English words, separated by hyphens.
    case words(count: Int = 6)

    /// The number of characters or words.
    public var size: Int {
        switch self {
        case .password(let length), .lettersAndDigits(let length), .digits(let length): length
        case .words(let count): count
        }
    }

    /// The sizes that ``SecretGenerator`` accepts.
    public var allowedSizes: ClosedRange<Int> {
        switch self {
        case .password, .lettersAndDigits, .digits: 1...1_024
        case .words: 1...64
        }
    }

    /// The logarithm to base 2 of the number of equally likely secrets.
    public var entropyBits: Double {
        switch self {
        case .words(let count): Double(count) * log2(Double(PassphraseWords.words.count))
        case .password(let length), .lettersAndDigits(let length), .digits(let length):
            Self.passwordBits(length, classes)
        }
    }

    /// The characters by class; empty for words.
    var classes: [[UInt8]] {
        switch self {
        case .password: PasswordAlphabet.classes
        case .lettersAndDigits: PasswordAlphabet.classes.dropLast()
        case .digits: [Array("0123456789".utf8)]
        case .words: []
        }
    }

    private static func passwordBits(_ length: Int, _ classes: [[UInt8]]) -> Double {
        let size = Double(classes.reduce(0) { $0 + $1.count })
        let all = Double(length) * log2(size)
        guard length >= classes.count else { return all }
        // The inclusion–exclusion principle, applied to the missing classes.
        var share = 0.0
        for subset in 0..<(1 << classes.count) {
            var missing = 0.0
            for (index, members) in classes.enumerated()
            where subset & (1 << index) != 0 {
                missing += Double(members.count)
            }
            let term = pow(1 - missing / size, Double(length))
            share += subset.nonzeroBitCount.isMultiple(of: 2) ? term : -term
        }
        return all + log2(share)
    }
}

/// The 64 characters of generated passwords, without `I`, `l`, `1`, `O`, `o` and `0`.
///
/// Symbols that start a spreadsheet formula, or that need more than quotes in a shell, are excluded
/// as well.
enum PasswordAlphabet {
    static let classes: [[UInt8]] = [
        Array("abcdefghijkmnpqrstuvwxyz".utf8), Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8),
        Array("23456789".utf8), Array("!#%&*?_~".utf8),
    ]
    static let characters: [UInt8] = classes.flatMap { $0 }
}
