internal import SecretMemory

/// Bytes read from a descriptor and not yet consumed, in guarded memory.
struct ReadAhead: ~Copyable {
    private static let firstSize = 4_096

    private let descriptor: Int32
    private var waiting: GrowingSecret
    private var hasEnded = false

    /// Creates an empty buffer.
    init(descriptor: Int32) throws {
        self.descriptor = descriptor
        waiting = try GrowingSecret(capacity: Self.firstSize)
    }

    /// Consumes a line without its line end; nil at the end.
    mutating func takeLine(limit: Int) throws -> SecretBytes? {
        var searched = 0
        while true {
            if let lineFeed = position(of: 0x0A, from: searched) {
                let line = waiting.withBytes { bytes in
                    lineFeed > 0 && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
                }
                guard line <= limit else { throw InputError.tooLong(maximum: limit) }
                return try take(line, andDrop: lineFeed + 1 - line)
            }
            searched = waiting.count
            if hasEnded {
                guard waiting.count <= limit else { throw InputError.tooLong(maximum: limit) }
                return waiting.count == 0 ? nil : try take(waiting.count, andDrop: 0)
            }
            // One byte beyond the limit may be the CR of the line end.
            guard waiting.count <= limit + 1 else { throw InputError.tooLong(maximum: limit) }
            try readMore(limit: Int.max)
        }
    }

    /// Consumes all remaining bytes.
    mutating func takeAll(limit: Int) throws -> SecretBytes {
        while !hasEnded && waiting.count <= limit {
            try readMore(limit: max(limit + 1, waiting.capacity))
        }
        guard waiting.count <= limit else { throw InputError.tooLong(maximum: limit) }
        return try take(waiting.count, andDrop: 0)
    }

    /// Consumes bytes that were read ahead, at most `most`.
    mutating func takeSome(most: Int) throws -> SecretBytes {
        try take(min(waiting.count, most), andDrop: 0)
    }

    private mutating func readMore(limit: Int) throws {
        try waiting.makeRoom(limit: limit)
        if try waiting.read(from: descriptor) == 0 { hasEnded = true }
    }

    private mutating func take(_ count: Int, andDrop dropped: Int) throws -> SecretBytes {
        let taken = try waiting.withBytes { bytes in
            try SecretBytes(copying: bytes.extracting(first: count))
        }
        waiting.removeFirst(count + dropped)
        return taken
    }

    private func position(of byte: UInt8, from start: Int) -> Int? {
        waiting.withBytes { bytes in
            (start..<bytes.byteCount).first { bytes[$0] == byte }
        }
    }
}
