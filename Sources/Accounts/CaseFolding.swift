internal import CUTF8Proc

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// NFKC case folding (Unicode Standard section 3.13, default caseless matching for identifiers), without its removal of what is ignorable.
enum CaseFolding {
    /// Folds a text; nil if it holds a character that this version of Unicode has not assigned: a later version might fold it.
    ///
    /// The corresponding C function is `utf8proc_map`.
    static func fold(_ text: String) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        // Once is not always enough: what was composed may fold again.
        var folded = map(text)
        for _ in 0..<2 {
            guard let last = folded, let next = map(last) else { return nil }
            if next.utf8.elementsEqual(last.utf8) { return last }
            folded = next
        }
        return nil
    }

    private static let options = utf8proc_option_t(
        rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue
            | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue
            | UTF8PROC_REJECTNA.rawValue)

    private static func map(_ text: String) -> String? {
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
