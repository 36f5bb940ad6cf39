/// Walks through a request's head as it lies in the library's memory, to compare it with what the library made of it.
///
/// libmicrohttpd 0.9.75 accepts lines that end with LF alone, NUL inside a value, white space before the colon and values that go on in the next
/// line, and takes some of them for something that was not sent. It ends every part of the head with zero bytes in place: a colon becomes one,
/// CR LF two. Whoever walks through that has to find exactly the fields that the library reports; a head that was read in another way is refused.
/// What cannot be told any more is a NUL in front of an LF from CR LF: it is taken for the end of the line, as the LF alone would be elsewhere,
/// so the fields are the same ones.
@safe struct HeadWalk {
    private var rest: UnsafeRawBufferPointer

    /// At the beginning of a head, which outlives the walk.
    init(_ head: UnsafeRawBufferPointer) {
        unsafe rest = head
    }

    /// Whether there is nothing left.
    var isAtEnd: Bool { unsafe rest.isEmpty }

    /// Passes the first line: a method, a target, whose bytes were changed since, and a version.
    mutating func passFirstLine(
        method: UnsafeRawBufferPointer, targetSize: Int, version: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = unsafe takePart(), unsafe Self.areEqual(first, method),
            unsafe targetSize < rest.count
        else { return false }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[targetSize...])
        guard takeZero(), let last = unsafe takePart() else { return false }
        return unsafe Self.areEqual(last, version) && takeZero()
    }

    /// Passes one line with a field, if it is well formed and the field is this one.
    mutating func passField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe takePart(), unsafe Self.areEqual(first, name),
            unsafe HTTPSyntax.isToken(first), let last = unsafe takePart(), takeZero()
        else { return false }
        let text = unsafe last.drop(while: HTTPSyntax.isWhiteSpace)
        return unsafe HTTPSyntax.isFieldValue(text)
            && Self.areEqual(UnsafeRawBufferPointer(rebasing: text), value)
    }

    /// Passes the empty line.
    mutating func passEmptyLine() -> Bool {
        takeZero() && takeZero()
    }

    /// What lies before the next zero byte, which is passed, too.
    private mutating func takePart() -> UnsafeRawBufferPointer? {
        guard let end = unsafe rest.firstIndex(of: 0) else { return nil }
        defer { unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
        return unsafe UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    private mutating func takeZero() -> Bool {
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
