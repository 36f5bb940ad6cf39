package import SecretMemory
internal import Synchronization

/// A stream of secrets, such as standard input, read through guarded memory only.
///
/// One reader is shared, because passphrase lines and then a value may come from the same stream, and what was read ahead for a line
/// belongs to the next reader. Every byte is kept, NUL included. Thread-safe.
package final class SecretInput: Sendable {
    /// Standard input, descriptor 0.
    package static let standard = SecretInput(descriptor: Descriptor.standardInput)

    /// The longest line that ``readLine(limit:)`` takes unless told otherwise, in bytes.
    package static let lineLimit = 16_384

    private let descriptor: Int32
    private let ahead = Mutex<ReadAhead?>(nil)

    /// Makes a reader of a descriptor, which stays open afterwards.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether a person types it, which would be seen.
    package var isTerminal: Bool { Descriptor.isTerminal(descriptor) }

    /// Reads a line, without its line end: one LF, or one CR LF.
    ///
    /// - Parameter limit: The longest line, in bytes.
    /// - Returns: The line, or nil at the end of the input. What is left at the end without a line end is a line too.
    /// - Throws: `tooLong`, `outOfMemory` or `failed`.
    package func readLine(limit: Int = SecretInput.lineLimit) throws -> SecretBytes? {
        try withAhead { ahead in try ahead.takeLine(limit: limit) }
    }

    /// Reads everything that is left, byte for byte.
    ///
    /// - Parameter limit: The largest size, in bytes.
    /// - Returns: The bytes; none at the end of the input.
    /// - Throws: `tooLong`, `outOfMemory` or `failed`.
    package func readAll(limit: Int) throws -> SecretBytes {
        try withAhead { ahead in try ahead.takeAll(limit: limit) }
    }

    private func withAhead<Result: ~Copyable & Sendable>(
        _ body: (inout ReadAhead) throws -> Result
    ) throws -> Result {
        try ahead.withLock { slot in
            // Taken out for the call, because an optional of a type that cannot be copied is not changed in place.
            var ahead =
                if let existing = slot.take() { existing } else {
                    try ReadAhead(descriptor: descriptor)
                }
            do {
                let result = try body(&ahead)
                slot = consume ahead
                return result
            } catch {
                slot = consume ahead
                throw error
            }
        }
    }
}

/// Why a person could not be asked, or nothing could be read. No case carries what was typed.
package enum InputError: Error, Sendable, Hashable {
    /// No person can be asked: standard input is not a terminal, or there is none.
    case noTerminal
    /// A signal such as Ctrl-C ended the prompt; the terminal is as it was before. `taskvault` exits with 130.
    case interrupted(signal: Int32)
    /// The input ended before a line was there.
    case endOfInput
    /// The line or the whole input is larger than `maximum` bytes. Nothing of it was kept.
    case tooLong(maximum: Int)
    /// The answer is not UTF-8.
    case notText
    /// The file is a folder.
    case isFolder
    /// The file is a terminal, which would show a secret that is typed there.
    case wouldShow
    /// The terminal can only print (`TERM` is empty or `dumb`): text that it has shown cannot be cleared.
    case cannotClear
    /// The system has no guarded memory left.
    case outOfMemory
    /// The system refused.
    case failed(SystemFailure)
}

/// What was read from a descriptor and not yet taken, in guarded memory.
struct ReadAhead: ~Copyable {
    private static let firstSize = 4_096

    private let descriptor: Int32
    private var waiting: GrowingSecret
    private var hasEnded = false

    /// Makes an empty one.
    init(descriptor: Int32) throws {
        self.descriptor = descriptor
        waiting = try GrowingSecret(capacity: Self.firstSize)
    }

    /// Takes a line without its line end, or nil at the end.
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

    /// Takes everything up to the end.
    mutating func takeAll(limit: Int) throws -> SecretBytes {
        while !hasEnded && waiting.count <= limit {
            try readMore(limit: max(limit + 1, waiting.capacity))
        }
        guard waiting.count <= limit else { throw InputError.tooLong(maximum: limit) }
        return try take(waiting.count, andDrop: 0)
    }

    private mutating func readMore(limit: Int) throws {
        try waiting.makeRoom(limit: limit)
        if try waiting.read(from: descriptor) == 0 { hasEnded = true }
    }

    private mutating func take(_ count: Int, andDrop dropped: Int) throws -> SecretBytes {
        let taken = try waiting.withBytes { bytes in
            do {
                return try SecretBytes(copying: bytes.extracting(first: count))
            } catch {
                throw InputError.outOfMemory
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
