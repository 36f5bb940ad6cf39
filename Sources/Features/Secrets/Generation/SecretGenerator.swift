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
