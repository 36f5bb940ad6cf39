internal import CSodium
internal import Platform

extension UnsafeRawBufferPointer {
    /// The address as libsodium's `unsigned char *`; never nil, for C functions that declare it so.
    var bytes: UnsafePointer<UInt8> {
        unsafe (baseAddress ?? Self.nowhere).assumingMemoryBound(to: UInt8.self)
    }

    /// An address for the empty buffer. It is never read, because the size is 0.
    private nonisolated(unsafe) static let nowhere = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}

extension UnsafeMutableRawBufferPointer {
    /// The address as libsodium's `unsigned char *`; never nil, for C functions that declare it so.
    var bytes: UnsafeMutablePointer<UInt8> {
        unsafe UnsafeMutablePointer(mutating: UnsafeRawBufferPointer(self).bytes)
    }
}

/// Remains of keyed functions below the stack pointer and in registers.
package enum StackTraces {
    /// Overwrites the stack of a C function after its return: libsodium leaves parts of keys there, and `crypto_pwhash` all derived bytes.
    ///
    /// Wipes the registers first, before the dynamic linker can save them on the stack. The C function for the stack is `sodium_stackzero`.
    /// `StackTraceTests` finds parts of keys with less than 3,072 bytes, for Argon2id with less than 8,192.
    ///
    /// - Parameter depth: The number of bytes to overwrite.
    package static func wipe(_ depth: Int = 4_096) {
        platform_wipe_vector_registers()
        sodium_stackzero(depth)
    }
}
