internal import CSodium

/// Takes the content of a request piece by piece, up to a size that is known from the beginning, so that nothing is moved and left behind.
@safe final class BodyCollector {
    private let storage: UnsafeMutableRawBufferPointer
    private var count = 0
    private var isHandedOver = false

    init(capacity: Int) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit {
        guard !isHandedOver else { return }
        if let start = unsafe storage.baseAddress { unsafe sodium_memzero(start, count) }
        unsafe storage.deallocate()
    }

    /// Copies bytes and wipes them where they came from; false if there is no room for them.
    func take(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        defer {
            if let start = bytes.baseAddress { unsafe sodium_memzero(start, bytes.count) }
        }
        guard unsafe bytes.count <= storage.count - count else { return false }
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(
            from: UnsafeRawBufferPointer(bytes))
        count += bytes.count
        return true
    }

    /// What was taken. Called once.
    func finish() -> RequestBody {
        precondition(!isHandedOver)
        isHandedOver = true
        return unsafe RequestBody(adopting: storage, count: count)
    }
}
