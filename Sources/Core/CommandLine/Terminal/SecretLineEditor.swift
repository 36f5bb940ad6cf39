internal import SecretMemory
internal import TextCoding

/// The editing keys of a line without echo; nil for a key that the terminal does not define.
struct EditingKeys {
    /// Erases the last character; backspace and delete always have this effect.
    var erase: UInt8?
    /// Erases the whole line.
    var kill: UInt8?
    /// Erases the last word and the spaces after it.
    var wordErase: UInt8?
    /// Ends the input.
    var end: UInt8?
}

/// A line that is edited without echo, in guarded memory.
struct SecretLineEditor: ~Copyable {
    /// The effect of a byte.
    enum Progress {
        /// Accepted; the line continues.
        case open
        /// The end of the line.
        case complete
        /// The end of the input before anything was typed.
        case ended
    }

    private let keys: EditingKeys?
    private let limit: Int
    private var line: GrowingSecret

    /// Creates an empty line.
    ///
    /// - Parameters:
    ///   - keys: The editing keys; nil if the terminal edits the line itself.
    ///   - limit: The largest size in bytes, at least 1.
    /// - Throws: `SecretMemoryError`.
    init(keys: EditingKeys?, limit: Int) throws {
        self.keys = keys
        self.limit = limit
        line = try GrowingSecret(capacity: min(limit, 256))
    }

    /// Processes a byte from the terminal.
    ///
    /// - Throws: `tooLong`, `SecretMemoryError`.
    mutating func take(_ byte: UInt8) throws -> Progress {
        if byte == 0x0A || byte == 0x0D { return .complete }
        guard let keys else {
            try append(byte)
            return .open
        }
        switch byte {
        case keys.end:
            return line.count == 0 ? .ended : .complete
        case keys.erase, 0x08, 0x7F:
            line.removeLast(sizeOfLastCharacter)
        case keys.kill:
            line.removeLast(line.count)
        case keys.wordErase:
            eraseWord()
        default:
            try append(byte)
        }
        return .open
    }

    /// Consumes the value and returns the line as a secret.
    consuming func finish() -> SecretBytes {
        line.finish()
    }

    private mutating func append(_ byte: UInt8) throws {
        try line.makeRoom(limit: limit)
        line.append(byte)
    }

    /// The size of the last UTF-8 character, in bytes.
    private var sizeOfLastCharacter: Int {
        line.withBytes { bytes in
            var size = min(bytes.byteCount, 1)
            while size > 0 && size < min(bytes.byteCount, 4)
                && bytes[bytes.byteCount - size] & 0xC0 == 0x80
            {
                size += 1
            }
            return size
        }
    }

    private mutating func eraseWord() {
        let size = line.withBytes { bytes in
            var start = bytes.byteCount
            while start > 0 && bytes[start - 1] == 0x20 { start -= 1 }
            while start > 0 && bytes[start - 1] != 0x20 { start -= 1 }
            return bytes.byteCount - start
        }
        line.removeLast(size)
    }
}
