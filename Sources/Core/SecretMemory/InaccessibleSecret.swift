internal import CSodium
internal import Platform

/// A stored secret in a page without access rights, except while it is copied.
///
/// The memory is the system's `memfd_secret`, whose pages even the kernel does not map, or else guarded memory. Wiped at the end of the
/// lifetime. Safe to send between threads; only one thread may copy it at a time.
@safe public final class InaccessibleSecret: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let count: Int
    /// The size of the system's secret memory; 0 for guarded memory.
    private let mapped: Int

    /// Copies bytes. The caller must wipe the source.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public convenience init(copying bytes: RawSpan) throws {
        try self.init(copying: bytes, guardedOnly: false)
    }

    /// As ``init(copying:)``; `isGuardedOnly` behaves like a system without secret memory, for tests.
    init(copying bytes: RawSpan, guardedOnly isGuardedOnly: Bool) throws {
        _ = SodiumLibrary.ready
        count = bytes.byteCount
        var size = 0
        let secret = unsafe isGuardedOnly ? nil : platform_secret_memory(count, &size)
        guard let base = unsafe secret ?? sodium_malloc(max(count, 1)) else {
            throw SecretMemoryError.outOfMemory
        }
        mapped = unsafe secret == nil ? 0 : size
        unsafe bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe base.copyMemory(from: start, byteCount: source.count)
            }
        }
        platform_wipe_vector_registers()
        unsafe self.base = unsafe base
        protect(PROT_NONE)
    }

    deinit {
        protect(PROT_READ | PROT_WRITE)
        guard mapped > 0 else { return unsafe sodium_free(base) }
        unsafe sodium_memzero(base, mapped)
        unsafe munmap(base, mapped)
    }

    /// The address of the bytes.
    var address: UInt { unsafe UInt(bitPattern: base) }

    /// A copy in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public func copy() throws -> SecretBytes {
        protect(PROT_READ)
        defer { protect(PROT_NONE) }
        return try SecretBytes(copying: unsafe RawSpan(_unsafeStart: base, byteCount: count))
    }

    /// Sets the access rights. The corresponding C functions are `mprotect` and `sodium_mprotect_noaccess`.
    private func protect(_ rights: Int32) {
        let code =
            if mapped > 0 {
                unsafe mprotect(base, mapped, rights)
            } else if rights == PROT_NONE {
                unsafe sodium_mprotect_noaccess(base)
            } else if rights == PROT_READ {
                unsafe sodium_mprotect_readonly(base)
            } else {
                unsafe sodium_mprotect_readwrite(base)
            }
        // Cannot fail: the mapping belongs to this object, and no new mapping is needed.
        precondition(code == 0, "the access rights of a page could not be changed")
    }
}
