/// Compares the parsed head with the bytes of the head in libmicrohttpd's memory.
///
/// libmicrohttpd 0.9.75 accepts lines that end with a bare LF, NUL in a value, white space before
/// the colon, and folded values. It misreads some of them.
///
/// It overwrites the separators with zero bytes: a colon with one, CR LF with two. The comparison must
/// find exactly the fields that libmicrohttpd reports; any other head is refused. NUL LF looks like
/// CR LF, but both end the line, so the fields are the same.
@safe struct HeadComparison {
    private var rest: UnsafeRawBufferPointer

    /// Starts at the first byte of a head, which must outlive the comparison.
    init(_ head: UnsafeRawBufferPointer) {
        unsafe rest = head
    }

    /// Whether all bytes were compared.
    var isAtEnd: Bool { unsafe rest.isEmpty }

    /// Compares the first line: method, target (whose bytes libmicrohttpd has changed) and version.
    mutating func matchFirstLine(
        method: UnsafeRawBufferPointer, targetSize: Int, version: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = unsafe readPart(), unsafe Self.areEqual(first, method),
            unsafe targetSize < rest.count
        else { return false }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[targetSize...])
        guard readZero(), let last = unsafe readPart() else { return false }
        return unsafe Self.areEqual(last, version) && readZero()
    }

    /// Compares one line. It must be well-formed and contain this field.
    mutating func matchField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe readPart(), unsafe Self.areEqual(first, name),
            unsafe HTTPSyntax.isToken(first), let last = unsafe readPart(), readZero()
        else { return false }
        let text = unsafe last.drop(while: HTTPSyntax.isWhiteSpace)
        return unsafe HTTPSyntax.isFieldValue(text)
            && Self.areEqual(UnsafeRawBufferPointer(rebasing: text), value)
    }

    /// Compares the empty line.
    mutating func matchEmptyLine() -> Bool {
        readZero() && readZero()
    }

    /// The bytes up to the next zero byte, which is skipped.
    private mutating func readPart() -> UnsafeRawBufferPointer? {
        guard let end = unsafe rest.firstIndex(of: 0) else { return nil }
        defer { unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
        return unsafe UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    private mutating func readZero() -> Bool {
        guard unsafe rest.first == 0 else { return false }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return true
    }

    private static func areEqual(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        unsafe left.elementsEqual(right)
    }
}
