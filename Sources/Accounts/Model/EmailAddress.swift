internal import TextCoding

/// The name of an account, in the one form in which names are looked up, compared and counted.
///
/// However an address is spelled, it comes to one name: white space around it, upper and lower case, full-width letters, ligatures and the
/// like do not count (NFKC case folding), nor does a dot at the end of the domain. What stays different: dots and `+` in the local part,
/// which only its own server may ignore; letters that look alike; `xn--` names and what they stand for. Merging those would hand one
/// person's name to another. As everywhere in Unicode's case folding, `ß` is the same as `ss`.
///
/// It is a name, not a place to send mail to: the local part is folded too.
public struct EmailAddress: Sendable, Hashable, Comparable {
    /// The largest size of the canonical form, in bytes (RFC 5321 section 4.5.3.1.3).
    public static let maximumSize = 254
    /// The largest size of what is looked at, in bytes: full-width letters have three, and there may be spaces.
    public static let maximumTypedSize = 1_024

    /// The canonical form.
    public let text: String

    /// Brings an address into the canonical form; nil for what is none.
    ///
    /// An address has exactly one `@`, something before it, and behind it a domain with a dot in it, or `localhost`. Quoted local parts and
    /// addresses in brackets are none, nor is what holds a control, format or ignorable character or one that Unicode has not assigned.
    public init?(_ typed: String) {
        guard typed.utf8.count <= Self.maximumTypedSize,
            let folded = CaseFolding.fold(Self.trimmed(typed))
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

    /// Reads a name as it is stored; nil for anything that is not in the canonical form.
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

    private static func trimmed(_ typed: String) -> String {
        var scalars = typed.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}

/// What may stand in a folded address.
enum EmailSyntax {
    /// What RFC 5322 allows only between quotes.
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
