internal import CSodium

/// Bytes that may hold secrets, in ordinary memory that is wiped at the end.
///
/// Unchecked, because nobody writes after the initialiser.
@safe public final class RequestBody: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer
    /// The size in bytes.
    public let count: Int

    /// Copies bytes.
    public init(_ bytes: [UInt8]) {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        unsafe storage.copyBytes(from: bytes)
        unsafe self.storage = unsafe storage
        count = bytes.count
    }

    /// Takes memory over, whose first bytes count.
    init(adopting storage: UnsafeMutableRawBufferPointer, count: Int) {
        unsafe self.storage = unsafe storage
        self.count = count
    }

    deinit {
        if let start = unsafe storage.baseAddress { unsafe sodium_memzero(start, count) }
        unsafe storage.deallocate()
    }

    /// Lends the bytes.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<count])))
    }
}
