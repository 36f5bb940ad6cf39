internal import CUTF8Proc
internal import Platform
internal import TextCoding

/// The name of an account, in the one form in which names are looked up, compared and counted.
///
/// All spellings of an address give one name: surrounding white space, case, full-width letters, ligatures (NFKC case folding) and a dot at the
/// end of the domain are ignored. Unicode's case folding makes `ß` equal to `ss`. These stay different, because merging them would give one
/// person's name to another: dots and `+` in the local part, letters that look alike, and `xn--` names and their Unicode forms.
///
/// The form is not for sending mail, because a mail server may distinguish case in the local part (RFC 5321 section 2.4).
public struct EmailAddress: Sendable, Hashable, Comparable {
    /// The largest size of the canonical form, in bytes (RFC 5321 section 4.5.3.1.3).
    public static let maximumSize = 254
    /// The largest size of a typed address, in bytes: full-width letters have three, and spaces are allowed.
    public static let maximumTypedSize = 1_024
    /// The largest number of combining marks in a row. Normalisation sorts them, in a time that grows with the square of their number.
    static let maximumMarks = 8

    /// The canonical form.
    public let text: String

    /// Brings an address into the canonical form; nil for any other text.
    ///
    /// An address has exactly one `@`, a local part, and a domain with a dot, or `localhost`. Quoted local parts, addresses in brackets, and
    /// control, format, ignorable and unassigned characters are refused.
    public init?(_ typed: String) {
        guard typed.utf8.count <= Self.maximumTypedSize, !Self.hasManyMarks(typed),
            let folded = CaseFolding.fold(Self.trimmed(typed)), !Self.hasManyMarks(folded)
        else { return nil }
        let scalars = Array(folded.unicodeScalars)
        guard let at = scalars.firstIndex(of: "@"),
            EmailSyntax.isLocalPart(scalars[..<at])
        else { return nil }
        var domain = scalars[(at + 1)...]
        if domain.last == "." { domain.removeLast() }
        guard EmailSyntax.isDomain(domain) else { return nil }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[...at])
        text.append(contentsOf: domain)
        guard String(text).utf8.count <= Self.maximumSize else { return nil }
        self.text = String(text)
    }

    /// Reads a stored name; nil for a text that is not in the canonical form.
    public init?(stored text: String) {
        if Self.isPlain(text) {
            self.text = text
            return
        }
        guard let address = EmailAddress(text), address.text.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = address
    }

    /// Orders by the bytes of the canonical forms.
    public static func < (left: EmailAddress, right: EmailAddress) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func hasManyMarks(_ text: String) -> Bool {
        var count = 0
        return text.unicodeScalars.contains { scalar in
            // The first combining mark is U+0300.
            let isMark =
                scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            count = isMark ? count + 1 : 0
            return count > maximumMarks
        }
    }

    private static func trimmed(_ typed: String) -> String {
        var scalars = typed.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}

/// The syntax of a folded address.
enum EmailSyntax {
    /// The characters that RFC 5322 allows only between quotes.
    private static let specials = Set("\"(),:;<>@[\\]".unicodeScalars)

    static func isLocalPart(_ part: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = part.first, !isMark(first) else { return false }
        return part.allSatisfy { !specials.contains($0) && isVisible($0) }
    }

    static func isDomain(_ domain: ArraySlice<Unicode.Scalar>) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        let isKnown = labels.count > 1 || domain.elementsEqual("localhost".unicodeScalars)
        return isKnown && labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = label.first, let last = label.last, first != "-", last != "-",
            !isMark(first), label.count <= 63
        else { return false }
        return label.allSatisfy { scalar in
            scalar.isASCII
                ? scalar == "-" || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                : isVisible(scalar) && isLetterMarkOrDigit(scalar)
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && VisibleText.isSafe(scalar, keepingLines: false)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isLetterMarkOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            true
        case .nonspacingMark, .spacingMark, .decimalNumber: true
        default: false
        }
    }
}

extension EmailAddress {
    /// Whether the bytes alone show that a text is canonical, as for nearly all names. A fast path: the server reads a name with each token.
    static func isPlain(_ text: String) -> Bool {
        guard text.utf8.count <= maximumSize else { return false }
        var isDomain = false
        var hasDot = false
        // The length of the local part, or of a label of the domain.
        var length = 0
        var last: UInt8 = 0
        for byte in text.utf8 {
            length += 1
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                break
            case UInt8(ascii: "-"):
                if isDomain, length == 1 { return false }
            case UInt8(ascii: "+"), UInt8(ascii: "_"):
                if isDomain { return false }
            case UInt8(ascii: "."):
                guard isDomain else { break }
                guard (2...64).contains(length), last != UInt8(ascii: "-") else { return false }
                hasDot = true
                length = 0
            case UInt8(ascii: "@"):
                if isDomain || length == 1 { return false }
                isDomain = true
                length = 0
            default: return false
            }
            last = byte
        }
        return hasDot && (1...63).contains(length) && last != UInt8(ascii: "-")
    }
}

/// NFKC case folding (Unicode Standard section 3.13, default caseless matching for identifiers), without the removal of ignorable characters.
enum CaseFolding {
    /// Folds a text; nil if it has an unassigned character, which a later version of Unicode might fold.
    ///
    /// The corresponding C function is `utf8proc_map`.
    static func fold(_ text: String) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        // Compose first: a mark that folds to a letter would separate other marks from theirs, depending on their order.
        guard let composed = map(text, canonical), let folded = map(composed, folding),
            folded.utf8.count <= EmailAddress.maximumTypedSize,
            // Folding twice must change nothing: the storage compares canonical forms.
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
