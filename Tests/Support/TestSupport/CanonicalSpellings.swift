internal import Foundation

extension String {
    /// This text in the canonical forms of Unicode, as Foundation computes them.
    ///
    /// Omits a composed form that does not decompose again: Foundation of Swift 6.3 composes the old Korean consonants from U+1113 on
    /// with a vowel to other letters, or to U+FFFD.
    package var canonicalSpellings: [String] {
        let decomposed = decomposedStringWithCanonicalMapping
        let composed = precomposedStringWithCanonicalMapping
        let comesApart = composed.decomposedStringWithCanonicalMapping.utf8
            .elementsEqual(decomposed.utf8)
        return comesApart ? [composed, decomposed] : [decomposed]
    }
}
