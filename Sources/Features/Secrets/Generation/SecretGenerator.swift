internal import Platform
public import SecretMemory
internal import TextCoding

/// Generates random passwords and passphrases, directly in guarded memory.
///
/// All secrets of a ``SecretRecipe`` are equally likely. Thread-safe. The corresponding C function
/// is `randombytes_buf`, called by `RandomSource.system`.
public struct SecretGenerator: Sendable {
    private let random: RandomSource

    /// Makes a generator.
    ///
    /// - Parameter random: The source of the random bytes.
    public init(random: RandomSource = .system) {
        self.random = random
    }

    /// Generates one secret.
    ///
    /// - Parameter recipe: The kind of secret. Its size must be in ``SecretRecipe/allowedSizes``.
    /// - Returns: ASCII text in guarded memory.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public func make(_ recipe: SecretRecipe) throws -> SecretBytes {
        precondition(recipe.allowedSizes.contains(recipe.size), "the size is not allowed")
        var numbers = try GuardedNumbers(random)
        return switch recipe {
        case .password(let length), .lettersAndDigits(let length), .digits(let length):
            try password(length, recipe.classes, &numbers)
        case .words(let count): try words(count, &numbers)
        }
    }

    /// Draws whole candidates until one contains every class. Inserting a missing class would make
    /// some passwords more likely.
    private func password(
        _ length: Int, _ classes: [[UInt8]], _ numbers: inout GuardedNumbers
    ) throws -> SecretBytes {
        let characters = classes.flatMap { $0 }
        var candidate = try SecretBytes(count: length)
        while true {
            for index in 0..<length {
                let drawn = try numbers.next(below: UInt32(characters.count))
                let character = characters[Int(drawn)]
                candidate.withMutableBytes { $0.set(character, at: index) }
            }
            if length < classes.count || hasEveryClass(candidate, of: classes) {
                return candidate
            }
        }
    }

    private func hasEveryClass(
        _ candidate: borrowing SecretBytes, of classes: [[UInt8]]
    ) -> Bool {
        candidate.withBytes { bytes in
            classes.allSatisfy { members in
                (0..<bytes.byteCount).contains { members.contains(bytes[$0]) }
            }
        }
    }

    private func words(
        _ count: Int, _ numbers: inout GuardedNumbers
    ) throws -> SecretBytes {
        var secret = try SecretBytes(count: count * 9)
        var size = 0
        for index in 0..<count {
            let word = PassphraseWords.words[
                Int(try numbers.next(below: UInt32(PassphraseWords.words.count)))]
            secret.withMutableBytes { bytes in
                if index > 0 {
                    bytes.set(UInt8(ascii: "-"), at: size)
                    size += 1
                }
                for letter in 0..<word.count {
                    bytes.set(word[letter], at: size)
                    size += 1
                }
            }
        }
        secret.keep(count: size)
        return secret
    }
}

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

/// Random numbers like `RandomSource.number(below:)`, but drawn in guarded memory, because the
/// drawn bytes reveal the secret.
struct GuardedNumbers: ~Copyable {
    private let source: RandomSource
    private var bytes: SecretBytes
    private var position = 0

    init(_ source: RandomSource) throws {
        self.source = source
        bytes = try source.secret(count: 256)
    }

    /// Returns a uniformly distributed number below `bound`, which must be at least 1.
    mutating func next(below bound: UInt32) throws -> UInt32 {
        precondition(bound > 0)
        // As in `randombytes_uniform`, numbers below 2^32 mod bound are rejected.
        let threshold = (0 &- bound) % bound
        while true {
            if position == bytes.count {
                bytes = try source.secret(count: bytes.count)
                position = 0
            }
            let drawn = bytes.withBytes { span in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(span[position + $1]) }
            }
            position += 4
            if drawn >= threshold { return drawn % bound }
        }
    }
}
