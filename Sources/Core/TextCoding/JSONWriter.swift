package import SecretMemory

/// A destination of output bytes.
package protocol ByteSink: ~Copyable {
    /// Accepts public bytes; they may be buffered in ordinary memory.
    mutating func write(_ bytes: RawSpan) throws

    /// Accepts secret bytes, which must not be copied into ordinary memory.
    mutating func write(secret bytes: RawSpan) throws
}

extension ByteSink where Self: ~Copyable {
    /// Writes public text unchanged: escape text from a vault by ``VisibleText`` first.
    package mutating func write(_ text: String) throws {
        // `bytes` is marked unsafe because some elements have padding; bytes of UTF-8 have none.
        unsafe try write(text.utf8Span.span.bytes)
    }

    /// Writes text and a line end.
    package mutating func writeLine(_ text: String = "") throws {
        try write(text + "\n")
    }

    /// Writes a secret unchanged.
    package mutating func write(secret: borrowing SecretBytes) throws {
        try secret.withBytes { bytes in try write(secret: bytes) }
    }
}

/// Writes one JSON value (RFC 8259) into a sink, in the order of the calls.
///
/// Secrets are written in Base64 through guarded memory and never become a `String`. The caller is
/// responsible for the structure. A member without a key, a key without a value, or an unmatched
/// end stops the program.
package struct JSONWriter<Sink: ByteSink & ~Copyable>: ~Copyable {
    private enum Level {
        case object, array
    }

    private var sink: Sink
    private var levels: [Level] = []
    /// Whether the next value or key is the first at its level.
    private var isFirst = true
    private var hasKey = false
    /// The line breaks and indentation before the next value or end, after a comma.
    private var lineEnd = ""

    /// Creates a writer; ``finish()`` returns the sink.
    package init(_ sink: consuming Sink) {
        self.sink = sink
    }

    /// Begins an object.
    package mutating func beginObject() throws {
        try begin(.object, "{")
    }

    /// Ends the innermost object.
    package mutating func endObject() throws {
        precondition(!hasKey, "a key has no value")
        try end(.object, "}")
    }

    /// Begins an array.
    package mutating func beginArray() throws {
        try begin(.array, "[")
    }

    /// Ends the innermost array.
    package mutating func endArray() throws {
        try end(.array, "]")
    }

    /// Writes the key of the next value.
    package mutating func key(_ key: String) throws {
        precondition(levels.last == .object && !hasKey, "a key stands in an object, once")
        try sink.write((isFirst ? "" : ",") + JSONEscaping.quoted(key) + ":")
        isFirst = false
        hasKey = true
    }

    /// Writes a string.
    package mutating func string(_ text: String) throws {
        try value(JSONEscaping.quoted(text))
    }

    /// Writes an integer. Readers with only floating-point numbers keep integers up to 2^53.
    package mutating func integer(_ number: some BinaryInteger) throws {
        try value(String(number))
    }

    /// Writes true or false.
    package mutating func boolean(_ flag: Bool) throws {
        try value(flag ? "true" : "false")
    }

    /// Writes a value that is JSON already.
    package mutating func json(_ text: String) throws {
        try value(text)
    }

    /// Writes null.
    package mutating func null() throws {
        try value("null")
    }

    /// Writes a time in the form of ``Timestamp/rfc3339(milliseconds:)``.
    package mutating func time(milliseconds: Int64) throws {
        try string(Timestamp.rfc3339(milliseconds: milliseconds))
    }

    /// Writes the bytes of a secret as a string in Base64.
    ///
    /// - Throws: The error of the sink, `SecretMemoryError`.
    package mutating func base64(secret bytes: RawSpan) throws {
        try value("\"")
        // 6,144 bytes become 8,192, the size of a pooled buffer.
        let step = 6_144
        var offset = 0
        while offset < bytes.byteCount {
            let part = bytes.extracting(offset..<min(offset + step, bytes.byteCount))
            try writeBase64(part)
            offset += step
        }
        try sink.write("\"")
    }

    /// Writes a secret as a string in Base64.
    ///
    /// - Throws: The error of the sink, `SecretMemoryError`.
    package mutating func base64(_ secret: borrowing SecretBytes) throws {
        try secret.withBytes { bytes in try base64(secret: bytes) }
    }

    /// Writes a secret of printable ASCII without quotation marks and backslashes, such as a recovery code, as a string.
    package mutating func ascii(_ secret: borrowing SecretBytes) throws {
        try value("\"")
        try sink.write(secret: secret)
        try sink.write("\"")
    }

    /// Writes a secret that is UTF-8 as a string, with its escapes.
    ///
    /// - Throws: The error of the sink, `SecretMemoryError`.
    package mutating func string(secret: borrowing SecretBytes) throws {
        try value("\"")
        // An escape has at most six bytes.
        var text = try SecretBytes(count: 6 * secret.count)
        var size = 0
        secret.withBytes { bytes in
            text.withMutableBytes { text in
                for offset in 0..<bytes.byteCount {
                    JSONEscaping.forEachByte(escaping: bytes[offset]) { byte in
                        text.set(byte, at: size)
                        size += 1
                    }
                }
            }
        }
        text.keep(count: size)
        try sink.write(secret: text)
        try sink.write("\"")
    }

    /// Begins a line with the next value of an array, or with the end of the array.
    package mutating func breakLine() {
        precondition(levels.last == .array, "lines are those of an array")
        lineEnd = "\n"
    }

    /// Ends the value with a line end and returns the sink, unfinished.
    package consuming func finish() throws -> Sink {
        precondition(levels.isEmpty, "an object or an array is open")
        try sink.writeLine()
        return sink
    }

    private mutating func writeBase64(_ part: RawSpan) throws {
        try SecretBufferPool.shared.withBuffer(
            count: Base64.size(encoding: part.byteCount)
        ) { buffer in
            buffer.withMutableBytes { Base64.encode(part, into: &$0) }
            try sink.write(secret: buffer)
        }
    }

    private mutating func value(_ text: String) throws {
        try sink.write(separator() + text)
    }

    private mutating func begin(_ level: Level, _ bracket: String) throws {
        try value(bracket)
        levels.append(level)
        isFirst = true
    }

    private mutating func end(_ level: Level, _ bracket: String) throws {
        precondition(levels.last == level, "nothing of this kind is open")
        levels.removeLast()
        isFirst = false
        try sink.write(lineEnd + bracket)
        lineEnd = ""
    }

    /// Writes the separator before a value: a comma in an array from the second value on.
    private mutating func separator() -> String {
        defer {
            isFirst = false
            hasKey = false
            lineEnd = ""
        }
        switch levels.last {
        case .object:
            precondition(hasKey, "a value in an object needs a key")
            return ""
        case .array:
            return (isFirst ? "" : ",") + lineEnd
        case nil:
            precondition(isFirst, "there is one value only")
            return ""
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a key and a string, or null.
    package mutating func member(_ key: String, _ text: String?) throws {
        try self.key(key)
        if let text { try string(text) } else { try null() }
    }

    /// Writes a key and an integer, or null.
    package mutating func member(
        _ key: String, _ number: (some BinaryInteger)?
    ) throws {
        try self.key(key)
        if let number { try integer(number) } else { try null() }
    }

    /// Writes a key and true or false, or null.
    package mutating func member(_ key: String, _ flag: Bool?) throws {
        try self.key(key)
        if let flag { try boolean(flag) } else { try null() }
    }

    /// Writes a key and a time, or null.
    package mutating func member(_ key: String, milliseconds: Int64?) throws {
        try self.key(key)
        if let milliseconds { try time(milliseconds: milliseconds) } else { try null() }
    }
}
