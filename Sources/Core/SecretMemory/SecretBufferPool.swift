internal import CSodium
internal import Platform

/// A few reusable guarded buffers for short-lived secrets.
///
/// A guarded allocation costs four mappings and about 50 µs, too much for reading one item. Released buffers are wiped. Thread-safe.
public final class SecretBufferPool: Sendable {
    /// The pool shared by the vault's readers and writers. Each of fifty clients that wait for the vault has one or two buffers, and what is freed here
    /// is mapped anew by the next of them.
    public static let shared = SecretBufferPool(bufferSize: 8_192, limit: 64)

    /// Addresses of idle buffers, each of `bufferSize` bytes from `sodium_malloc`.
    private let idle = LockedValue<[UInt]>([])
    private let bufferSize: Int
    private let limit: Int

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - bufferSize: The size of a pooled buffer, in bytes. Larger requests are allocated and freed each time.
    ///   - limit: The maximum number of idle buffers.
    public init(bufferSize: Int, limit: Int) {
        precondition(bufferSize > 0 && limit >= 0)
        self.bufferSize = bufferSize
        self.limit = limit
    }

    deinit {
        idle.withLock { addresses in
            for address in addresses {
                unsafe sodium_free(UnsafeMutableRawPointer(bitPattern: address))
            }
        }
    }

    /// Calls `body` with a zeroed buffer of `count` bytes, and wipes the buffer afterwards.
    ///
    /// - Parameters:
    ///   - count: The size in bytes.
    ///   - body: Gets the buffer. It may shorten the buffer with ``SecretBytes/keep(from:count:)``.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; `SecretMemoryError.outOfMemory`.
    public func withBuffer<Result: ~Copyable>(
        count: Int, _ body: (inout SecretBytes) throws -> Result
    ) throws -> Result {
        var buffer = try acquire(count: count)
        do {
            let result = try body(&buffer)
            release(buffer)
            return result
        } catch {
            release(buffer)
            throw error
        }
    }

    private func acquire(count: Int) throws -> SecretBytes {
        guard count <= bufferSize else { return try SecretBytes(count: count) }
        if let address = idle.withLock({ $0.popLast() }),
            let base = unsafe UnsafeMutableRawPointer(bitPattern: address)
        {
            return unsafe SecretBytes(adopting: base, capacity: bufferSize, count: count)
        }
        var buffer = try SecretBytes(count: bufferSize)
        buffer.resize(to: count)
        return buffer
    }

    private func release(_ buffer: consuming SecretBytes) {
        guard buffer.capacity == bufferSize else { return }
        let base = unsafe buffer.relinquish()
        let address = UInt(bitPattern: base)
        let kept = idle.withLock { addresses in
            guard addresses.count < limit else { return false }
            addresses.append(address)
            return true
        }
        if !kept { unsafe sodium_free(base) }
    }
}
