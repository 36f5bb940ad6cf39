public import SecretMemory
internal import TextCoding

/// Why no secret was made.
public enum SecretGeneratorError: Error, Sendable, Hashable {
    /// The length of the password, or the number of words, is not in `allowed`.
    case outOfRange(allowed: ClosedRange<Int>)
    /// Guarded memory is used up.
    case outOfMemory
}

/// Makes random passwords and passphrases, directly in guarded memory.
///
/// Every secret of a ``SecretRecipe`` is equally likely. Thread-safe. The corresponding C function is `randombytes_buf`, by
/// `RandomSource.system`.
public struct SecretGenerator: Sendable {
    private let random: RandomSource

    /// Makes a generator.
    ///
    /// - Parameter random: Where the random bytes come from.
    public init(random: RandomSource = .system) {
        self.random = random
    }

    /// Makes one secret.
    ///
    /// - Parameter recipe: What it looks like.
    /// - Returns: ASCII text in guarded memory.
    /// - Throws: `outOfRange`, `outOfMemory`.
    public func make(_ recipe: SecretRecipe) throws(SecretGeneratorError) -> SecretBytes {
        let (size, allowed) =
            switch recipe {
            case .password(let length): (length, SecretRecipe.passwordLengths)
            case .words(let count): (count, SecretRecipe.wordCounts)
            }
        guard allowed.contains(size) else { throw .outOfRange(allowed: allowed) }
        do {
            var numbers = try GuardedNumbers(random)
            switch recipe {
            case .password(let length): return try password(length, &numbers)
            case .words(let count): return try words(count, &numbers)
            }
        } catch {
            throw .outOfMemory
        }
    }

    /// Draws whole candidates until one has every class: to put a missing digit somewhere would make some passwords likelier than others.
    private func password(
        _ length: Int, _ numbers: inout GuardedNumbers
    ) throws(SecretMemoryError) -> SecretBytes {
        var candidate = try SecretBytes(count: length)
        while true {
            for index in 0..<length {
                let drawn = try numbers.next(below: UInt32(PasswordAlphabet.characters.count))
                let character = PasswordAlphabet.characters[Int(drawn)]
                candidate.withMutableBytes { $0.set(character, at: index) }
            }
            if length < PasswordAlphabet.classes.count || hasEveryClass(candidate) {
                return candidate
            }
        }
    }

    private func hasEveryClass(_ candidate: borrowing SecretBytes) -> Bool {
        candidate.withBytes { bytes in
            PasswordAlphabet.classes.allSatisfy { members in
                (0..<bytes.byteCount).contains { members.contains(bytes[$0]) }
            }
        }
    }

    private func words(
        _ count: Int, _ numbers: inout GuardedNumbers
    ) throws(SecretMemoryError) -> SecretBytes {
        var secret = try SecretBytes(count: count * 9)
        var size = 0
        for index in 0..<count {
            let word = WordList.words[Int(try numbers.next(below: UInt32(WordList.words.count)))]
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
