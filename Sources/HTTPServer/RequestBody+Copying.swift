extension RequestBody {
    /// Copies bytes of guarded memory.
    package convenience init(copying bytes: RawSpan) {
        let storage = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytes.byteCount, alignment: 1)
        unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
        unsafe self.init(adopting: storage, count: bytes.byteCount)
    }
}
