package import SecretMemory
internal import Synchronization

/// A stream of secrets, such as standard input, read through guarded memory only.
///
/// One reader is shared, because passphrase lines and then a value may come from the same stream, and what was read ahead for a line
/// belongs to whoever reads next. Every byte is kept, NUL included. Thread-safe.
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
    package func readLine(limit: Int = SecretInput.lineLimit) throws(InputError) -> SecretBytes? {
        try withAhead { (ahead) throws(InputError) in try ahead.takeLine(limit: limit) }
    }

    /// Reads everything that is left, byte for byte.
    ///
    /// - Parameter limit: The largest size, in bytes.
    /// - Returns: The bytes; none at the end of the input.
    /// - Throws: `tooLong`, `outOfMemory` or `failed`.
    package func readAll(limit: Int) throws(InputError) -> SecretBytes {
        try withAhead { (ahead) throws(InputError) in try ahead.takeAll(limit: limit) }
    }

    private func withAhead<Result: ~Copyable & Sendable>(
        _ body: (inout ReadAhead) throws(InputError) -> Result
    ) throws(InputError) -> Result {
        try ahead.withLock { (slot) throws(InputError) in
            // Taken out for the call, because an optional of a type that cannot be copied is not changed in place.
            var ahead =
                if let existing = slot.take() { existing } else {
                    try ReadAhead(descriptor: descriptor)
                }
            do throws(InputError) {
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
