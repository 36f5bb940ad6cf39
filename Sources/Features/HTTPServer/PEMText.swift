internal import CSodium

/// A zero-terminated text for C functions, wiped on release.
@safe final class PEMText {
    private let storage: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
        unsafe storage = .allocate(byteCount: bytes.count + 1, alignment: 1)
        unsafe storage.copyBytes(from: bytes)
        unsafe storage[bytes.count] = 0
    }

    init(_ body: RequestBody) {
        let storage = UnsafeMutableRawBufferPointer.allocate(
            byteCount: body.count + 1, alignment: 1)
        body.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
        }
        unsafe storage[body.count] = 0
        unsafe self.storage = unsafe storage
    }

    deinit {
        if let start = unsafe storage.baseAddress { unsafe sodium_memzero(start, storage.count) }
        unsafe storage.deallocate()
    }

    /// The first character.
    var start: UnsafePointer<CChar>? {
        unsafe UnsafePointer(storage.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
}
