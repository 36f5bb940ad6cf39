package import SecretMemory
internal import Platform

/// Guarded memory that grows by doubling, up to a limit; bytes never pass through ordinary memory.
package struct GrowingSecret: ~Copyable {
    private var storage: SecretBytes
    /// The number of used bytes, from the beginning.
    package private(set) var count = 0

    /// Creates an empty secret with a capacity of `capacity` bytes.
    package init(capacity: Int) throws {
        storage = try SecretBytes(count: capacity)
    }

    /// The capacity in bytes.
    package var capacity: Int { storage.count }

    /// Calls `body` with the used bytes.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes { (bytes) throws(Failure) in
            try body(bytes.extracting(first: count))
        }
    }

    /// The used byte at `offset`.
    package func byte(at offset: Int) -> UInt8 {
        withBytes { $0[offset] }
    }

    /// Makes room for at least one more byte; the capacity never exceeds `limit` bytes.
    ///
    /// - Throws: `InputError.tooLong` if it is full at the limit, `SecretMemoryError`.
    package mutating func makeRoom(limit: Int) throws {
        guard count == capacity else { return }
        guard capacity < limit else { throw InputError.tooLong(maximum: limit) }
        var larger = try GrowingSecret(capacity: min(max(capacity * 2, 64), limit))
        withBytes { larger.fill(with: $0) }
        larger.count = count
        self = larger
    }

    /// Appends a byte. There must be free room.
    package mutating func append(_ byte: UInt8) {
        let position = count
        storage.withMutableBytes {
            $0.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
        }
        count += 1
    }

    /// Reads from a descriptor into the free room, which must not be empty.
    ///
    /// - Returns: The number of bytes, 0 at the end of the input.
    package mutating func read(from descriptor: Int32) throws -> Int {
        let position = count
        do {
            let added = try storage.withMutableBytes { bytes in
                try Descriptor.read(from: descriptor, into: &bytes, at: position)
            }
            count += added
            return added
        } catch let failure as SystemFailure {
            throw InputError.failed(failure)
        }
    }

    /// Removes bytes at the end. They stay in guarded memory until they are overwritten or the value ends.
    package mutating func removeLast(_ number: Int) {
        precondition(number >= 0 && number <= count)
        count -= number
    }

    /// Moves the bytes from `offset` on to the beginning and removes the earlier ones.
    package mutating func removeFirst(_ offset: Int) {
        precondition(offset >= 0 && offset <= count)
        guard offset > 0 else { return }
        let kept = count - offset
        storage.withMutableBytes { bytes in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + kept]))
            }
        }
        count = kept
    }

    /// Consumes the value and returns the used bytes as a secret.
    package consuming func finish() -> SecretBytes {
        var secret = storage
        secret.keep(count: count)
        return secret
    }

    private mutating func fill(with bytes: RawSpan) {
        storage.withMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe target.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
            }
        }
    }
}
