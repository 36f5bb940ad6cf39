internal import CSodium
internal import Platform
package import SecretMemory

/// libzxcvbn, loaded on first use and never unloaded.
@safe package struct ZxcvbnLibrary: @unchecked Sendable {
    private typealias Match =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Double

    private let match: Match

    /// The library of this process; nil if it is not installed.
    package static let shared = ZxcvbnLibrary(name: "libzxcvbn.so.0")

    /// Loads the library of this name.
    package init?(name: String) {
        guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL),
            let function = unsafe dlsym(library, "ZxcvbnMatch")
        else { return nil }
        unsafe match = unsafe unsafeBitCast(function, to: Match.self)
    }

    /// Estimates the strength as the logarithm to base 2 of the number of guesses. The corresponding C function is `ZxcvbnMatch`.
    ///
    /// The library overwrites its one copy on the heap. On the stack it keeps single characters, which are wiped here. Positions and ranks
    /// of the words found stay in freed memory.
    ///
    /// - Parameter passphrase: Bytes without a zero, then a zero.
    /// - Returns: An upper bound.
    package func bits(of passphrase: borrowing SecretBytes) -> Double {
        let bits = passphrase.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress.map {
                    unsafe match($0, nil, nil)
                } ?? 0
            }
        }
        sodium_stackzero(65_536)
        return bits
    }
}
