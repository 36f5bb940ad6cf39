import CSodium
import Glibc
import Platform
import SecretMemory

/// The part of this thread's stack that calls which have returned left behind.
enum DeadStack {
    private static let size = 64 * 1_024

    /// Whether the system shows a process its own memory.
    static var isReadable: Bool { unsafe access("/proc/thread-self/mem", R_OK) == 0 }

    /// Runs `body`, and counts the 8-byte windows of `secret` that it left below the stack pointer.
    static func traces(of secret: borrowing SecretBytes, _ body: () throws -> Void) throws -> Int {
        let memory = unsafe platform_open("/proc/thread-self/mem", O_RDONLY, 0)
        defer { close(memory) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { unsafe buffer.deallocate() }
        var marker: UInt8 = 0
        let top = unsafe withUnsafePointer(to: &marker) { Int(bitPattern: $0) }
        // Also what an earlier count left.
        sodium_stackzero(size)
        try body()
        // The first call of a library function saves the vector registers on the stack, while the dynamic linker looks for its address.
        _ = crypto_core_hchacha20_constbytes()
        // Nothing but pread(2) between the call and the copy: every call writes over a piece of what it left.
        let count = unsafe pread(memory, buffer.baseAddress, size, top - size)
        guard count == size else { throw UnreadableStack(code: errno) }
        return secret.withBytes { secret in
            let windows = (0...(secret.byteCount - 8)).map { offset in
                unsafe secret.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            let wanted = Set(windows)
            let found = (0...(size - 8)).map { offset in
                unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            return wanted.intersection(found).count
        }
    }

    /// The stack could not be read; `code` is `errno`.
    struct UnreadableStack: Error {
        let code: Int32
    }
}
