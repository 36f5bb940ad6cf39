internal import Platform

/// What kind of secret ``SecretGenerator`` makes.
public enum SecretRecipe: Sendable, Hashable {
    /// Letters, digits and symbols that are not easily taken for each other.
    ///
    /// From four characters on there is at least one lower-case letter, one capital, one digit and one symbol, as many sites ask for.
    case password(length: Int = 20)
    /// Common English words with hyphens between them.
    case words(count: Int = 6)

    /// The lengths that a password can have, in characters.
    public static let passwordLengths = 1...1_024
    /// The numbers of words that a passphrase can have.
    public static let wordCounts = 1...64

    /// How hard guessing is for one who knows the recipe: the logarithm to base 2 of the number of secrets, all of them equally likely.
    public var entropyBits: Double {
        switch self {
        case .words(let count): Double(count) * log2(Double(WordList.words.count))
        case .password(let length): Self.passwordBits(length)
        }
    }

    private static func passwordBits(_ length: Int) -> Double {
        let size = Double(PasswordAlphabet.characters.count)
        let all = Double(length) * log2(size)
        guard length >= PasswordAlphabet.classes.count else { return all }
        // Inclusion and exclusion: passwords without some classes are taken away, those without two were taken away twice, …
        var share = 0.0
        for subset in 0..<(1 << PasswordAlphabet.classes.count) {
            var missing = 0.0
            for (index, members) in PasswordAlphabet.classes.enumerated()
            where subset & (1 << index) != 0 {
                missing += Double(members.count)
            }
            let term = pow(1 - missing / size, Double(length))
            share += subset.nonzeroBitCount.isMultiple(of: 2) ? term : -term
        }
        return all + log2(share)
    }
}

/// The characters of generated passwords: 64 of them, without `I`, `l`, `1`, `O`, `o` and `0`, and without symbols that begin a spreadsheet
/// formula or need more than quotes in a shell.
enum PasswordAlphabet {
    static let classes: [[UInt8]] = [
        Array("abcdefghijkmnpqrstuvwxyz".utf8), Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8),
        Array("23456789".utf8), Array("!#%&*?_~".utf8),
    ]
    static let characters: [UInt8] = classes.flatMap { $0 }
}
