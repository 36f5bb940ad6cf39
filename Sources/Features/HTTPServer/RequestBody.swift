internal import CSodium

/// Bytes that may contain secrets, in ordinary memory that is wiped on release.
///
/// `@unchecked Sendable`: the memory is not written after initialisation.
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

    /// Takes ownership of memory. The first `count` bytes are the content.
    init(adopting storage: UnsafeMutableRawBufferPointer, count: Int) {
        unsafe self.storage = unsafe storage
        self.count = count
    }

    deinit {
        if let start = unsafe storage.baseAddress { unsafe sodium_memzero(start, count) }
        unsafe storage.deallocate()
    }

    /// Lends the bytes.
    public func withBytes<Result: ~Copyable>(
        _ body: (RawSpan) throws -> Result
    ) rethrows -> Result {
        try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<count])))
    }
}

extension RequestBody {
    /// Copies bytes of guarded memory.
    package convenience init(copying bytes: RawSpan) {
        let storage = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytes.byteCount, alignment: 1)
        unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
        unsafe self.init(adopting: storage, count: bytes.byteCount)
    }
}
