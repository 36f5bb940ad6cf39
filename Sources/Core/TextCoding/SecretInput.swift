package import SecretMemory
internal import Synchronization
package import Platform

/// A stream of secrets, such as standard input, read only through guarded memory.
///
/// All callers share one reader, because passphrase lines and a value may come from the same
/// stream.
/// Bytes that were read ahead belong to the next caller. Keeps every byte, including NUL.
/// Thread-safe.
package final class SecretInput: Sendable {
    /// Standard input, descriptor 0.
    package static let standard = SecretInput(descriptor: Descriptor.standardInput)

    /// The default limit of ``readLine(limit:)``, in bytes.
    package static let lineLimit = 16_384

    private let descriptor: Int32
    private let ahead = Mutex<ReadAhead?>(nil)

    /// Creates a reader of a descriptor, which stays open afterwards.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether the stream is a terminal, which would show the input.
    package var isTerminal: Bool { Descriptor.isTerminal(descriptor) }

    /// Reads a line, without its line end: one LF, or one CR LF.
    ///
    /// - Parameter limit: The longest line, in bytes.
    /// - Returns: The line, or nil at the end of the input. Remaining bytes without a line end are also a line.
    /// - Throws: `InputError.tooLong` or `.failed`, `SecretMemoryError`.
    package func readLine(limit: Int = SecretInput.lineLimit) throws -> SecretBytes? {
        try withAhead { ahead in try ahead.takeLine(limit: limit) }
    }

    /// Reads all remaining bytes.
    ///
    /// - Parameter limit: The largest size, in bytes.
    /// - Returns: The bytes; empty at the end of the input.
    /// - Throws: `InputError.tooLong` or `.failed`, `SecretMemoryError`.
    package func readAll(limit: Int) throws -> SecretBytes {
        try withAhead { ahead in try ahead.takeAll(limit: limit) }
    }

    /// Reads available bytes, at least one, into `buffer` from `offset` on.
    ///
    /// - Returns: The number of bytes, 0 at the end of the input.
    /// - Throws: `InputError.failed`, `SecretMemoryError`.
    package func read(into buffer: inout MutableRawSpan, at offset: Int) throws -> Int {
        let room = buffer.byteCount - offset
        let waiting = try withAhead { ahead in try ahead.takeSome(most: room) }
        if waiting.count > 0 {
            buffer.copy(waiting, at: offset)
            return waiting.count
        }
        do {
            return try Descriptor.read(from: descriptor, into: &buffer, at: offset)
        } catch let failure as SystemFailure {
            throw InputError.failed(failure)
        }
    }

    private func withAhead<Result: ~Copyable & Sendable>(
        _ body: (inout ReadAhead) throws -> Result
    ) throws -> Result {
        try ahead.withLock { slot in
            // Taken out for the call, because an optional of a noncopyable type cannot be changed in place.
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

/// An error of a prompt or an input. No case carries the input.
package enum InputError: Error, Sendable, Hashable {
    /// No prompt is possible: standard input is not a terminal, or there is none.
    case noTerminal
    /// A signal such as Ctrl-C ended the prompt; the terminal is restored. `taskvault` exits with 130.
    case interrupted(signal: Int32)
    /// The input ended before a complete line.
    case endOfInput
    /// The line or the whole input is larger than `maximum` bytes. None of it was kept.
    case tooLong(maximum: Int)
    /// The answer is not UTF-8.
    case notText
    /// The file is a folder.
    case isFolder
    /// The file is a terminal, which would show a typed secret.
    case wouldShow
    /// The terminal can only print (`TERM` is empty or `dumb`): shown text cannot be cleared.
    case cannotClear
    /// A system call failed.
    case failed(SystemFailure)
}

extension MutableRawSpan {
    /// Writes a secret at `offset`.
    fileprivate mutating func copy(_ secret: borrowing SecretBytes, at offset: Int) {
        unsafe withUnsafeMutableBytes { target in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...])
            secret.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            }
        }
    }
}
