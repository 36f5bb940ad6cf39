internal import SecretMemory

/// What was read from a descriptor and not yet taken, in guarded memory.
struct ReadAhead: ~Copyable {
    private static let firstSize = 4_096

    private let descriptor: Int32
    private var waiting: GrowingSecret
    private var hasEnded = false

    /// Makes an empty one.
    init(descriptor: Int32) throws(InputError) {
        self.descriptor = descriptor
        waiting = try GrowingSecret(capacity: Self.firstSize)
    }

    /// Takes a line without its line end, or nil at the end.
    mutating func takeLine(limit: Int) throws(InputError) -> SecretBytes? {
        var searched = 0
        while true {
            if let lineFeed = position(of: 0x0A, from: searched) {
                let line = waiting.withBytes { bytes in
                    lineFeed > 0 && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
                }
                guard line <= limit else { throw .tooLong(maximum: limit) }
                return try take(line, andDrop: lineFeed + 1 - line)
            }
            searched = waiting.count
            if hasEnded {
                guard waiting.count <= limit else { throw .tooLong(maximum: limit) }
                return waiting.count == 0 ? nil : try take(waiting.count, andDrop: 0)
            }
            // One byte beyond the limit may be the CR of the line end.
            guard waiting.count <= limit + 1 else { throw .tooLong(maximum: limit) }
            try readMore(limit: Int.max)
        }
    }

    /// Takes everything up to the end.
    mutating func takeAll(limit: Int) throws(InputError) -> SecretBytes {
        while !hasEnded && waiting.count <= limit {
            try readMore(limit: max(limit + 1, waiting.capacity))
        }
        guard waiting.count <= limit else { throw .tooLong(maximum: limit) }
        return try take(waiting.count, andDrop: 0)
    }

    private mutating func readMore(limit: Int) throws(InputError) {
        try waiting.makeRoom(limit: limit)
        if try waiting.read(from: descriptor) == 0 { hasEnded = true }
    }

    private mutating func take(_ count: Int, andDrop dropped: Int) throws(InputError) -> SecretBytes
    {
        let taken = try waiting.withBytes { (bytes) throws(InputError) in
            do {
                return try SecretBytes(copying: bytes.extracting(first: count))
            } catch {
                throw .outOfMemory
            }
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
