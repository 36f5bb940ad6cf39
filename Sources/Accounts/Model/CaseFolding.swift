internal import CUTF8Proc
internal import Platform

/// NFKC case folding (Unicode Standard section 3.13, default caseless matching for identifiers), without its removal of what is ignorable.
enum CaseFolding {
    /// Folds a text; nil if it holds a character that this version of Unicode has not assigned: a later version might fold it.
    ///
    /// The corresponding C function is `utf8proc_map`.
    static func fold(_ text: String) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        // Composed first: a mark that folds to a letter would separate the others from theirs, in one order of marks and not in another.
        guard let composed = map(text, canonical), let folded = map(composed, folding),
            // Who stores a name relies on it.
            let again = map(folded, folding), again.utf8.elementsEqual(folded.utf8)
        else { return nil }
        return folded
    }

    private static let canonical = utf8proc_option_t(
        rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue
            | UTF8PROC_REJECTNA.rawValue)
    private static let folding = utf8proc_option_t(
        rawValue: canonical.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue)

    private static func map(_ text: String, _ options: utf8proc_option_t) -> String? {
        var text = text
        return text.withUTF8 { (utf8) -> String? in
            var result: UnsafeMutablePointer<UInt8>?
            let count = unsafe utf8proc_map(utf8.baseAddress, utf8.count, &result, options)
            defer { unsafe free(result) }
            guard count >= 0, let result = unsafe result else { return nil }
            return unsafe String(
                decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
        }
    }
}
