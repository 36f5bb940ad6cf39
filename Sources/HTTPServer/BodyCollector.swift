internal import CSodium

/// Takes the content of a request piece by piece, up to a size that is known from the beginning.
///
/// Room is made as the content comes, because a client may announce what it never sends. What is moved for that is wiped where it was.
@safe final class BodyCollector {
    /// The room that there is at first: for the content of most requests.
    private static let firstCapacity = 16_384

    private let size: Int
    private var storage: UnsafeMutableRawBufferPointer
    private var count = 0
    private var isHandedOver = false

    init(size: Int) {
        self.size = size
        unsafe storage = .allocate(byteCount: min(size, Self.firstCapacity), alignment: 1)
    }

    deinit {
        if !isHandedOver { wipe() }
    }

    /// Copies bytes and wipes them where they came from; false if they are more than the size allows.
    func take(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        defer {
            if let start = bytes.baseAddress { unsafe sodium_memzero(start, bytes.count) }
        }
        guard bytes.count <= size - count else { return false }
        makeRoom(for: count + bytes.count)
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

    private func makeRoom(for needed: Int) {
        guard unsafe needed > storage.count else { return }
        let capacity = unsafe min(size, max(needed, 2 * storage.count))
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        unsafe larger.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<count]))
        wipe()
        unsafe storage = larger
    }

    private func wipe() {
        if let start = unsafe storage.baseAddress { unsafe sodium_memzero(start, count) }
        unsafe storage.deallocate()
    }
}
