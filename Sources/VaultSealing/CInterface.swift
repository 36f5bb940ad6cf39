internal import CSodium

extension UnsafeRawBufferPointer {
    /// The address as the `unsigned char *` of libsodium; never nil, for C functions that declare it so.
    var bytes: UnsafePointer<UInt8> {
        unsafe (baseAddress ?? Self.nowhere).assumingMemoryBound(to: UInt8.self)
    }

    /// An address for the empty buffer. It is never read: the size beside it is 0.
    private nonisolated(unsafe) static let nowhere = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}

extension UnsafeMutableRawBufferPointer {
    /// The address as the `unsigned char *` of libsodium; never nil, for C functions that declare it so.
    var bytes: UnsafeMutablePointer<UInt8> {
        unsafe UnsafeMutablePointer(mutating: UnsafeRawBufferPointer(self).bytes)
    }
}

/// What keyed functions leave below the stack pointer.
enum StackTraces {
    /// Overwrites the stack that a C function just gave up: `crypto_kdf` and keyed BLAKE2b leave windows of their key there.
    ///
    /// The corresponding C function is `sodium_stackzero`.
    static func wipe() {
        sodium_stackzero(2_048)
    }
}
